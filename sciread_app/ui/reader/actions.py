"""The menu of the reader; it does not import the page, which is built when first shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.domain.annotations.annotations import Colour
from sciread_app.domain.paper import PaperId
from sciread_app.language import tr
from sciread_app.ui.actions import add_action, set_why_not
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.page import Page
from sciread_app.ui.paper_list.card_text import has_pdf

if TYPE_CHECKING:
    from sciread_app.ui.paper_list.paper_list import PaperList, PaperModel
    from sciread_app.ui.reader.document_view import DocumentView
    from sciread_app.ui.reader.page import ReaderPage

Keys = QKeySequence.StandardKey
WHY_NOT = tr("While a paper is read")
HIGHLIGHT = {
    Colour.yellow: tr("Highlight in yellow"),
    Colour.green: tr("Highlight in green"),
    Colour.blue: tr("Highlight in blue"),
    Colour.pink: tr("Highlight in pink"),
    Colour.purple: tr("Highlight in purple"),
}


class ReaderActions:
    """Actions that are enabled while the reader is shown. `read` is enabled while the current paper
    of the search page has a PDF; `add_file` is offered if it has none."""

    def __init__(self, context: AppContext, menu: QMenu, read: QAction, add_file: QAction) -> None:
        self._navigate, self._menu = context.navigate, menu
        self._read, self._add_file = read, add_file
        self._hits: PaperList | None = None
        self._model: PaperModel | None = None
        self._place = ""
        self._actions: list[QAction] = []
        self._on_book(tr("&Find in this file"), "", lambda book: book.start_find())
        self._on_book(tr("Find &next"), "F3", lambda book: book.find_step(1))
        self._on_book(tr("Find pre&vious"), "Shift+F3", lambda book: book.find_step(-1))
        self._on_book(tr("&Go to page…"), "Ctrl+G", lambda book: book.go_to_page_line())
        self._on_book(tr("&Back in the file"), Keys.Back, lambda book: book.back())
        self._on_book(tr("F&orward in the file"), Keys.Forward, lambda book: book.forward())
        menu.addSeparator()
        self._on_book(tr("&Larger"), Keys.ZoomIn, lambda book: book.view.zoom_in(), "Ctrl+=")
        self._on_book(tr("&Smaller"), Keys.ZoomOut, lambda book: book.view.zoom_out())
        self._on_book(tr("&Actual size"), "Ctrl+0", lambda book: book.view.set_zoom("1"))
        self._on_book(tr("As &wide as the window"), "", lambda book: book.view.set_zoom("width"))
        self._on_book(tr("Whole pag&e"), "", lambda book: book.view.set_zoom("page"))
        self._on_book(tr("&Turn the pages"), "Ctrl+R", lambda book: book.view.rotate())
        self._on_page(tr("&Dark pages"), "Ctrl+D", lambda page: page.toggle_dark())
        menu.addSeparator()
        self._on_book(tr("Outline, pages and &marks"), "F9", lambda book: book.toggle_side())
        self._on_book(tr("Show the outline"), "", lambda book: book.show_side(0))
        self._on_book(tr("Show the pages, small"), "", lambda book: book.show_side(1))
        self._on_book(tr("Show highlights and notes"), "", lambda book: book.show_side(2))
        menu.addSeparator()
        self._on_book(tr("Cop&y the chosen text"), "", lambda book: book.copy())
        self._on_book(tr("Choose all te&xt"), "", lambda book: book.choose_all())
        for number, colour in enumerate(Colour, start=1):
            self._on_page(f"{HIGHLIGHT[colour]} ({number})", "", _highlighter(colour))
        self._on_book(tr("Note on the h&ighlight"), "Ctrl+M", lambda book: book.write_note())
        self._on_page(tr("Save &highlights and notes…"), "", lambda page: page.export())
        menu.addSeparator()
        self._on_page(tr("Next file"), "Ctrl+PgDown", lambda page: page.next_tab(1))
        self._on_page(tr("File before"), "Ctrl+PgUp", lambda page: page.next_tab(-1))
        self._on_page(tr("&Close the file"), Keys.Close, lambda page: page.close_tab())
        self.show_place("")

    def live_on(self, hits: PaperList, model: PaperModel) -> None:
        """Follow the current paper of this list."""
        self._hits, self._model = hits, model
        hits.current_changed.connect(lambda _: self._allow())
        model.cards_came.connect(self._allow)

    def show_place(self, place: str) -> None:
        self._place = place
        self._allow()
        for action in self._actions:
            set_why_not(action, "" if place == "reader" else WHY_NOT)

    def offer(self, menu: QMenu) -> None:
        """Add the actions for the selected papers to a context menu."""
        menu.setToolTipsVisible(True)
        menu.addAction(self._read)
        if not self._read.isEnabled():
            menu.addAction(self._add_file)

    def _allow(self) -> None:
        """Enable `read` for the current paper; also while its card is not loaded, as the files are
        looked up on reading."""
        if self._hits is None or self._model is None or self._place != "search":
            self._read.setProperty("why_not", "")
            return
        paper = self._hits.current()
        card = self._model.known(paper) if paper is not None else None
        why = tr("Choose a paper first") if paper is None else ""
        if card is not None and not has_pdf(card):
            why = tr("This paper has no PDF. Add a file to it first.")
        set_why_not(self._read, why)
        self._read.setToolTip(why or self._read.text().replace("&", ""))

    def _on_page(
        self, text: str, keys: str | Keys, do: Callable[[ReaderPage], object], *more: str
    ) -> None:
        def run() -> None:
            do(_reader(self._navigate.other_page("reader")))

        self._actions.append(add_action(self._menu, text, run, keys, *more))

    def _on_book(
        self, text: str, keys: str | Keys, do: Callable[[DocumentView], object], *more: str
    ) -> None:
        self._on_page(text, keys, lambda page: page.book and do(page.book), *more)


def _highlighter(colour: Colour) -> Callable[[ReaderPage], None]:
    return lambda page: page.highlight(colour)


def read_in(page: Page, paper: PaperId, path: Path) -> None:
    _reader(page).read(paper, path)


def save_notes_of(page: Page, papers: Sequence[PaperId]) -> None:
    _reader(page).export(papers)


def _reader(page: Page) -> ReaderPage:
    from sciread_app.ui.reader.page import ReaderPage  # built when first shown

    assert isinstance(page, ReaderPage)
    return page
