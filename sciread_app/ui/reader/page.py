"""The reader page: a tab for each open document."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QTabBar, QToolButton, QWidget

from sciread_app.domain.annotations.annotations import Colour, Highlight
from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr, trc, trn
from sciread_app.services.library.reader import (
    AnnotatedCopy,
    CitedPaper,
    ReaderService,
    RecentPaper,
)
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.page import Page, PaletteEntry
from sciread_app.ui.paper.details_panel import DetailsPanel, citation_style
from sciread_app.ui.paper.gateway import PaperGateway
from sciread_app.ui.reader.document_view import DocumentView
from sciread_app.ui.reader.pages.display import PageDisplay
from sciread_app.ui.reader.recent_papers import RecentPapers
from sciread_app.ui.reader.side.paper_pane import DETAILS, HIGHLIGHTS, PaperPane
from sciread_app.ui.reader.tab import ReaderTab
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Theme, styled
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, save_file
from sciread_app.ui.widgets.dialogs.file_manager import reveal
from sciread_app.ui.widgets.focus import holds_focus
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.messages.empty_state import EmptyState

NOTHING_OPEN = (
    tr("No open papers"),
    tr("Select a paper with a PDF in the library to read it here."),
)
TITLE = 40  # characters of a tab's title
PANE_WIDTH = 320  # pixels, at least
ROOM_FOR_PANE = 960  # pixels, at least: in a narrower page the pane covers the pages
MARGIN, SPARE = 12, 24  # pixels at both sides of the page, and left over
MAX_RESTORED = 30  # maximum number of tabs to restore
MOST_RECENT = 10  # papers listed while no file is open
MAX_LOADED = 3  # documents that stay loaded in the background


class ReaderPage(Page):
    """Keeps the open files in tabs, also over restarts, with a pane for the details and highlights
    of the current one. Files are loaded when their tab is shown, and only the last few stay loaded.
    Without open files, the papers read last are listed."""

    def __init__(self, files: ReaderService, about: PaperGateway, context: AppContext) -> None:
        super().__init__(context.pages)
        self._about = about
        jobs, appearance, memory = context.jobs, context.appearance, context.open_settings()
        self._files, self._jobs, self._appearance = files, jobs, appearance
        self._memory = memory
        self._context = context
        kept = (memory.value(f"reader/{name}", False, type=bool) for name in PageDisplay._fields)
        self._display = PageDisplay(*map(bool, kept))
        self._loaded: list[ReaderTab] = []  # most recently shown last
        # Tabs whose highlights may have changed since they were shown
        self._stale: set[ReaderTab] = set()
        self.bar = styled(_FileTabs(movable=True, expanding=False), "files")
        self.bar.setDocumentMode(True)
        self.bar.setDrawBase(False)
        self.bar.setElideMode(Qt.TextElideMode.ElideRight)
        self.bar.setAccessibleName(tr("Open files"))
        self.bar.tabCloseRequested.connect(self.close_tab)
        self.stack = QStackedWidget()
        self.empty = EmptyState(appearance)
        go_to_library = (tr("Go to library"), lambda: context.navigate.go_to("search"))
        self.empty.show_message("reader", *NOTHING_OPEN, (go_to_library,))
        self.stack.addWidget(self.empty)
        self.recent = RecentPapers()
        self.recent.selected.connect(lambda one: self.read(one.paper.id, one.path))
        self.recent.removed.connect(self._unlist)
        self.recent.library.clicked.connect(lambda: context.navigate.go_to("search"))
        self.stack.addWidget(self.recent)
        self.details: DetailsPanel | None = None  # in the pane; built when it is first shown
        self._without_tabs: QWidget = self.empty  # shown if no file is open
        self._details_of: PaperId | None = None  # links in the details may lead to others
        self.pane = PaperPane(appearance)
        self.pane.setMinimumWidth(PANE_WIDTH)
        self.pane.hide()
        self.pane.switch.selected.connect(self._show_part)
        self.pane.close_button.clicked.connect(self.toggle_pane)
        self.pane.escaped.connect(self._leave_pane)
        self._with_pane = bool(memory.value("reader/details", False, type=bool))
        self._covered = False  # the pane is shown in place of the pages
        self._part = int(str(memory.value("reader/part", DETAILS, type=int)))
        self._split = QSplitter(Qt.Orientation.Horizontal, self)
        self._split.addWidget(self.stack)
        self._split.addWidget(self.pane)
        self._split.setStretchFactor(0, 1)
        self._split.setCollapsible(0, False)
        column(self.bar, (self._split, 1), parent=self, margins=(MARGIN, 6, MARGIN, 0), spacing=2)
        self._restore()
        self.bar.currentChanged.connect(self._go_to)
        self.bar.tabMoved.connect(lambda *_: self._remember())
        self._update_tabs()
        jobs.run(tr("Preparing the reader"), lambda task: files.prepare())
        appearance.changed.connect(self._paint)

    def palette_entries(self) -> Sequence[PaletteEntry]:
        """The open files."""
        return [
            PaletteEntry(
                f"open:{tab.path}",
                tr("Switch to open paper: {title}", title=tab.title),
                trc("a paper that is open", "Open"),
                partial(self._go_to_tab, number),
            )
            for number, tab in enumerate(self.tabs)
        ]

    def _go_to_tab(self, number: int) -> None:
        self._context.navigate.go_to("reader")
        self.bar.setCurrentIndex(number)

    @property
    def tabs(self) -> list[ReaderTab]:
        return [self.bar.tabData(number) for number in range(self.bar.count())]

    @property
    def tab(self) -> ReaderTab | None:
        return self.bar.tabData(self.bar.currentIndex()) if self.bar.count() else None

    @property
    def book(self) -> DocumentView | None:
        """The current document."""
        return self.tab.book if self.tab else None

    def selected(self) -> Sequence[PaperId]:
        return (self.tab.paper,) if self.tab else ()

    def read(self, paper: PaperId, path: Path) -> None:
        """Open this file of the paper in a tab."""
        self._uncover()
        number = next(
            (n for n, tab in enumerate(self.tabs) if (tab.paper, tab.path) == (paper, path)), None
        )
        self.bar.setCurrentIndex(self._add(paper, path) if number is None else number)
        self._show()
        self._remember()

    def refresh(self) -> None:
        self._loaded = [one for one in self._loaded if one is not self.tab]
        self._show()

    def take_focus(self) -> None:
        if self.tab:
            self.tab.take_focus()
        elif self.stack.currentWidget() is self.recent:
            self.recent.take_focus()
        else:
            self.empty.buttons()[0].setFocus()

    def panes(self) -> Sequence[QWidget]:
        if not self.book:
            return (self,)
        return (self.bar, self.book.toolbar, self.book.side, self.book.view, self.pane)

    def window_closes(self) -> bool:
        for tab in self.tabs:
            if tab.book:
                tab.book.save_now()
        return self.details is None or self.details.keep_drafts()

    def find_here(self) -> bool:
        if self.book:
            self._uncover()
            self.book.start_find()
        return self.book is not None

    def library_changed(self, changes: LibraryChanges) -> None:
        if changes.papers:
            self._stale.update(self.tabs)
            for tab in self.tabs:
                if tab.book:
                    tab.book.citations.forget()
            self._list_recent()
            if self.isVisible():
                self._check_for_changes()
                if self.details:
                    self.details.refresh()

    def close_tab(self, number: int = -1) -> None:
        """Close this tab, else the current one."""
        number = self.bar.currentIndex() if number < 0 else number
        tab = self.bar.tabData(number)
        if tab:
            focused, inside = holds_focus(self), holds_focus(tab)
            self.stack.removeWidget(tab)
            self.bar.removeTab(number)
            self._stale.discard(tab)
            self._loaded = [one for one in self._loaded if one is not tab]
            tab.close_file()
            tab.deleteLater()
            self._remember()
            if inside or (focused and not holds_focus(self)):
                self.take_focus()

    def next_tab(self, step: int = 1) -> None:
        if self.bar.count():
            self.bar.setCurrentIndex((self.bar.currentIndex() + step) % self.bar.count())

    def set_display(self, display: PageDisplay) -> None:
        """Show the pages of all files like this, also after a restart."""
        self._display = display
        for name, value in display._asdict().items():
            self._memory.setValue(f"reader/{name}", value)
        for tab in self.tabs:
            tab.set_display(display)

    def toggle_pane(self) -> None:
        """Show or hide the details and highlights: beside the pages, or in their place if there is
        no room beside them."""
        if self._has_room_for_pane():
            self._with_pane = not self._with_pane
            self._memory.setValue("reader/details", self._with_pane)
        else:
            self._covered = not self._covered
        focused = holds_focus(self)
        self._show_pane()
        # Else the focus would leave the page with what has been hidden.
        if self._covered:
            self.pane.take_focus()
        elif focused and not holds_focus(self):
            self.take_focus()

    def show_highlights(self) -> None:
        """Show the list of highlights of the current file."""
        self._show_part(HIGHLIGHTS)
        if self.tab and not self.pane.isVisible():
            self.toggle_pane()

    def highlight(self, colour: Colour) -> None:
        if self.book:
            self.book.highlight(colour)

    def export(self, papers: Sequence[PaperId] = ()) -> None:
        """Export the highlights and notes of these papers, else of the current one."""
        papers = papers or ([self.tab.paper] if self.tab else [])
        title = self.tab.title if self.tab and list(papers) == [self.tab.paper] else tr("Notes")
        name, kinds = f"{_file_name(title)}.md", "Markdown (*.md)"
        if file := save_file(
            self, DialogPurpose.notes, tr("Export highlights and notes"), name, kinds
        ):
            self.save_notes(papers, file)

    def save_notes(self, papers: Sequence[PaperId], path: Path) -> None:
        """Write the highlights and notes of these papers to a Markdown file, in the background."""
        self._jobs.run(
            tr("Exporting highlights and notes"),
            lambda task: self._files.save_markdown(papers, path),
            lambda _: self._context.messages.show_notice(
                tr("Highlights and notes were exported to {name}.", name=path.name)
            ),
            on_failed=self._context.messages.show_problem,
            file=path,
        )

    def save_copy_of_tab(self) -> None:
        """Save a copy of the current file with its annotations."""
        if self.book:
            file = self.book.file
            self.save_copy(file.paper, file.path, file.password)

    def save_copy(self, paper: PaperId, path: Path, password: str = "") -> None:
        """Ask for a name, first in the folder of the file, and save a copy of the file with its
        annotations there."""
        name = tr("{name} (annotated)", name=path.stem) + ".pdf"
        title, purpose = tr("Save a copy with annotations"), DialogPurpose.annotated_copy
        if target := save_file(self, purpose, title, name, "PDF (*.pdf)", path.parent):
            self.write_copy(paper, path, target, password)

    def write_copy(self, paper: PaperId, path: Path, target: Path, password: str = "") -> None:
        """Save a copy of a file of the paper with its annotations as `target`, in the background.
        An existing file is replaced."""

        def done(copy: AnnotatedCopy) -> None:
            lost = (
                ""
                if not copy.lost
                else trn(
                    "{n:,} highlight was left out: this version of the file lacks its text.",
                    "{n:,} highlights were left out: this version of the file lacks their text.",
                    copy.lost,
                )
            )
            self._context.messages.show_notice(
                trn(
                    "{name} was saved with {n:,} annotation.",
                    "{name} was saved with {n:,} annotations.",
                    copy.written,
                    name=target.name,
                ),
                lost,
                (tr("Show in folder"), partial(reveal, target)),
                passes=not lost,
            )

        self._jobs.run(
            tr("Saving {name}", name=target.name),
            lambda task: self._files.save_annotated(paper, path, target, task, password),
            done,
            on_failed=self._context.messages.show_problem,
            queue=JobQueue.long,
        )

    def _add(self, paper: PaperId, path: Path, title: str = "") -> int:
        events = self._context.events
        tab = ReaderTab(paper, path, self._files, self._jobs, self._appearance, events)
        tab.title = title or tab.title
        tab.set_display(self._display)
        tab.opened.connect(self._follow)
        tab.close_requested.connect(lambda: self.close_tab(self.tabs.index(tab)))
        self.stack.addWidget(tab)
        self.bar.blockSignals(True)  # the tab is shown once it knows its file
        number = self.bar.addTab("")
        self.bar.setTabData(number, tab)
        self.bar.setTabButton(number, QTabBar.ButtonPosition.RightSide, self._closer(tab))
        self.bar.blockSignals(False)
        self._update_tabs()
        return number

    def _follow(self, book: DocumentView) -> None:
        """Connect a document that was opened, and show its title."""
        book.removal_requested.connect(self._remove_highlight)
        book.citation_requested.connect(partial(self._copy_with_citation, book))
        book.copied.connect(self._context.toast.show_message)
        book.search_requested.connect(self._context.navigate.search_for)
        book.highlights.export.clicked.connect(lambda: self.export())
        book.highlights.copy.clicked.connect(self.save_copy_of_tab)
        book.display_selected.connect(self.set_display)
        book.pane_toggled.connect(self.toggle_pane)
        book.highlights.opened.connect(lambda _: self._uncover())
        book.citations.card.open_requested.connect(self._open_cited)
        book.citations.card.add_requested.connect(self._context.navigate.add_by_identifier)
        self._update_tabs()
        self._show_pane()
        self._remember()

    def _open_cited(self, cited: CitedPaper) -> None:
        """Read the cited paper, or show it in the library if it has no file."""
        if cited.paper is None or cited.paper.id is None:
            return
        if cited.path:
            self.read(cited.paper.id, cited.path)
        else:
            self._context.navigate.open_paper(cited.paper.id, readable(cited.paper.title))

    def _remove_highlight(self, highlight: Highlight) -> None:
        files = self._files
        self._context.edits.submit(tr("Deleting a highlight"), lambda _: files.remove(highlight))

    def _copy_with_citation(self, book: DocumentView, passage: str, pages: str) -> None:
        """Copy a passage with a citation in the default style."""
        about, paper = self._about, book.paper
        style = citation_style(self._memory, about.styles.all(), about.default_style)

        def done(text: str) -> None:
            QGuiApplication.clipboard().setText(text)
            self._context.toast.show_message(tr("Text copied with citation"))

        self._jobs.run(
            tr("Copying a citation"),
            lambda task: about.quoted(paper, passage, pages, style, task),
            done,
            on_failed=self._context.messages.show_problem,
            replaces="citation of selected text",
        )

    def _closer(self, tab: ReaderTab) -> QToolButton:
        button = styled(QToolButton(), "link")
        button.setToolTip(tr("Close tab (Ctrl+W)"))
        button.setAccessibleName(tr("Close tab"))
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
        self.stack.setCurrentWidget(tab or self._without_tabs)
        self._list_recent()
        # Restored tabs load their file when they are shown.
        if tab and self.isVisible():
            self._keep_loaded(tab)
            self._check_for_changes()
        self._update_tabs()
        self._show_pane()

    def _list_recent(self) -> None:
        """List the papers read last, if no file is open."""
        if self.tab or not self.isVisible():
            return
        unlisted = self._unlisted()

        def work(task: Task) -> list[RecentPaper]:
            read = self._files.recently_read(MOST_RECENT + len(unlisted))
            return [one for one in read if one.at > unlisted.get(str(one.paper.id), 0.0)]

        def show(papers: list[RecentPaper]) -> None:
            focused = holds_focus(self.stack)
            self.recent.show_papers(papers[:MOST_RECENT])
            self._without_tabs = self.recent if papers else self.empty
            if not self.tab:
                self.stack.setCurrentWidget(self._without_tabs)
                if focused:
                    self.take_focus()

        self._jobs.run(
            tr("Listing recently read papers"), work, show, replaces="recently read papers"
        )

    def _unlisted(self) -> dict[str, float]:
        """When the papers that the user removed from the list had been read, by their ids. A paper
        that is read later is listed again."""
        try:
            known = json.loads(str(self._memory.value("reader/unlisted", "{}")))
            return {str(paper): float(at) for paper, at in known.items()}
        except (ValueError, AttributeError, TypeError):
            return {}

    def _unlist(self, recent: RecentPaper) -> None:
        unlisted = self._unlisted() | {str(recent.paper.id): recent.at}
        self._memory.setValue("reader/unlisted", json.dumps(unlisted))
        self._list_recent()

    def _show_part(self, part: int) -> None:
        self._part = part
        self._memory.setValue("reader/part", part)
        self._show_pane()

    def _show_pane(self) -> None:
        """Show the pane of the current paper if it is wanted."""
        tab, has_room = self.tab, self._has_room_for_pane()
        self._covered = self._covered and tab is not None and not has_room
        shown = tab is not None and (self._with_pane if has_room else self._covered)
        if self.book:
            self.book.toolbar.check("pane", shown)
        if tab and shown and self._part == HIGHLIGHTS:
            self.pane.show_part(HIGHLIGHTS, self.book.highlights if self.book else None)
        elif tab and shown:
            self.details = self.details or self._make_details()
            self.pane.show_part(DETAILS, self.details)
            if tab.paper != self._details_of:
                self._details_of = self.details.open_paper = tab.paper
                self.details.show_paper(tab.paper)
        self.stack.setHidden(self._covered)
        self.pane.setVisible(shown)

    def _uncover(self) -> None:
        """Show the pages again if the pane is in their place."""
        if self._covered:
            self.toggle_pane()

    def _leave_pane(self) -> None:
        self._uncover()
        self.take_focus()

    def _has_room_for_pane(self) -> bool:
        # With both, the page must be able to become narrower, or the pane could never be hidden.
        needed = self.stack.minimumSizeHint().width() + PANE_WIDTH + 2 * MARGIN + SPARE
        return self.width() >= max(needed, ROOM_FOR_PANE)

    def _make_details(self) -> DetailsPanel:
        navigate = self._context.navigate
        details = DetailsPanel(self._about, self._context)
        details.setObjectName("")  # the pane has the frame
        details.remember(self._memory)
        details.similar_requested.connect(navigate.show_similar)
        details.search_requested.connect(navigate.search_for)
        details.paper_requested.connect(details.show_paper)
        details.escaped.connect(self._leave_pane)
        return details

    def _keep_loaded(self, tab: ReaderTab) -> None:
        """Each loaded document takes a process and memory: only the most recent stay loaded."""
        if self._loaded[-1:] != [tab]:
            self._loaded = [*(one for one in self._loaded if one is not tab), tab]
            for unloaded in self._loaded[:-MAX_LOADED]:
                unloaded.rest()
            self._loaded = self._loaded[-MAX_LOADED:]
            tab.open()

    def _check_for_changes(self) -> None:
        if self.tab in self._stale:
            self._stale.discard(self.tab)
            if self.book:
                self.book.load_marks()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_pane()

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._show()

    def _update_tabs(self) -> None:
        self.bar.setVisible(self.bar.count() > 0)
        for number, tab in enumerate(self.tabs):
            title = tab.title if len(tab.title) <= TITLE else f"{tab.title[: TITLE - 1]}…"
            # An ampersand would make a mnemonic of the character after it.
            self.bar.setTabText(number, title.replace("&", "&&"))
            self.bar.setTabToolTip(number, f"{tab.title}\n{tab.path}")

    def _paint(self, theme: Theme) -> None:
        for number in range(self.bar.count()):
            button = self.bar.tabButton(number, QTabBar.ButtonPosition.RightSide)
            if isinstance(button, QToolButton):
                button.setIcon(icon("close", theme.quiet))

    def _remember(self) -> None:
        tabs = [[int(tab.paper), str(tab.path), tab.title] for tab in self.tabs[:MAX_RESTORED]]
        self._memory.setValue("reader/tabs", json.dumps(tabs))
        self._memory.setValue("reader/current", self.bar.currentIndex())

    def _restore(self) -> None:
        try:
            known = json.loads(str(self._memory.value("reader/tabs", "[]")))
            for paper, path, title in known:
                self._add(PaperId(int(paper)), Path(path), str(title))
            self.bar.setCurrentIndex(int(str(self._memory.value("reader/current", 0))))
        except (ValueError, TypeError):
            return  # the stored value was edited by hand: open nothing


class _FileTabs(QTabBar):
    """Tabs that the middle button of the mouse closes, as in a browser."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        number = self.tabAt(event.position().toPoint())
        if event.button() is Qt.MouseButton.MiddleButton and number >= 0:
            self.tabCloseRequested.emit(number)
        else:
            super().mouseReleaseEvent(event)


def _file_name(title: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in " -_" else " " for letter in title)
    return " ".join(kept.split())[:80] or tr("Notes")
