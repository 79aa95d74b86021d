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
from sciread_app.ui.actions import ActionRegistry, Keys, PageActions
from sciread_app.ui.page import Page
from sciread_app.ui.paper_list.card_text import has_pdf
from sciread_app.ui.reader.highlight_colours import HIGHLIGHT_IN

if TYPE_CHECKING:
    from sciread_app.ui.paper_list.paper_list import PaperList, PaperModel
    from sciread_app.ui.reader.document_view import DocumentView
    from sciread_app.ui.reader.page import ReaderPage

StandardKey = QKeySequence.StandardKey


class ReaderActions(PageActions["ReaderPage"]):
    """Actions that are enabled while the reader is shown. `read` is enabled while the current paper
    of the search page has a PDF; `add_file` is offered if it has none."""

    def __init__(
        self, actions: ActionRegistry, menu: QMenu, read: QAction, add_file: QAction
    ) -> None:
        super().__init__(actions, menu, "reader", tr("Available in the reader"))
        self._read, self._add_file = read, add_file
        add = self._add_for_book
        add(tr("&Find in file"), lambda book: book.start_find())
        add(tr("Find &next"), lambda book: book.finding.step(1), "F3")
        add(tr("Find pre&vious"), lambda book: book.finding.step(-1), "Shift+F3")
        add(tr("&Go to page…"), lambda book: book.go_to_page_line(), "Ctrl+G")
        add(tr("&Back"), lambda book: book.back(), StandardKey.Back)
        add(tr("F&orward"), lambda book: book.forward(), StandardKey.Forward)
        menu.addSeparator()
        add(tr("&Zoom in"), lambda book: book.view.zoom_in(), StandardKey.ZoomIn, "Ctrl+=")
        add(tr("Zoom o&ut"), lambda book: book.view.zoom_out(), StandardKey.ZoomOut)
        add(tr("&Actual size"), lambda book: book.view.set_zoom("1"), "Ctrl+0")
        add(tr("Fit &width"), lambda book: book.view.set_zoom("width"))
        add(tr("Fit pag&e"), lambda book: book.view.set_zoom("page"))
        add(tr("&Rotate"), lambda book: book.view.rotate(), "Ctrl+R")
        self.add(tr("&Dark pages"), lambda page: page.toggle_dark(), "Ctrl+D")
        menu.addSeparator()
        add(tr("Reader &sidebar"), lambda book: book.toggle_side(), "F9")
        self.add(tr("Details of the paper"), lambda page: page.toggle_details(), "Ctrl+I")
        add(tr("Show outline"), lambda book: book.show_side(0))
        add(tr("Show thumbnails"), lambda book: book.show_side(1))
        add(tr("Show highlights and notes"), lambda book: book.show_side(2))
        menu.addSeparator()
        add(tr("Cop&y selected text"), lambda book: book.copy())
        add(tr("Copy selected text with ci&tation"), lambda book: book.cite(), "Ctrl+Shift+C")
        add(tr("Select all te&xt"), lambda book: book.choose_all())
        for number, colour in enumerate(Colour, start=1):
            self.add(f"{HIGHLIGHT_IN[colour]} ({number})", _highlighter(colour))
        add(tr("Edit h&ighlight note"), lambda book: book.write_note(), "Ctrl+M")
        self.add(tr("Export &highlights and notes…"), lambda page: page.export())
        menu.addSeparator()
        self.add(tr("Next tab"), lambda page: page.next_tab(1), "Ctrl+PgDown")
        self.add(tr("Previous tab"), lambda page: page.next_tab(-1), "Ctrl+PgUp")
        self.add(tr("&Close tab"), lambda page: page.close_tab(), StandardKey.Close)

    def follow_list(self, hits: PaperList, model: PaperModel) -> None:
        """Offer to read the current paper of this list if it has a PDF."""

        def allow() -> None:
            paper = hits.current()
            # Also while its card is not loaded: the files are looked up on reading.
            card = model.known(paper) if paper is not None else None
            why = tr("Select a paper first") if paper is None else ""
            if card is not None and not has_pdf(card):
                why = tr("This paper has no PDF. Add a file first.")
            self.registry.set_why_not(self._read, why)
            self._read.setToolTip(why or self._read.text().replace("&", ""))

        hits.current_changed.connect(lambda _: allow())
        model.cards_loaded.connect(allow)
        allow()

    def offer(self, menu: QMenu) -> None:
        """Add the actions for the selected papers to a context menu."""
        menu.setToolTipsVisible(True)
        menu.addAction(self._read)
        if not self._read.isEnabled():
            menu.addAction(self._add_file)

    def _add_for_book(self, text: str, do: Callable[[DocumentView], object], *keys: Keys) -> None:
        self.add(text, lambda page: page.book and do(page.book), *keys)


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
