"""A workspace as the window sees it: what pages ask for, answered with what they show."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Sequence
from pathlib import Path

from sciread_app.domain.facets import Count, Facets
from sciread_app.domain.fragments import fragment
from sciread_app.domain.news import taken_back
from sciread_app.domain.order import Order
from sciread_app.domain.paper import PaperId
from sciread_app.domain.query import parse
from sciread_app.errors import Cancelled, EncoderFailed
from sciread_app.language import tr
from sciread_app.services.facets import FacetCounts
from sciread_app.services.outside import Outside
from sciread_app.services.reading import Reading
from sciread_app.services.search import Mode as SearchMode
from sciread_app.services.search import Results, Search
from sciread_app.tasks import Task
from sciread_app.ui.exchange_desk import WorkspaceExchange
from sciread_app.ui.foryou_desk import WorkspaceForYou
from sciread_app.ui.intake_desk import WorkspaceIntake, ledger_of
from sciread_app.ui.map.desk import WorkspaceMap
from sciread_app.ui.palette_offer import Goal
from sciread_app.ui.paper_desk import WorkspaceAbout
from sciread_app.ui.settings_desk import WorkspaceCare
from sciread_app.ui.values import (
    Card,
    Evidence,
    Ledger,
    Likeness,
    Listing,
    Mode,
    Status,
)
from sciread_app.workspace import Workspace, open_workspace

BEST = 100  # papers that a search lists
NAMED = 12  # authors, tags and so on that are offered while one types
STARTING = tr("Searching by words only: the model is starting")


class WorkspaceDesk:
    """Every verb blocks, and may be called from any thread.

    Until `wake` has started the model, which takes seconds, searches go by words and say so.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._library = workspace.library
        self._by_words = Search(workspace.library, None)
        self._building = threading.Lock()
        self._facets = FacetCounts(workspace.library)
        self._why_no_meaning = STARTING
        self.is_new = workspace.is_new
        self.intake = WorkspaceIntake(workspace)
        self.care = WorkspaceCare(workspace)
        self.exchange = WorkspaceExchange(workspace)
        self.organise = workspace.organise
        self.others = WorkspaceOthers(workspace)
        self.duplicates = workspace.duplicates
        self.about = WorkspaceAbout(
            workspace, lambda: self._search_by_meaning() or self._by_words, self._awake
        )
        self.map = WorkspaceMap(workspace, self._search_by_meaning)
        self.foryou = WorkspaceForYou(workspace, self.cards, self._search_by_meaning)

    @property
    def reading(self) -> Reading:
        return self._workspace.reading

    @property
    def warnings(self) -> list[str]:
        return self._workspace.warnings

    def wake(self, task: Task) -> None:
        """Start the model, so that searches go by meaning too. Raises EncoderFailed."""
        self.map.warm_up()
        if self._search_by_meaning() is None:
            self._why_no_meaning = tr("Searching by words only: there is no model")
            return
        try:
            space = self._workspace.space
            assert space
            space.encode_query("paper")
        except EncoderFailed as failure:
            self._why_no_meaning = tr("Searching by words only. {failure}", failure=failure)
            raise
        self._why_no_meaning = ""

    def find(self, query: str, mode: Mode, task: Task, order: Order = Order.relevance) -> Listing:
        """What only meets conditions is listed whole, the best of what is ranked."""
        found, note = self._search(query, mode, task, order)
        self._facets.remember((query, mode), found.ids)
        return _listing(found, note)

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
        ids = self._facets.remembered((query, mode))
        if ids is None:
            ids = self._search(query, mode, task, Order.relevance)[0].ids
            self._facets.remember((query, mode), ids)
        return self._facets.of(ids, task)

    def _search(self, query: str, mode: Mode, task: Task, order: Order) -> tuple[Results, str]:
        """What was found, and why it was not found by meaning, if that was wanted."""
        asked = parse(query)
        note = "" if mode is Mode.text or not asked.terms else self._why_no_meaning
        search: Search | None = self._by_words
        if not note and (asked.terms or asked.like):
            search = self._search_by_meaning()
        by = SearchMode.text if note else SearchMode(mode.value)
        found = (search or self._by_words).find(query, limit=BEST, mode=by, order=order, task=task)
        return found, note

    def similar(self, like: Sequence[PaperId], unlike: Sequence[PaperId], task: Task) -> Listing:
        search = self._search_by_meaning() or self._by_words
        return _listing(search.similar(like, unlike, limit=BEST))

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
        self._search_by_meaning()
        return self._workspace.space.catch_up(task) if self._workspace.space else 0

    def status(self) -> Status:
        papers = self._library.count()
        if self._why_no_meaning or self._workspace.space is None:
            return Status(papers)
        # Those in the trash have vectors as well, and count for nothing here.
        lacking = self._workspace.space.without_vector(self._library.ids())
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

    def _awake(self) -> Search:
        """The search that answers at once."""
        awake = self._search_by_meaning() if not self._why_no_meaning else None
        return awake or self._by_words

    def _search_by_meaning(self) -> Search | None:
        """The search that has a model; the model's files are checked at the first call."""
        with self._building:
            return self._workspace.search if self._workspace.space else None


class WorkspaceOthers:
    """The models beside the active one, as the window asks them."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def names(self, task: Task) -> list[str]:
        return self._workspace.others.names()

    def standing(self, name: str, task: Task) -> tuple[int, int]:
        return self._workspace.others.standing(name)

    def find(self, name: str, query: str, mode: Mode, task: Task) -> Listing:
        search = self._workspace.others.search(name)
        return _listing(search.find(query, limit=BEST, mode=SearchMode(mode.value), task=task))

    def encode(self, name: str, task: Task) -> int:
        return self._workspace.others.encode(name, task)

    def close(self) -> None:
        self._workspace.others.close()


def open_desk(home: Path) -> WorkspaceDesk:
    """Open the library in this folder. Raises LibraryError."""
    return WorkspaceDesk(open_workspace(home))


def _listing(found: Results, note: str = "") -> Listing:
    ranked = found.query.terms or found.query.like or found.query.identifier
    return Listing(
        # An array finds a number by C, and holds 150,000 in a megabyte.
        ids=array("q", [hit.paper for hit in found.hits] if ranked else found.ids.tobytes()),
        total=found.total,
        evidence={
            hit.paper: Evidence(hit.text_rank, hit.meaning_rank, hit.similarity, hit.percentile)
            for hit in (found.hits if ranked else ())
        },
        words=tuple(term.text for term in found.query.terms),
        note=note or found.note,
    )
