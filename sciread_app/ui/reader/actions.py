"""The actions of the reader."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence

from sciread_app.domain.annotations.annotations import Colour
from sciread_app.language import tr
from sciread_app.ui.actions import LINE, Action, ActionTable, Section
from sciread_app.ui.reader.highlight_colours import HIGHLIGHT_IN

if TYPE_CHECKING:
    from sciread_app.ui.reader.document_view import DocumentView
    from sciread_app.ui.reader.page import ReaderPage

StandardKey = QKeySequence.StandardKey


def _in_file(do: Callable[[DocumentView], object]) -> Callable[[ReaderPage], object]:
    """Return a function that does something with the file that is shown, if any."""
    return lambda page: page.book and do(page.book)


def _highlight(colour: Colour, page: ReaderPage) -> None:
    page.highlight(colour)


ACTIONS: ActionTable[ReaderPage] = ActionTable((
    Section("file/export", (
        Action(tr("Export &highlights and notes…"), lambda page: page.export()),
        Action(tr("Save a copy with annotations…"), lambda page: page.save_copy_of_tab()),
    )),
    Section("edit/reader", (
        Action(tr("Cop&y selected text"), _in_file(lambda book: book.copy())),
        Action(tr("Copy selected text with ci&tation"), _in_file(lambda book: book.cite()),
            "Ctrl+Shift+C"),
        Action(tr("Select all te&xt"), _in_file(lambda book: book.choose_all())),
        Action(tr("Select area"), _in_file(lambda book: book.select_area()), "Ctrl+Shift+A"),
    )),
    Section("edit/reader", (
        *(Action(f"{HIGHLIGHT_IN[colour]} ({number})", partial(_highlight, colour))
           for number, colour in enumerate(Colour, start=1)),
        Action(tr("Edit h&ighlight note"), _in_file(lambda book: book.write_note()), "Ctrl+M"),
    ), submenu=tr("&Highlight"), titled=False),
    Section("edit/find", (
        Action(tr("Find in fi&le"), _in_file(lambda book: book.start_find())),
        Action(tr("Find &next"), _in_file(lambda book: book.finding.step(1)), "F3"),
        Action(tr("Find pre&vious"), _in_file(lambda book: book.finding.step(-1)), "Shift+F3"),
    )),
    Section("view/reader", (
        Action(tr("&Zoom in"), _in_file(lambda book: book.view.zoom_in()),
            (StandardKey.ZoomIn, "Ctrl+=")),
        Action(tr("Zoom o&ut"), _in_file(lambda book: book.view.zoom_out()), StandardKey.ZoomOut),
        Action(tr("&Actual size"), _in_file(lambda book: book.view.set_zoom("1")), "Ctrl+0"),
        Action(tr("Fit &width"), _in_file(lambda book: book.view.set_zoom("width"))),
        Action(tr("Fit pag&e"), _in_file(lambda book: book.view.set_zoom("page"))),
        Action(tr("&Rotate"), _in_file(lambda book: book.view.rotate()), "Ctrl+R"),
        Action(tr("&Two pages"), _in_file(lambda book: book.toggle_two_pages())),
        Action(tr("Two pages with co&ver"), _in_file(lambda book: book.toggle_cover())),
        Action(tr("&Dark pages"), _in_file(lambda book: book.toggle_dark()), "Ctrl+D"),
        LINE,
        Action(tr("Reader &sidebar"), _in_file(lambda book: book.toggle_side()), "F9"),
        Action(tr("Details and highlights"), lambda page: page.toggle_pane(), "Ctrl+I"),
        Action(tr("Show outline"), _in_file(lambda book: book.show_side(0))),
        Action(tr("Show thumbnails"), _in_file(lambda book: book.show_side(1))),
        Action(tr("Show highlights and notes"), lambda page: page.show_highlights()),
    ), submenu=tr("&Reader"), titled=False),
    Section("go/reader", (
        Action(tr("&Go to page…"), _in_file(lambda book: book.go_to_page_line()), "Ctrl+G"),
        Action(tr("Back in &file"), _in_file(lambda book: book.back()), StandardKey.Back),
        Action(tr("F&orward in file"), _in_file(lambda book: book.forward()), StandardKey.Forward),
        Action(tr("Show cite&d paper"), _in_file(lambda book: book.show_cited()), "Ctrl+Shift+D"),
        LINE,
        Action(tr("&Next tab"), lambda page: page.next_tab(1), "Ctrl+PgDown"),
        Action(tr("&Previous tab"), lambda page: page.next_tab(-1), "Ctrl+PgUp"),
        Action(tr("&Close tab"), lambda page: page.close_tab(), StandardKey.Close),
    )),
), tr("Available in the reader"))  # fmt: skip
