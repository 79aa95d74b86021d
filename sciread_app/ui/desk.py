"""A workspace as the window sees it: what pages ask for, answered with what they show."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sciread_app.domain.facets import Count, Facets
from sciread_app.domain.fragments import fragment
from sciread_app.domain.news import taken_back
from sciread_app.domain.order import Order
from sciread_app.domain.paper import PaperId
from sciread_app.domain.query import parse
from sciread_app.errors import Cancelled
from sciread_app.language import tr
from sciread_app.services.facets import FacetCounts
from sciread_app.services.outside import Outside
from sciread_app.services.reading import Reading
from sciread_app.services.search import Mode as SearchMode
from sciread_app.services.search import Results, Search
from sciread_app.tasks import Task
from sciread_app.ui.compare.desk import WorkspaceOthers
from sciread_app.ui.exchange_desk import WorkspaceExchange
from sciread_app.ui.foryou_desk import WorkspaceForYou
from sciread_app.ui.intake_desk import WorkspaceIntake, ledger_of
from sciread_app.ui.listings import BEST, listing_of
from sciread_app.ui.map.desk import WorkspaceMap
from sciread_app.ui.models.page_desk import WorkspaceModels
from sciread_app.ui.models.swap_desk import WorkspaceSwaps
from sciread_app.ui.palette_offer import Goal
from sciread_app.ui.paper_desk import WorkspaceAbout
from sciread_app.ui.settings_desk import WorkspaceCare
from sciread_app.ui.values import (
    Card,
    Ledger,
    Likeness,
    Listing,
    Mode,
    Status,
)
from sciread_app.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from sciread_app.ui.dashboard.desk import WorkspaceDashboard
    from sciread_app.ui.training.desk import WorkspaceTeaching

NAMED = 12  # authors, tags and so on that are offered while one types
STARTING = tr("Searching by words only: the model is starting")


@dataclass(frozen=True, slots=True)
class _Asking:
    """A query, and who answers it; `note` says why it is not a model, if one was wanted."""

    search: Search
    model: str
    query: str
    mode: SearchMode
    note: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """Two that are equal find the same."""
        return self.query, self.mode, self.model

    def find(self, order: Order, task: Task) -> Results:
        """What only meets conditions is listed whole, the best of what is ranked."""
        return self.search.find(self.query, limit=BEST, mode=self.mode, order=order, task=task)


class WorkspaceDesk:
    """Every verb blocks, and may be called from any thread.

    Until `wake` has started the model, which takes seconds, searches go by words and say so.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._library = workspace.library
        self._by_words = Search(workspace.library, None)
        self._answering = workspace.answering
        self._facets = FacetCounts(workspace.library)
        self.is_new = workspace.is_new
        self.intake = WorkspaceIntake(workspace)
        self.care = WorkspaceCare(workspace)
        self.exchange = WorkspaceExchange(workspace)
        self.organise = workspace.organise
        self.others = WorkspaceOthers(workspace)
        self.duplicates = workspace.duplicates
        self.about = WorkspaceAbout(workspace, self._best, self._quickest)
        self.map = WorkspaceMap(workspace)
        self.swaps = WorkspaceSwaps(workspace)
        self.models = WorkspaceModels(workspace)
        self.foryou = WorkspaceForYou(workspace, self.cards)

    @cached_property
    def training(self) -> WorkspaceTeaching:
        from sciread_app.ui.training.desk import WorkspaceTeaching  # the same

        return WorkspaceTeaching(self._workspace)

    @cached_property
    def dashboard(self) -> WorkspaceDashboard:
        from sciread_app.ui.dashboard.desk import WorkspaceDashboard  # who opens a window waits not

        return WorkspaceDashboard(self._workspace)

    @property
    def reading(self) -> Reading:
        return self._workspace.reading

    @property
    def warnings(self) -> list[str]:
        return self._workspace.warnings

    def wake(self, task: Task) -> None:
        """Start the model, so that searches go by meaning too. Raises EncoderFailed."""
        self.map.warm_up()
        with self._answering.use() as now:
            now.wake()

    def find(self, query: str, mode: Mode, task: Task, order: Order = Order.relevance) -> Listing:
        with self._asking(query, mode) as asking:
            found = asking.find(order, task)
            self._facets.remember(asking.key, found.ids)
        return listing_of(found, asking.note)

    def names(self, field: str, written: str, task: Task) -> list[Count]:
        found = self._library.grouping.names(field, written, NAMED)
        return [Count(name, papers) for name, papers in found]

    def likeness(self, source: Sequence[Path] | str, task: Task) -> Likeness:
        seconds = self._workspace.settings.pdf_seconds
        outside = Outside(self._library, pdf_seconds=seconds)
        if isinstance(source, str):
            found = outside.of_text(source, task)
        else:
            found = outside.of_files(source, task)
        return Likeness(found.title, found.known, found.text)

    def facets(self, query: str, mode: Mode, task: Task) -> Facets:
        """The counts among all papers that a query finds, not only the best."""
        with self._asking(query, mode) as asking:
            ids = self._facets.remembered(asking.key)
            if ids is None:
                ids = asking.find(Order.relevance, task).ids
                self._facets.remember(asking.key, ids)
        return self._facets.of(ids, task)

    def similar(self, like: Sequence[PaperId], unlike: Sequence[PaperId], task: Task) -> Listing:
        with self._best() as search:
            return listing_of(search.similar(like, unlike, limit=BEST))

    def browse(self, order: Order, task: Task) -> Listing:
        ids = self._library.ids(order)
        # An array finds a number by C, and holds 150,000 in a megabyte.
        return Listing(array("q", ids.tobytes()), len(ids))

    def cards(self, ids: Sequence[int]) -> list[Card]:
        marks = self._library.shelves.marks(ids)
        colours = self._library.shelves.tag_colours() if any(m.tags for m in marks.values()) else {}
        versions = self._library.version_counts(ids)
        return [
            Card(
                paper,
                mark.read,
                mark.tags,
                mark.rating,
                taken_back(paper),
                colours,
                versions.get(paper.id, 1),
            )
            for paper in self._library.get(ids)
            if paper.id is not None and (mark := marks.get(paper.id)) is not None
        ]

    def add(self, paths: Sequence[Path], task: Task) -> Ledger:
        """An import that is cancelled has a ledger too, of what was read until then."""
        earlier = {known.id for known in self._library.ledger.imports()}
        try:
            return ledger_of(self._workspace.intake.add(paths, task))
        except Cancelled:
            begun = [i for i in self._library.ledger.imports() if i.id not in earlier]
            if not begun:
                raise
            failures = self._library.ledger.failures(begun[0].id)
            return Ledger(begun[0].read, begun[0].added, begun[0].merged, failures, stopped=True)

    def add_sample(self, task: Task) -> Ledger:
        return ledger_of(self._workspace.add_sample(task))

    def catch_up(self, task: Task) -> int:
        return self._answering.catch_up(task)

    def status(self) -> Status:
        papers = self._library.count()
        if not self._answering.awake:
            return Status(papers)
        with self._answering.use() as now:
            if now.space is None:
                return Status(papers)
            # Those in the trash have vectors as well, and count for nothing here.
            lacking = now.space.without_vector(self._library.ids())
        return Status(papers, lacking, by_meaning=True)

    def goals(self) -> list[Goal]:
        shelf = self.organise.shelf()
        return [
            *(Goal("Collection", c.path, fragment("in", [c.path])) for c in shelf.collections),
            *(Goal("Tag", tag.name, fragment("tag", [tag.name])) for tag in shelf.tags),
            *(Goal("Saved search", saved.name, saved.query) for saved in shelf.searches),
        ]

    def close(self) -> None:
        self._workspace.close()

    @contextmanager
    def _asking(self, query: str, mode: Mode) -> Iterator[_Asking]:
        asked = parse(query)
        note = "" if mode is Mode.text or not asked.terms else self._why_by_words()
        by = SearchMode.text if note else SearchMode(mode.value)
        if note or not (asked.terms or asked.has_examples):
            yield _Asking(self._by_words, "", query, by, note)
            return
        with self._answering.use() as now:
            yield _Asking(now.search, now.name, query, by)

    def _why_by_words(self) -> str:
        """Why there is no search by meaning at this moment; empty if there is."""
        if self._answering.awake:
            return ""
        trouble = self._answering.trouble
        return tr("Searching by words only. {failure}", failure=trouble) if trouble else STARTING

    @contextmanager
    def _best(self) -> Iterator[Search]:
        """The search by meaning, as long as there is a model; by words else."""
        with self._answering.use() as now:
            yield now.search

    @contextmanager
    def _quickest(self) -> Iterator[Search]:
        """The search that answers at once."""
        with nullcontext(self._by_words) if self._why_by_words() else self._best() as search:
            yield search


def open_desk(home: Path) -> WorkspaceDesk:
    """Open the library in this folder. Raises LibraryError."""
    return WorkspaceDesk(open_workspace(home))
