"""Around a paper: what is like it, what it cites, what cites it, each loaded when it is shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from sciread_app.domain.around import Ring, Side
from sciread_app.domain.citations import STALE
from sciread_app.domain.paper import Identifier, PaperId
from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.jobs import Job, Jobs, Lane, Problem
from sciread_app.ui.paper.about import About
from sciread_app.ui.paper.around_text import ADD, FEW, MORE, PAPER, alike_text, ring_text, say
from sciread_app.ui.paper.grown_text import GrownText
from sciread_app.ui.segments import Segments
from sciread_app.ui.theme import Appearance, Theme, styled
from sciread_app.ui.values import Alike, CitationReport

TABS = (
    (tr("Similar"), tr("Papers of the library that mean about the same")),
    (tr("References"), tr("What this paper cites")),
    # Translators: the papers that cite this one
    (tr("Cited by"), tr("What cites this paper")),
)
SIMILAR, REFERENCES, CITING = range(3)  # the numbers of the tabs
SIDES = {REFERENCES: Side.references, CITING: Side.citing}


class AroundPaper(QWidget):
    paper_wanted = Signal(object)  # PaperId
    papers_wanted = Signal(object, str)  # list of PaperId, what they are
    similar_wanted = Signal()  # all of them, in the list
    came = Signal()  # a paper, into the library
    failed = Signal(object)  # Problem

    def __init__(self, about: About, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._about = about
        self._jobs = jobs
        self._appearance = appearance
        self._paper: PaperId | None = None
        self._title = ""
        self._loaded: dict[int, Sequence[Alike] | Ring] = {}  # by the number of the tab
        self._loading: set[int] = set()
        self._asking: Job | None = None
        self._whole = False  # all is shown, not only the first few
        self._build()
        appearance.changed.connect(self._paint)

    def show_paper(self, paper: PaperId | None, title: str) -> None:
        """Nothing is loaded before `load`."""
        if paper != self._paper:
            self._paper, self._title = paper, title
            self.forget()

    def forget(self) -> None:
        """The library has changed: what was loaded may be no longer so."""
        self._loaded.clear()
        self._loading.clear()
        self._whole = False
        self._show()

    def load(self) -> None:
        """It is seen: load what the tab shows, unless that is there."""
        tab, paper = self.tabs.current, self._paper
        if paper is None or tab in self._loaded or tab in self._loading:
            return
        self._loading.add(tab)

        def work(task: Task) -> Sequence[Alike] | Ring:
            if tab == SIMILAR:
                return self._about.alike(paper, task)
            return self._about.ring(paper, SIDES[tab])

        self._jobs.run(
            tr("Looking around a paper"),
            work,
            lambda found: self._arrive(paper, tab, found),
            on_failed=lambda problem: self._fail_loading(paper, tab, problem),
            lane=Lane.light,
            instead_of=f"around {tab} {id(self)}",  # there are others, on other pages
        )

    def go_to(self, tab: int) -> None:
        self.tabs.choose(tab)
        self._turn()

    @property
    def idle(self) -> bool:
        return not self._loading and self._asking is None

    def ask(self) -> None:
        """Ask the sources of citations about this paper, and then show what they say."""
        paper = self._paper
        if paper is not None:
            self._go_asking(
                tr("Fetching citations of a paper"),
                lambda task: self._about.ask(paper, task),
                self._told,
            )

    def look_up(self) -> None:
        """Ask what the papers that are known by their names alone are called."""
        paper, side = self._paper, SIDES.get(self.tabs.current)
        if paper is not None and side:
            self._go_asking(
                tr("Looking up titles"),
                lambda task: self._about.look_up(paper, side, task),
                self._named,
            )

    def add(self, name: Identifier) -> None:
        """Fetch this paper into the library."""
        self._go_asking(
            tr("Fetching {name}", name=f"{name.kind}:{name.value}"),
            lambda task: self._about.fetch(name, task),
            lambda paper: self._added(),
        )

    def _go_asking(
        self, title: str, work: Callable[[Task], Any], then: Callable[[Any], None]
    ) -> None:
        if self._asking is not None:
            return
        self.note.setText(f"{title}…")
        self.note.show()
        paper = self._paper

        def done(result: Any) -> None:
            self._asking = None
            if paper == self._paper:
                self.note.hide()
                then(result)

        def failed(problem: Problem) -> None:
            self._asking = None
            self.note.setText(f"{problem.message} {problem.hint}".strip())
            if problem.report:
                self.failed.emit(problem)
            self._show()

        self._asking = self._jobs.run(title, work, done, on_failed=failed, lane=Lane.network)
        self._show()

    def _told(self, report: CitationReport) -> None:
        problems = [failure.why for failure in report.failures]
        problems += [remark.why for remark in report.remarks]
        self.note.setText(" ".join(problems))
        self.note.setVisible(bool(problems))
        self._reload()

    def _named(self, known: int) -> None:
        if not known:
            self.note.setText(tr("Semantic Scholar does not know what these are called."))
            self.note.show()
        self._reload()

    def _added(self) -> None:
        self._reload()
        self.came.emit()

    def _reload(self) -> None:
        self._loaded.clear()
        self._loading.clear()
        self.load()
        self._show()

    def _arrive(self, paper: PaperId, tab: int, found: Sequence[Alike] | Ring) -> None:
        if paper == self._paper:
            self._loading.discard(tab)
            self._loaded[tab] = found
            self._show()

    def _fail_loading(self, paper: PaperId, tab: int, problem: Problem) -> None:
        if paper == self._paper:
            self._loading.discard(tab)
            self.note.setText(f"{problem.message} {problem.hint}".strip())
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
        ring = found if isinstance(found, Ring) else None
        self.fetch.setVisible(ring is not None and _can_ask(ring))
        self.fetch.setText(tr("Ask again") if ring and ring.asked else tr("Fetch citations"))
        self.titles.setVisible(ring is not None and ring.untitled > 0)
        self.in_list.setVisible(len(ring.held) > 1 if ring else bool(found))
        for button in (self.fetch, self.titles):
            button.setEnabled(self._asking is None)
        if found is None:
            html = say("…", theme)
        elif isinstance(found, Ring):
            html = ring_text(found, SIDES[tab], theme, None if self._whole else FEW)
        else:
            html = alike_text(found, theme)
        self.text.show_html(html)
        self.text.setAccessibleName(TABS[tab][1])

    def _follow(self, url: QUrl) -> None:
        what = url.scheme()
        argument = url.path(QUrl.ComponentFormattingOption.FullyDecoded)
        if what == PAPER:
            self.paper_wanted.emit(PaperId(int(argument)))
        elif what == ADD:
            self.add(Identifier(*argument.split("=", 1)))
        elif what == MORE:
            self._whole = True
            self._show()
        elif what in ("http", "https"):
            QDesktopServices.openUrl(url)

    def _list(self) -> None:
        found = self._loaded.get(self.tabs.current)
        if isinstance(found, Ring):
            if SIDES[self.tabs.current] is Side.references:
                what = tr("Cited by “{title}”", title=self._title)
            else:
                what = tr("Citing “{title}”", title=self._title)
            self.papers_wanted.emit(list(found.held), what)
        else:
            self.similar_wanted.emit()

    def _build(self) -> None:
        self.tabs = Segments(tr("Around this paper"), TABS)
        self.tabs.setProperty("tight", True)  # no panel gets narrower than they are
        self.tabs.chosen.connect(lambda _: self._turn())
        self.text = GrownText(TABS[0][1])
        self.text.anchorClicked.connect(self._follow)
        self.note = styled(QLabel(wordWrap=True), "notice")
        self.note.hide()
        self.fetch = QPushButton(tr("Fetch citations"))
        self.fetch.setToolTip(tr("Asks Semantic Scholar, and PubMed where that does not know"))
        self.fetch.clicked.connect(self.ask)
        self.titles = styled(QPushButton(tr("Look up titles")), "flush")
        self.titles.setToolTip(tr("Asks Semantic Scholar what these papers are called"))
        self.titles.clicked.connect(self.look_up)
        self.in_list = styled(QPushButton(tr("Show in the list")), "flush")
        self.in_list.clicked.connect(self._list)
        row = QHBoxLayout()
        row.setSpacing(4)
        for button in (self.fetch, self.titles, self.in_list):
            row.addWidget(button)
        row.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.tabs)
        column.addWidget(self.note)
        column.addWidget(self.text)
        column.addLayout(row)
        self._show()

    def _paint(self, theme: Theme) -> None:
        self._show()


def _can_ask(ring: Ring) -> bool:
    """Whether the sources would be asked: they were not, or long ago."""
    return ring.askable and (ring.asked is None or time.time() - ring.asked > STALE)
