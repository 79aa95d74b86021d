"""The menu entries of the reader. It does not import the page, which is built when first shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.domain.annotations.annotations import Colour
from sciread_app.domain.paper import PaperId
from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, PageActions
from sciread_app.ui.page import Page
from sciread_app.ui.paper_list.card_text import has_pdf
from sciread_app.ui.reader.highlight_colours import HIGHLIGHT_IN

if TYPE_CHECKING:
    from sciread_app.ui.paper_list.paper_list import PaperList, PaperModel
    from sciread_app.ui.reader.document_view import DocumentView
    from sciread_app.ui.reader.page import ReaderPage

StandardKey = QKeySequence.StandardKey


class ReaderActions:
    """The entries in the menus of the window, which are available while the reader is shown. `read`
    is available while the current paper of the search page has a PDF; `add_file` is offered if it
    has none."""

    def __init__(self, actions: ActionRegistry, read: QAction, add_file: QAction) -> None:
        self._registry = actions
        self._read, self._add_file = read, add_file

    def fill_file(self, file: QMenu) -> None:
        add = self._of_page(file).add
        add(tr("Export &highlights and notes…"), lambda page: page.export())
        add(tr("Save a copy with annotations…"), lambda page: page.save_copy_of_tab())

    def fill_edit(self, edit: QMenu) -> None:
        page = self._of_page(edit)
        page.add(tr("Cop&y selected text"), _in_file(lambda book: book.copy()))
        cite = tr("Copy selected text with ci&tation")
        page.add(cite, _in_file(lambda book: book.cite()), "Ctrl+Shift+C")
        page.add(tr("Select all te&xt"), _in_file(lambda book: book.choose_all()))
        page.add(tr("Select area"), _in_file(lambda book: book.select_area()), "Ctrl+Shift+A")

    def fill_highlight(self, highlight: QMenu) -> None:
        add = self._of_page(highlight).add
        for number, colour in enumerate(Colour, start=1):
            add(f"{HIGHLIGHT_IN[colour]} ({number})", _highlighter(colour))
        add(tr("Edit h&ighlight note"), _in_file(lambda book: book.write_note()), "Ctrl+M")

    def fill_find(self, edit: QMenu) -> None:
        add = self._of_page(edit).add
        add(tr("Find in fi&le"), _in_file(lambda book: book.start_find()))
        add(tr("Find &next"), _in_file(lambda book: book.finding.step(1)), "F3")
        add(tr("Find pre&vious"), _in_file(lambda book: book.finding.step(-1)), "Shift+F3")

    def fill_view(self, view: QMenu) -> None:
        add = self._of_page(view).add
        zoom_in, zoom_out = tr("&Zoom in"), tr("Zoom o&ut")
        add(zoom_in, _in_file(lambda book: book.view.zoom_in()), StandardKey.ZoomIn, "Ctrl+=")
        add(zoom_out, _in_file(lambda book: book.view.zoom_out()), StandardKey.ZoomOut)
        add(tr("&Actual size"), _in_file(lambda book: book.view.set_zoom("1")), "Ctrl+0")
        add(tr("Fit &width"), _in_file(lambda book: book.view.set_zoom("width")))
        add(tr("Fit pag&e"), _in_file(lambda book: book.view.set_zoom("page")))
        add(tr("&Rotate"), _in_file(lambda book: book.view.rotate()), "Ctrl+R")
        add(tr("&Two pages"), _in_file(lambda book: book.toggle_two_pages()))
        add(tr("Two pages with co&ver"), _in_file(lambda book: book.toggle_cover()))
        add(tr("&Dark pages"), _in_file(lambda book: book.toggle_dark()), "Ctrl+D")
        view.addSeparator()
        add(tr("Reader &sidebar"), _in_file(lambda book: book.toggle_side()), "F9")
        add(tr("Details and highlights"), lambda page: page.toggle_pane(), "Ctrl+I")
        add(tr("Show outline"), _in_file(lambda book: book.show_side(0)))
        add(tr("Show thumbnails"), _in_file(lambda book: book.show_side(1)))
        add(tr("Show highlights and notes"), lambda page: page.show_highlights())

    def fill_go(self, go: QMenu) -> None:
        add = self._of_page(go).add
        add(tr("&Go to page…"), _in_file(lambda book: book.go_to_page_line()), "Ctrl+G")
        add(tr("Back in &file"), _in_file(lambda book: book.back()), StandardKey.Back)
        add(tr("F&orward in file"), _in_file(lambda book: book.forward()), StandardKey.Forward)
        add(tr("Show cite&d paper"), _in_file(lambda book: book.show_cited()), "Ctrl+Shift+D")
        go.addSeparator()
        add(tr("&Next tab"), lambda page: page.next_tab(1), "Ctrl+PgDown")
        add(tr("&Previous tab"), lambda page: page.next_tab(-1), "Ctrl+PgUp")
        add(tr("&Close tab"), lambda page: page.close_tab(), StandardKey.Close)

    def follow_list(self, hits: PaperList, model: PaperModel) -> None:
        """Offer to read the current paper of this list if it has a PDF."""

        def allow() -> None:
            paper = hits.current()
            # Also while its card is not loaded: the files are looked up on reading.
            card = model.known(paper) if paper is not None else None
            why = tr("Select a paper first") if paper is None else ""
            if card is not None and not has_pdf(card):
                why = tr("This paper has no PDF. Add a file first.")
            self._registry.set_why_not(self._read, why)
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

    def _of_page(self, menu: QMenu) -> PageActions[ReaderPage]:
        return PageActions(self._registry, menu, "reader", tr("Available in the reader"))


def _in_file(do: Callable[[DocumentView], object]) -> Callable[[ReaderPage], object]:
    """Return a function that does something with the file that is shown, if any."""
    return lambda page: page.book and do(page.book)


def _highlighter(colour: Colour) -> Callable[[ReaderPage], None]:
    return lambda page: page.highlight(colour)


def read_in(page: Page, paper: PaperId, path: Path) -> None:
    _reader(page).read(paper, path)


def save_notes_of(page: Page, papers: Sequence[PaperId]) -> None:
    _reader(page).export(papers)


def save_copy_of(page: Page, paper: PaperId, path: Path) -> None:
    _reader(page).save_copy(paper, path)


def _reader(page: Page) -> ReaderPage:
    from sciread_app.ui.reader.page import ReaderPage  # built when first shown

    assert isinstance(page, ReaderPage)
    return page
