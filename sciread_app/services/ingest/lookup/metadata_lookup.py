"""Look-up of the metadata of papers in the library: what is missing, and what differs."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from sciread_app.domain.matching.record_keys import NAMING, is_preprint
from sciread_app.domain.matching.record_linkage import share_name
from sciread_app.domain.metadata.changes import (
    FieldChange,
    LookupSuggestion,
    applied,
    is_candidate,
    is_record_of,
    matching_record,
    still_valid,
    suggest,
)
from sciread_app.domain.metadata.looked_up import looked_up, without_undone
from sciread_app.domain.paper import Edit, Identifier, Paper, PaperId
from sciread_app.domain.query.ast import Condition
from sciread_app.errors import SourceError
from sciread_app.language import tr, trn
from sciread_app.services.ingest.lookup.lookup_answers import (
    LookupAnswer,
    LookupAnswers,
    question_of,
)
from sciread_app.services.ingest.lookup.record_requests import (
    ARXIV,
    CROSSREF,
    ISBN,
    OPENALEX,
    PMCID,
    PMID,
    RecordRequests,
)
from sciread_app.sources.http.client import Client
from sciread_app.storage.library import Library
from sciread_app.tasks import Task, exclusive

BATCH = 50  # papers with identifiers; at most these are lost if the program is killed
_TITLES = 5  # papers without identifiers, each of which takes a request or two
_AT_ONCE = 500  # papers read or changed at once
_SHOWN_CANDIDATES = 5
_ASKED_BY = {*NAMING, "isbn"}


@dataclass(frozen=True)
class LookupReport:
    """The result of a look-up: suggestions for the papers that have any, in the order asked.

    `papers` were looked up, `unknown` of them were found in no source; `unanswered` were not
    looked up, since a source failed, for the reasons in `failures`, by source.
    """

    papers: int = 0
    suggestions: Sequence[LookupSuggestion] = ()
    unknown: Sequence[PaperId] = ()
    unanswered: int = 0
    failures: Mapping[str, str] = field(default_factory=dict)


class AppliedChanges(NamedTuple):
    """The changes of a look-up that were made, by paper, and their edit; None if there is none."""

    edit: Edit | None
    changes: Mapping[PaperId, Sequence[FieldChange]]


class MetadataLookup:
    """Every method blocks and may be called from any thread."""

    def __init__(self, library: Library, client: Client, answers: Path) -> None:
        """`answers` is the file that keeps what sources have answered."""
        self._library = library
        self._client = client
        self._answers = LookupAnswers(answers)
        self._lock = FileLock(answers.with_suffix(".lock"))

    def lacking(self, field: str) -> list[PaperId]:
        """The papers of the library without abstract, authors, year, venue or doi."""
        found = self._library.matching([Condition("has", field, negated=True)])
        return [PaperId(id) for id in found.tolist()]

    def look_up(self, ids: Sequence[PaperId], task: Task, *, fresh: bool = False) -> LookupReport:
        """Ask the sources for these papers, and suggest changes; nothing is changed.

        Papers that were looked up in the last 30 days and have not changed since are not looked up
        again, unless `fresh`: a stopped look-up resumes. Raises Cancelled.
        """
        note = tr("Waiting for another look-up")
        with exclusive(self._lock, task, note):
            known = self._answers.read()
            if fresh:
                asked = set(ids)
                known = {id: answer for id, answer in known.items() if id not in asked}
            self._answers.replace(list(known.values()))
            answers, unanswered, failed = self._answer(ids, known, task)
        failures = {
            title: f"{error.message} {error.hint}".strip() for title, error in failed.items()
        }
        suggestions = list(self._suggestions(ids, answers))
        unknown = [
            id
            for id, answer in answers.items()
            if id not in unanswered and not answer.records and not answer.candidates
        ]
        return LookupReport(len(answers), suggestions, unknown, len(unanswered), failures)

    def apply(
        self, chosen: Mapping[PaperId, Sequence[FieldChange]], task: Task | None = None
    ) -> AppliedChanges:
        """Make these changes, as one edit.

        A change whose field has been edited, or has another value than when it was suggested, is
        left out. Values that replace another one count as edited by the user, who has chosen them.
        """
        task = task or Task()
        what = trn(
            "Filled in metadata of {n:,} paper",
            "Filled in metadata of {n:,} papers",
            len(chosen),
        )
        edit: Edit | None = None
        changes: dict[PaperId, list[FieldChange]] = {}
        ids = list(chosen)
        for start in range(0, len(ids), _AT_ONCE):
            task.step(start, len(ids))
            with self._library.edits.recording(what, edit) as made:
                for paper in self._library.get(ids[start : start + _AT_ONCE]):
                    assert paper.id is not None
                    if current := self._change(paper, paper.id, chosen[paper.id]):
                        changes[paper.id] = current
            edit = made.edit or edit
        return AppliedChanges(edit, changes)

    def _change(
        self, paper: Paper, id: PaperId, chosen: Sequence[FieldChange]
    ) -> list[FieldChange]:
        """Make those changes to a paper that are still valid, and return them."""
        edited = self._library.manually_edited_fields(id)
        current = still_valid(paper, edited, chosen)
        values = applied(paper, current)
        replaced = applied(paper, [change for change in current if not change.fills])
        filled = {name: value for name, value in values.items() if name not in replaced}
        if filled:
            self._library.fill(id, **filled)
        if replaced:
            self._library.edit(id, **{name: values[name] for name in replaced})
        if current:
            after = replace(paper, **values)
            fields = looked_up(after, current, time.time())
            self._library.looked_up.remember(id, fields)
        return current

    # ---- asking ---------------------------------------------------------------------------------

    def _answer(
        self,
        ids: Sequence[PaperId],
        known: Mapping[PaperId, LookupAnswer],
        task: Task,
    ) -> tuple[dict[PaperId, LookupAnswer], set[PaperId], dict[str, SourceError]]:
        """The answers for these papers; those whose answer is incomplete, and not kept; and the
        errors of sources by their titles."""
        answers: dict[PaperId, LookupAnswer] = {}
        todo: list[Paper] = []
        for start in range(0, len(ids), _AT_ONCE):
            for paper in self._library.get(ids[start : start + _AT_ONCE]):
                assert paper.id is not None
                answer = known.get(paper.id)
                if answer and answer.question == question_of(paper):
                    answers[paper.id] = answer
                else:
                    todo.append(paper)
        incomplete: set[PaperId] = set()
        total = len(answers) + len(todo)
        counting = task.reporting_to(lambda *report: task.step(len(answers), total, report[2]))
        requests = RecordRequests(self._client, counting)
        for batch in _batches(todo):
            asked, failed = self._ask(batch, requests)
            answers |= asked
            incomplete |= failed
            self._answers.add(asked[id] for id in asked if id not in failed)
        task.step(len(answers), total)
        return answers, incomplete, requests.failed

    def _ask(
        self, papers: Sequence[Paper], requests: RecordRequests
    ) -> tuple[dict[PaperId, LookupAnswer], set[PaperId]]:
        """The answers for a batch of papers, and those of them that are incomplete."""
        arxiv = requests.by_identifiers(ARXIV, _names(papers))
        others = [
            requests.by_doi(_names(papers)),
            requests.by_identifiers(PMID, _names(papers)),
            requests.by_identifiers(PMCID, _names(papers)),
            requests.by_identifiers(ISBN, _names(one for one in papers if not _is_named(one))),
        ]
        unasked = arxiv.unasked.union(*(part.unasked for part in others))
        answers: dict[PaperId, LookupAnswer] = {}
        incomplete: set[PaperId] = set()
        for paper in papers:
            assert paper.id is not None
            found: list[Paper] = []
            maybe: list[Paper] = []
            edited = self._library.manually_edited_fields(paper.id)
            # arXiv's record of an article is that of its preprint.
            for part in (arxiv, *others) if is_preprint(paper) else (*others, arxiv):
                for record in _of_paper(paper, part.found):
                    (found if is_record_of(paper, record, edited) else maybe).append(record)
            complete = not unasked & set(paper.identifiers)
            if not _is_named(paper) and not found:
                found, maybe, all_answered = _titled(paper, requests)
                complete = complete and all_answered
            if not complete:
                incomplete.add(paper.id)
            answers[paper.id] = LookupAnswer(
                paper.id, question_of(paper), time.time(), tuple(found), tuple(maybe)
            )
        return _with_abstracts(papers, answers, requests, incomplete), incomplete

    def _suggestions(
        self, ids: Sequence[PaperId], answers: Mapping[PaperId, LookupAnswer]
    ) -> Iterator[LookupSuggestion]:
        """The suggestions that change anything, by the present state of the papers."""
        answered = [id for id in ids if id in answers]
        for start in range(0, len(answered), _AT_ONCE):
            some = answered[start : start + _AT_ONCE]
            earlier = self._library.looked_up.of(some)
            for paper in self._library.get(some):
                assert paper.id is not None
                answer = answers[paper.id]
                edited = self._library.manually_edited_fields(paper.id)
                suggestion = suggest(paper, edited, answer.records, answer.candidates)
                suggestion = without_undone(suggestion, earlier.get(paper.id, ()))
                if suggestion.changes or suggestion.candidates:
                    yield suggestion


def _batches(papers: Sequence[Paper]) -> Iterator[Sequence[Paper]]:
    """The papers in batches: those with the same kinds of identifiers together, so that few
    requests are needed."""
    alike: dict[tuple[str, ...], list[Paper]] = defaultdict(list)
    for paper in papers:
        kinds = {kind for kind, _ in paper.identifiers}
        alike[tuple(sorted(kinds & _ASKED_BY))].append(paper)
    for named, group in alike.items():
        size = BATCH if named else _TITLES
        for start in range(0, len(group), size):
            yield group[start : start + size]


def _names(papers: Iterable[Paper]) -> list[Identifier]:
    return [name for paper in papers for name in paper.identifiers]


def _is_named(paper: Paper) -> bool:
    return any(name.kind in NAMING for name in paper.identifiers)


def _of_paper(paper: Paper, found: Mapping[Identifier, Paper]) -> list[Paper]:
    return [found[name] for name in paper.identifiers if name in found]


def _with_abstracts(
    papers: Sequence[Paper],
    answers: dict[PaperId, LookupAnswer],
    requests: RecordRequests,
    incomplete: set[PaperId],
) -> dict[PaperId, LookupAnswer]:
    """The answers, with records of OpenAlex for papers that still lack an abstract: many publishers
    give Crossref none. Adds papers for which OpenAlex could not be asked to `incomplete`."""
    lacking: dict[PaperId, Identifier] = {}
    for paper in papers:
        assert paper.id is not None
        records = answers[paper.id].records
        if not any(one.abstract for one in (paper, *records)):
            dois = [name for name in _names((paper, *records)) if name.kind == "doi"]
            if dois:
                lacking[paper.id] = dois[0]
    found, unasked = requests.by_identifiers(OPENALEX, lacking.values())
    for paper in papers:
        assert paper.id is not None
        doi = lacking.get(paper.id)
        if doi in unasked:
            incomplete.add(paper.id)
        elif doi in found:
            answer = answers[paper.id]
            # A record that the look-up by title has accepted names the paper as well.
            known = (paper, *answer.records)
            if any(is_record_of(one, found[doi], frozenset()) for one in known):
                answers[paper.id] = replace(answer, records=(*answer.records, found[doi]))
    return answers


def _titled(paper: Paper, requests: RecordRequests) -> tuple[list[Paper], list[Paper], bool]:
    """The record of a paper without identifiers, else those that it may be; and whether all sources
    have answered."""
    author = paper.authors[0].last_name if paper.authors else ""
    maybe: list[Paper] = []
    complete = True
    for source in (CROSSREF, OPENALEX) if paper.title else ():
        records = requests.by_title(source, paper.title, author)
        complete = complete and records is not None
        for record in records or ():
            known = any(share_name(record, other) for other in maybe)
            if not known and is_candidate(paper, record):
                maybe.append(record)
        if match := matching_record(paper, maybe):
            return [match], [], True
    return [], maybe[:_SHOWN_CANDIDATES], complete
