"""The page on which papers are read: a tab for each file that is open."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSettings, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.paper import Changes, PaperId
from sciread_app.domain.reading import Colour
from sciread_app.language import tr
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.file_dialogs import Purpose, save_file
from sciread_app.ui.icons import icon
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.page import Page
from sciread_app.ui.reader.book import Book
from sciread_app.ui.reader.tab import Tab
from sciread_app.ui.reader.values import Files
from sciread_app.ui.theme import Appearance, Theme, styled

NOTHING_OPEN = (
    tr("No paper is open"),
    tr("Choose a paper that has a PDF, and press Ctrl+Shift+Return to read it here."),
)
TITLE = 40  # letters of a tab
MOST = 30  # tabs that are remembered
AWAKE = 3  # files that are kept open while others are looked at


class ReaderPage(Page):
    edited = Signal()  # what is marked in a file
    problem = Signal(object)  # Problem
    notice = Signal(str, str)
    library_wanted = Signal()

    def __init__(self, files: Files, jobs: Jobs, appearance: Appearance, memory: QSettings) -> None:
        super().__init__()
        self._files, self._jobs, self._appearance = files, jobs, appearance
        self._memory = memory
        self._dark = bool(memory.value("reader/dark", False, type=bool))
        self._awake: list[Tab] = []  # the one looked at last comes last
        self._stale: set[Tab] = set()  # whose marks may have changed since they were looked at
        self.bar = styled(QTabBar(movable=True, expanding=False), "files")
        self.bar.setDocumentMode(True)
        self.bar.setDrawBase(False)
        self.bar.setElideMode(Qt.TextElideMode.ElideRight)
        self.bar.setAccessibleName(tr("Open files"))
        self.stack = QStackedWidget()
        self.empty = EmptyState(appearance)
        self.empty.say(
            "reader", *NOTHING_OPEN, ((tr("Go to the library"), self.library_wanted.emit),)
        )
        self.stack.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 6, 12, 0)
        column.setSpacing(2)
        column.addWidget(self.bar)
        column.addWidget(self.stack, 1)
        self._restore()
        self.bar.currentChanged.connect(self._go_to)
        self.bar.tabMoved.connect(lambda *_: self._remember())
        self._tell()
        jobs.run(tr("Preparing to read"), lambda task: files.prepare(), lane=Lane.light)
        appearance.changed.connect(self._paint)

    @property
    def tabs(self) -> list[Tab]:
        return [self.bar.tabData(number) for number in range(self.bar.count())]

    @property
    def tab(self) -> Tab | None:
        return self.bar.tabData(self.bar.currentIndex()) if self.bar.count() else None

    @property
    def book(self) -> Book | None:
        """The file that is read."""
        return self.tab.book if self.tab else None

    def chosen(self) -> Sequence[PaperId]:
        return (self.tab.paper,) if self.tab else ()

    def read(self, paper: PaperId, path: Path) -> None:
        """Show this file of the paper."""
        number = next(
            (n for n, tab in enumerate(self.tabs) if (tab.paper, tab.path) == (paper, path)), None
        )
        self.bar.setCurrentIndex(self._add(paper, path) if number is None else number)
        self._show()
        self._remember()

    def refresh(self) -> None:
        self._awake = [one for one in self._awake if one is not self.tab]
        self._show()

    def take_focus(self) -> None:
        if self.tab:
            self.tab.take_focus()
        else:
            self.empty.buttons()[0].setFocus()

    def panes(self) -> Sequence[QWidget]:
        if not self.book:
            return (self,)
        return (self.bar, self.book.toolbar, self.book.side, self.book.view)

    def window_closes(self) -> None:
        for tab in self.tabs:
            if tab.book:
                tab.book.keep_now()

    def find_here(self) -> bool:
        if self.book:
            self.book.find_words()
        return self.book is not None

    def library_changed(self, changes: Changes) -> None:
        if changes.papers:
            self._stale.update(self.tabs)
            if self.isVisible():
                self._look_again()

    def close_tab(self, number: int = -1) -> None:
        """The file that is read, if no other is named."""
        number = self.bar.currentIndex() if number < 0 else number
        tab = self.bar.tabData(number)
        if tab:
            self.stack.removeWidget(tab)
            self.bar.removeTab(number)
            self._stale.discard(tab)
            self._awake = [one for one in self._awake if one is not tab]
            tab.close_file()
            tab.deleteLater()
            self._remember()

    def next_tab(self, step: int = 1) -> None:
        if self.bar.count():
            self.bar.setCurrentIndex((self.bar.currentIndex() + step) % self.bar.count())

    def set_dark(self, dark: bool) -> None:
        self._dark = dark
        self._memory.setValue("reader/dark", dark)
        for tab in self.tabs:
            tab.set_dark(dark)

    def toggle_dark(self) -> None:
        self.set_dark(not self._dark)

    def highlight(self, colour: Colour) -> None:
        if self.book:
            self.book.highlight(colour)

    def export(self, papers: Sequence[PaperId] = ()) -> None:
        """Save what was marked and noted in these papers, or in the one that is read."""
        papers = papers or ([self.tab.paper] if self.tab else [])
        title = self.tab.title if self.tab and list(papers) == [self.tab.paper] else tr("Notes")
        name, kinds = f"{_file_name(title)}.md", "Markdown (*.md)"
        if file := save_file(self, Purpose.notes, tr("Save highlights and notes"), name, kinds):
            self.save_notes(papers, file)

    def save_notes(self, papers: Sequence[PaperId], path: Path) -> None:
        self._jobs.run(
            tr("Saving highlights and notes"),
            lambda task: self._files.save_markdown(papers, path),
            lambda _: self.notice.emit(
                tr("Highlights and notes were saved in {name}.", name=path.name), ""
            ),
            on_failed=self.problem.emit,
            lane=Lane.light,
        )

    def _add(self, paper: PaperId, path: Path, title: str = "") -> int:
        tab = Tab(paper, path, self._files, self._jobs, self._appearance)
        tab.title = title or tab.title
        tab.set_dark(self._dark)
        tab.titled.connect(self._tell)
        tab.titled.connect(self._remember)
        tab.edited.connect(self.edited)
        tab.export_wanted.connect(self.export)
        tab.dark_chosen.connect(self.set_dark)
        self.stack.addWidget(tab)
        self.bar.blockSignals(True)  # it is shown once it knows its file
        number = self.bar.addTab("")
        self.bar.setTabData(number, tab)
        self.bar.setTabButton(number, QTabBar.ButtonPosition.RightSide, self._closer(tab))
        self.bar.blockSignals(False)
        self._tell()
        return number

    def _closer(self, tab: Tab) -> QToolButton:
        button = styled(QToolButton(), "link")
        button.setToolTip(tr("Close the file (Ctrl+W)"))
        button.setAccessibleName(tr("Close the file"))
        button.setIconSize(QSize(12, 12))
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setIcon(icon("close", self._appearance.theme.quiet))
        button.clicked.connect(lambda: self.close_tab(self.tabs.index(tab)))
        return button

    def _go_to(self, _: int) -> None:
        self._show()
        self._remember()

    def _show(self) -> None:
        tab = self.tab
        self.stack.setCurrentWidget(tab or self.empty)
        # Remembered tabs are opened only when they are looked at.
        if tab and self.isVisible():
            self._wake(tab)
            self._look_again()
        self._tell()

    def _wake(self, tab: Tab) -> None:
        """Each open file takes a process and some memory: those looked at last keep theirs."""
        if self._awake[-1:] != [tab]:
            self._awake = [*(one for one in self._awake if one is not tab), tab]
            for sleepy in self._awake[:-AWAKE]:
                sleepy.rest()
            self._awake = self._awake[-AWAKE:]
            tab.open()

    def _look_again(self) -> None:
        if self.tab in self._stale:
            self._stale.discard(self.tab)
            if self.book:
                self.book.load_marks()

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._show()

    def _tell(self) -> None:
        self.bar.setVisible(self.bar.count() > 0)
        for number, tab in enumerate(self.tabs):
            title = tab.title if len(tab.title) <= TITLE else f"{tab.title[: TITLE - 1]}…"
            # An ampersand would make a key of the letter after it.
            self.bar.setTabText(number, title.replace("&", "&&"))
            self.bar.setTabToolTip(number, f"{tab.title}\n{tab.path}")

    def _paint(self, theme: Theme) -> None:
        for number in range(self.bar.count()):
            button = self.bar.tabButton(number, QTabBar.ButtonPosition.RightSide)
            if isinstance(button, QToolButton):
                button.setIcon(icon("close", theme.quiet))

    def _remember(self) -> None:
        tabs = [[int(tab.paper), str(tab.path), tab.title] for tab in self.tabs[:MOST]]
        self._memory.setValue("reader/tabs", json.dumps(tabs))
        self._memory.setValue("reader/current", self.bar.currentIndex())

    def _restore(self) -> None:
        try:
            known = json.loads(str(self._memory.value("reader/tabs", "[]")))
            for paper, path, title in known:
                self._add(PaperId(int(paper)), Path(path), str(title))
            self.bar.setCurrentIndex(int(str(self._memory.value("reader/current", 0))))
        except (ValueError, TypeError):
            return  # somebody has written into the file: nothing is open then


def _file_name(title: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in " -_" else " " for letter in title)
    return " ".join(kept.split())[:80] or tr("Notes")
