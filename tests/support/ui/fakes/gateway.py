"""A fake of the window's services, without a database and a model."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sciread_app.domain.paper import Paper, PaperId, Skipped
from sciread_app.domain.query.facets import FacetCount, FacetCounts
from sciread_app.domain.query.parser import Query
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.errors import BadQuery, SourceError
from sciread_app.paths import Home
from sciread_app.services.ingest.importer import ImportReport
from sciread_app.services.ingest.watched_folders import FolderScan
from sciread_app.services.ingest.zotero.folders import ZoteroFolder
from sciread_app.services.search.paper_finder import FoundPaper
from sciread_app.services.search.query_by_document import QueryDocument
from sciread_app.settings import Settings
from sciread_app.tasks import Task
from sciread_app.ui.view_models import (
    Card,
    PaletteTarget,
    Status,
)
from tests.support.ui.fakes.add_papers import FakeAddPapers
from tests.support.ui.fakes.comparison import FakeComparison
from tests.support.ui.fakes.digest import FakeDigests, digest_of
from tests.support.ui.fakes.duplicates import FakeDuplicates
from tests.support.ui.fakes.evaluation import FakeEvaluation
from tests.support.ui.fakes.map import FakeMap
from tests.support.ui.fakes.metadata import FakeMetadata
from tests.support.ui.fakes.models import FakeModels
from tests.support.ui.fakes.paper import FakePaperPanel
from tests.support.ui.fakes.reader import FakeReader
from tests.support.ui.fakes.recommendations import FakeRecommendations
from tests.support.ui.fakes.search import FakeSearch
from tests.support.ui.fakes.training import FakeTraining


class FakeGateway(FakeSearch):
    """The services of all pages, over the papers of `FakeSearch`. It is its own workspace."""

    def __init__(self, count: int = 100, papers: Sequence[Paper] = ()) -> None:
        super().__init__(count, papers)
        self.workspace = self.search = self.card_loader = self
        self.active_model = self.activation
        self.active_model.encode_missing = self.encode_missing
        self.warnings: list[str] = []
        self.lacks_sample = False
        self.counted: list[str] = []
        self.loaded: list[int] = []
        self.imported: list[list[Path]] = []
        self.go_on_importing = threading.Event()
        self.go_on_importing.set()
        self.go_on_encoding = threading.Event()
        self.go_on_encoding.set()
        self.failures: list[Skipped] = []
        self.intake = FakeAddPapers()
        self.settings = Settings()
        self.home, self.risk = Home(Path("/home/ada/SciRead")), ""
        folder = self.home.backups
        self.backups = SimpleNamespace(folder=folder, all=list, is_due=lambda library, today: False)
        self.key_place = lambda name: ""
        self.watched_folders = SimpleNamespace(all=list)
        self.library = SimpleNamespace(collections=SimpleNamespace(paths=list))
        self.scan_folders = lambda ids, changed, task: FolderScan()
        self.auto_exports = SimpleNamespace(write=lambda task: [])
        self.zotero_runs = True
        self.zotero: list[ZoteroFolder] | None = None
        self.asked_zotero: list[tuple[Path | None, bool]] = []
        self.metadata = FakeMetadata()
        self.reader = FakeReader()
        self.comparisons = FakeComparison(self)
        self.duplicates = FakeDuplicates()
        self.about = FakePaperPanel(self)
        self.map = FakeMap(self.count)
        self.recommendations = FakeRecommendations()
        self.digests = FakeDigests(digest_of(1, "The dance of bees", "The waggle"))
        self.digests.makes_digests = False  # no notice in a test that takes long
        self.models = self.installer = FakeModels(self)
        self.training = FakeTraining()
        self.dashboard = FakeEvaluation(self.count)

    def change(self, **changes: Any) -> Settings:
        self.settings = replace(self.settings, **changes)
        return self.settings

    def names(self, field: str, written: str, task: Task) -> list[FacetCount]:
        names = {"author": ("Marie Curie", "Pierre Curie"), "tag": ("to read", "maths")}
        return [
            FacetCount(name, 7)
            for name in names.get(field, ())
            if written.casefold() in name.casefold()
        ]

    def likeness(self, source: Sequence[Path] | str, task: Task) -> QueryDocument:
        """Return a document: a pasted entry is not in the library, the second file is."""
        if isinstance(source, str):
            return QueryDocument("On Bees", (), "On Bees that fly")
        if source[0].name == "empty.bib":
            raise BadQuery("No papers were found in empty.bib.", "Drop a PDF.")
        return QueryDocument("Paper 2 and 1 more", (PaperId(2),), "On Wasps")

    def facets(self, query: Query, mode: SearchMode, task: Task) -> FacetCounts:
        """Return made-up counts."""
        self.counted.append(query.text)
        years = tuple((year, year - 1998) for year in range(1999, 2021))
        values = {
            "cat": (FacetCount("cs.CL", 30), FacetCount("math.AG", 12), FacetCount("Oncology", 3)),
            "venue": (FacetCount("Nature & Science", 9),),
            "author": (FacetCount("Marie Curie", 7), FacetCount("Emmy Noether", 5)),
            "in": (FacetCount("thesis/methods", 4),),
            "tag": (FacetCount("to read", 2),),
        }
        return FacetCounts(self.count, years, 40, 60, values)

    def cards(self, ids: Sequence[int]) -> list[Card]:
        self.loaded += ids
        tags, stars = self.editor.tags, self.editor.stars
        return [
            Card(
                self.paper(n),
                n in self.editor.read,
                tuple(name for name, tagged in tags.items() if n in tagged),
                stars.get(n, 0),
            )
            for n in ids
        ]

    def import_files(self, paths: Sequence[Path], task: Task) -> ImportReport:
        self.imported.append(list(paths))
        for done in range(100):
            task.step(done, 100, "papers.bib")
            if done == 40:
                while not self.go_on_importing.wait(0.01):
                    task.raise_if_cancelled()
        self.count += 3
        new = [PaperId(self.count - n) for n in range(3)]
        return ImportReport(added=3, merged=2, new=new, skips=self.failures, seconds=1.5)

    def add_sample(self, task: Task) -> ImportReport:
        return self.import_files([Path("sample_library.bib")], task)

    def zotero_folders(self) -> Sequence[ZoteroFolder] | None:
        return self.zotero

    def import_zotero(
        self, folder: Path | None, task: Task, *, groups: bool = True
    ) -> ImportReport:
        self.asked_zotero.append((folder, groups))
        if not self.zotero_runs:
            raise SourceError("Zotero cannot be reached.", "Start Zotero.")
        return ImportReport(added=2, skips=[Skipped("Zotero", "X", "The item has no title.")])

    def encode_missing(self, task: Task) -> int:
        self.encoded += 1
        self.go_on_encoding.wait(60)
        return 3

    def status(self) -> Status:
        return Status(self.count, 0 if self.encoded else self.count, by_meaning=True)

    def find_papers(self, typed: str, task: Task) -> list[FoundPaper]:
        """Find papers by any part of their titles; those of `reader` have files."""
        if event := self.hold.get(typed):
            event.wait(60)
        papers = [self.paper(n) for n in range(1, self.count + 1)]
        found = [one for one in papers if typed.casefold() in one.title.casefold()]
        files = {one.id: self.reader.files(one.id) for one in found[:20]}
        return [FoundPaper(one, next(iter(files[one.id]), None)) for one in found[:20]]

    def goals(self) -> list[PaletteTarget]:
        return [
            PaletteTarget("Collection", "thesis", "in:thesis"),
            PaletteTarget("Tag", "to read", 'tag:"to read"'),
        ]

    def load_model(self, task: Task) -> None:
        self.is_loaded = True
