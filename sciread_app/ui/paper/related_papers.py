"""Related papers: similar ones, references and citing papers, each loaded when first shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from sciread_app.domain.citations import STALE, CitationDirection, CitationList
from sciread_app.domain.paper import Identifier, Paper, PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue, JobRunner
from sciread_app.ui.paper.citation_graph import CitationGraphView, RelatedNode
from sciread_app.ui.paper.details_html import PAPER
from sciread_app.ui.paper.related_papers_html import (
    ADD,
    FEW,
    MORE,
    citation_list_html,
    match_note,
    message_html,
    similar_papers_html,
)
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.view_models import CitationReport, SimilarPaper
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.segmented_control import SegmentedControl
from sciread_app.ui.widgets.text.markdown_view import AutoHeightText

if TYPE_CHECKING:
    from sciread_app.ui.paper.gateway import PaperGateway

TABS = (
    (tr("Similar"), tr("Similar papers in the library")),
    (tr("References"), tr("Papers cited by this paper")),
    # Translators: the papers that cite this one
    (tr("Cited by"), tr("Papers that cite this paper")),
)
SIMILAR, REFERENCES, CITING = range(3)  # indices of the tabs
MOST_CITED = 4  # references, and citing papers, in the graph
MOST_NEIGHBORS = 12  # papers in the graph
SIDES = {REFERENCES: CitationDirection.references, CITING: CitationDirection.citing}


class RelatedPapers(QWidget):
    """Tabs with the similar papers, references and citing papers of a paper, and on a full page a
    graph of those in the library. Citations are fetched on request, one request at a time."""

    paper_requested = Signal(object)  # PaperId
    papers_requested = Signal(object, str)  # list of PaperId, title of the list
    similar_requested = Signal()  # the similar papers, in the main list
    loaded = Signal()  # a paper was added to the library
    failed = Signal(object)  # JobError
    layout_changed = Signal()  # the graph has new buttons, and Tab a new order

    def __init__(self, about: PaperGateway, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self._about = about
        self._jobs = jobs
        self._appearance = appearance
        self._paper: Paper | None = None
        self._with_graph = False
        # by the index of the tab
        self._loaded: dict[int, Sequence[SimilarPaper] | CitationList] = {}
        self._loading: set[int] = set()
        self._asking: Job | None = None
        self._whole = False  # all papers are shown, not only the first few
        self._build()
        appearance.changed.connect(self._show)  # a method is disconnected with its object

    def show_paper(self, paper: Paper) -> None:
        """Change the paper; nothing is loaded before `load`."""
        changed = self._paper is None or self._paper.id != paper.id
        self._paper = paper
        if changed:
            self._loaded.clear()
            self._loading.clear()
            self._whole = False
            self.note.hide()
            self._show()
            self._show_neighbors()

    def show_graph(self, shown: bool) -> None:
        """Show or hide the graph of all related papers in the library, for which `load` loads every
        tab."""
        if shown != self._with_graph:
            self._with_graph = shown
            self._show_neighbors()

    def load(self) -> None:
        """Load what is shown unless it is loaded already; called when it is visible."""
        for tab in range(len(TABS)) if self._with_graph else (self.tabs.current,):
            self._load(tab)

    def _load(self, tab: int) -> None:
        paper = self._id
        if paper is None or tab in self._loaded or tab in self._loading:
            return
        self._loading.add(tab)

        def work(task: Task) -> Sequence[SimilarPaper] | CitationList:
            if tab == SIMILAR:
                return self._about.similar(paper, task)
            return self._about.citations(paper, SIDES[tab])

        def done(found: Sequence[SimilarPaper] | CitationList) -> None:
            if paper == self._id:
                self._loading.discard(tab)
                self._loaded[tab] = found
                self._show()
                self._show_neighbors()

        def failed(problem: JobError) -> None:
            if paper == self._id:
                self._loading.discard(tab)
                self._explain(problem)

        self._jobs.run(
            tr("Loading related papers"),
            work,
            done,
            on_failed=failed,
            on_cancelled=lambda: self._loading.discard(tab),
            replaces=f"around {tab} {id(self)}",  # there are other panels, on other pages
        )

    def go_to(self, tab: int) -> None:
        self.tabs.choose(tab)
        self._turn()

    @property
    def _id(self) -> PaperId | None:
        return self._paper.id if self._paper else None

    @property
    def idle(self) -> bool:
        return not self._loading and self._asking is None

    def ask(self) -> None:
        """Request the citations of this paper from the citation sources, then show them."""
        paper = self._id
        if paper is not None:
            self._go_asking(
                tr("Fetching citations"),
                lambda task: self._about.ask(paper, task),
                self._show_report,
            )

    def look_up(self) -> None:
        """Look up the titles of papers of which only identifiers are known."""
        paper, side = self._id, SIDES.get(self.tabs.current)
        if paper is not None and side:
            self._go_asking(
                tr("Looking up titles"),
                lambda task: self._about.look_up(paper, side, task),
                self._named,
            )

    def add(self, name: Identifier) -> None:
        """Add this paper to the library."""

        text = f"{name.kind}:{name.value}"
        self._go_asking(
            tr("Fetching {name}", name=text),
            lambda task: self._about.fetch(text, task),
            lambda _: self._reload(),
            on_done=self.loaded.emit,
        )

    def _go_asking(
        self,
        title: str,
        work: Callable[[Task], Any],
        then: Callable[[Any], None],
        on_done: Callable[[], object] = lambda: None,
    ) -> None:
        """Run a request. `then` shows its result, unless another paper is shown by then; `on_done`
        is called in any case."""
        if self._asking is not None:
            return
        self.note.setText(f"{title}…")
        self.note.show()
        paper = self._id

        def done(result: Any) -> None:
            if is_shown():
                then(result)
            on_done()

        def failed(problem: JobError) -> None:
            if is_shown():
                self._explain(problem)
            else:
                self.failed.emit(problem)

        def is_shown() -> bool:
            """End the request; return whether the paper is still shown."""
            self._asking = None
            self._show()
            if paper == self._id:
                self.note.hide()
            return paper == self._id

        self._asking = self._jobs.run(
            title,
            work,
            done,
            on_failed=failed,
            on_cancelled=is_shown,
            queue=JobQueue.network,
        )
        self._show()

    def _show_report(self, report: CitationReport) -> None:
        problems = [failure.reason for failure in report.failures]
        problems += [remark.reason for remark in report.remarks]
        self.note.setText(" ".join(problems))
        self.note.setVisible(bool(problems))
        self._reload()

    def _named(self, known: int) -> None:
        if not known:
            self.note.setText(tr("Semantic Scholar has no titles for these papers."))
            self.note.show()
        self._reload()

    def _reload(self) -> None:
        self._loaded.clear()
        self._loading.clear()
        self.load()
        self._show()

    def _explain(self, problem: JobError) -> None:
        self.note.setText(problem.text)
        self.note.show()
        if problem.report:
            self.failed.emit(problem)

    def _turn(self) -> None:
        self._whole = False
        if self._asking is None:
            self.note.hide()
        self._show()
        self.load()

    def _show(self) -> None:
        tab, theme = self.tabs.current, self._appearance.theme
        found = self._loaded.get(tab)
        citations = found if isinstance(found, CitationList) else None
        # Not asked yet, or long ago.
        self.fetch.setVisible(
            citations is not None
            and citations.askable
            and (citations.fetched_at is None or time.time() - citations.fetched_at > STALE)
        )
        self.fetch.setText(
            tr("Refresh citations") if citations and citations.fetched_at else tr("Fetch citations")
        )
        self.titles.setVisible(citations is not None and citations.untitled > 0)
        self.in_list.setVisible(len(citations.held) > 1 if citations else bool(found))
        for button in (self.fetch, self.titles):
            button.setEnabled(self._asking is None)
        if found is None:
            html = message_html("…", theme)
        elif isinstance(found, CitationList):
            html = citation_list_html(found, SIDES[tab], theme, None if self._whole else FEW)
        else:
            html = similar_papers_html(found, theme)
        self.text.show_html(html)
        self.text.setAccessibleName(TABS[tab][1])

    def _show_neighbors(self) -> None:
        complete = len(self._loaded) == len(TABS)
        neighbors = self._neighbors() if self._with_graph and complete else []
        self.graph.setVisible(bool(neighbors))
        if self._paper and neighbors:
            left, right = _sides(neighbors)
            self.graph.show_neighbors(self._paper, left, right)
            self.layout_changed.emit()

    def _neighbors(self) -> list[RelatedNode]:
        """The loaded papers of all tabs that are in the library, each once: first those linked by a
        citation."""
        found: dict[PaperId, RelatedNode] = {}
        for tab in (REFERENCES, CITING):
            linked = self._loaded.get(tab)
            papers = (
                [one.paper for one in linked.nearby] if isinstance(linked, CitationList) else []
            )
            for paper in [one for one in papers if one][:MOST_CITED]:
                if paper.id is not None:
                    found.setdefault(paper.id, RelatedNode(paper, tab, TABS[tab][0]))
        alike = self._loaded.get(SIMILAR)
        for one in () if alike is None or isinstance(alike, CitationList) else alike:
            if one.paper.id is not None and len(found) < MOST_NEIGHBORS:
                about = RelatedNode(one.paper, SIMILAR, TABS[SIMILAR][0], match_note(one))
                found.setdefault(one.paper.id, about)
        return list(found.values())

    def _follow(self, url: QUrl) -> None:
        what = url.scheme()
        argument = url.path(QUrl.ComponentFormattingOption.FullyDecoded)
        if what == PAPER:
            self.paper_requested.emit(PaperId(int(argument)))
        elif what == ADD:
            self.add(Identifier(*argument.split("=", 1)))
        elif what == MORE:
            self._whole = True
            self._show()

    def _list(self) -> None:
        found = self._loaded.get(self.tabs.current)
        if isinstance(found, CitationList) and self._paper:
            title = readable(self._paper.title)
            if SIDES[self.tabs.current] is CitationDirection.references:
                what = tr("Cited by “{title}”", title=title)
            else:
                what = tr("Citing “{title}”", title=title)
            self.papers_requested.emit(list(found.held), what)
        else:
            self.similar_requested.emit()

    def _build(self) -> None:
        self.tabs = SegmentedControl(tr("Related papers"), TABS)
        # otherwise the tabs would determine the minimum width of the panel
        self.tabs.setProperty("tight", True)
        self.tabs.selected.connect(lambda _: self._turn())
        self.text = AutoHeightText(TABS[0][1])
        self.text.anchorClicked.connect(self._follow)
        self.note = styled(QLabel(wordWrap=True), "notice")
        self.note.hide()
        self.fetch = QPushButton(tr("Fetch citations"))
        self.fetch.setToolTip(
            tr("Fetch citations from Semantic Scholar, or from PubMed if Semantic Scholar has none")
        )
        self.fetch.clicked.connect(self.ask)
        self.titles = styled(QPushButton(tr("Look up titles")), "flush")
        self.titles.setToolTip(tr("Look up missing titles on Semantic Scholar"))
        self.titles.clicked.connect(self.look_up)
        self.in_list = styled(QPushButton(tr("Show in list")), "flush")
        self.in_list.clicked.connect(self._list)
        buttons = row(self.fetch, self.titles, self.in_list, 0, spacing=4)
        self.graph = CitationGraphView(self._appearance)
        self.graph.paper_requested.connect(self.paper_requested)
        parts = (self.graph, self.tabs, self.note, self.text, buttons)
        column(*parts, parent=self, margins=0, spacing=8)
        self._show()
        self._show_neighbors()


def _sides(neighbors: Sequence[RelatedNode]) -> tuple[list[RelatedNode], list[RelatedNode]]:
    """References at the left, citing papers at the right, the others where there is room."""
    left = [one for one in neighbors if one.kind == REFERENCES]
    right = [one for one in neighbors if one.kind == CITING]
    for one in neighbors:
        if one.kind == SIMILAR:
            (left if len(left) < len(right) else right).append(one)
    return left, right
