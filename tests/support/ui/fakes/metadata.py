"""A fake of the look-up of metadata, which suggests the same changes for every paper."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from sciread_app.domain.metadata.changes import Candidate, FieldChange, LookupSuggestion
from sciread_app.domain.paper import Edit, PaperId
from sciread_app.services.ingest.lookup.metadata_lookup import AppliedChanges, LookupReport
from sciread_app.tasks import Task
from tests.support.generate.papers import paper

ABSTRACT = FieldChange("abstract", "", "It says so.", "It says so.", "crossref", True)
VENUE = FieldChange("venue", "Nature", "Science", "Science", "crossref", False)
YEAR = FieldChange("published", "", "1999", "1999", "openalex", True)
OTHER = Candidate(paper("Another record", doi="10.1000/other", published="1999"), (YEAR,))


class FakeMetadata:
    """Look-ups wait until `go_on` is set."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.go_on.set()
        self.looked_up: list[list[PaperId]] = []
        self.applied: list[dict[PaperId, list[FieldChange]]] = []
        self.edited: set[str] = set()  # fields that were edited after the look-up
        self.trouble: Exception | None = None
        self.missing = {"abstract": 312, "venue": 7}

    def look_up(self, ids: Sequence[PaperId], task: Task) -> LookupReport:
        self.looked_up.append(list(ids))
        task.step(0, len(ids), "Looking up metadata")
        while not self.go_on.wait(0.01):
            task.step(0, len(ids), "Looking up metadata")
        if self.trouble:
            raise self.trouble
        found = [LookupSuggestion(id, f"Paper {id}", (ABSTRACT, VENUE), (OTHER,)) for id in ids]
        return LookupReport(len(ids), found)

    def apply(self, chosen: Mapping[PaperId, Sequence[FieldChange]], task: Task) -> AppliedChanges:
        self.applied.append({id: list(changes) for id, changes in chosen.items()})
        made = {
            id: [one for one in changes if one.field not in self.edited]
            for id, changes in chosen.items()
        }
        return AppliedChanges(Edit(1, 0.0, "Filled in metadata"), made)

    def lacking(self, field: str) -> Sequence[PaperId]:
        return [PaperId(1 + n) for n in range(self.missing.get(field, 0))]
