"""Screenshots of the reader: empty, highlights, areas, citations, search, dark pages, failures."""

from __future__ import annotations

import textwrap

from PySide6.QtCore import QPoint, QRect, QTimer

from sciread_app.domain.annotations.annotations import Box, Colour
from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.parser import parse
from sciread_app.services.library.reader import CitedPaper
from sciread_app.tasks import Task
from sciread_app.ui.reader.page import ReaderPage
from sciread_app.ui.reader.pages.display import PageDisplay
from sciread_app.ui.reader.pages.painter import AreaSelection
from sciread_app.ui.reader.pages.text_selection import TextPosition, TextSelection
from sciread_app.ui.reader.side.paper_pane import DETAILS
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene, wait
from tests.support.generate.book import locked, make_book
from tests.support.generate.pdf import At as Text

LATER_MS = 200  # after the page is drawn, which hides the card
TITLE = "How bees tell one another where the flowers are"
HEADINGS = ("Introduction", "The dance", "Distance and angle", "Experiments", "What is left open")
PARAGRAPH = (
    "A bee that comes back from a rich field dances on the comb. The others follow her, touch her "
    "with their feelers, and fly off, most of them to the very field from which she came. The "
    "angle of the straight part of the dance to the vertical is the angle of the way to the sun, "
    "and its length is that of the flight. We marked 1,200 bees with numbers and followed them "
    "for three summers. Of those that had followed a dance, 71 in a hundred were seen at the "
    "field that was danced for, and 4 in a hundred at one that was not. "
)


def empty(window: MainWindow) -> None:
    window.go_to("reader")


def paper(window: MainWindow) -> None:
    path = window._home / "bees.pdf"
    path.write_bytes(article())
    window.read(PaperId(1), path)
    page = _page(window)
    wait(lambda: page.book is not None and page.book.pictures.text(0) is not None)
    assert page.book
    letters = page.book.pictures.text(0)
    assert letters
    text = letters.letters.text
    for words, colour in (("A bee that comes", Colour.yellow), ("We marked", Colour.green)):
        start = text.index(words)
        page.book.view.marks.selection = TextSelection(
            TextPosition(0, start), TextPosition(0, start + 180)
        )
        before = len(page.book.marked.here)
        page.book.highlight(colour)
        wait(lambda before=before: len(page.book.marked.here) > before)
    page.book.annotate(page.book.marked.here[0], "Does the wind matter? See the third summer.")
    page.book.show_side(0)


def marks(window: MainWindow) -> None:
    book = _page(window).book
    assert book
    book.citations.hide()
    _page(window).show_highlights()
    wait(lambda: bool(book.marked.here[0].note))
    book.highlights.choose(book.marked.here[0].id)
    book.write_note()


def details(window: MainWindow) -> None:
    page = _page(window)
    page.take_focus()
    page.pane.switch.selected.emit(DETAILS)


def area(window: MainWindow) -> None:
    """Show a selected area with its bar, beside the highlights."""
    page = _page(window)
    page.show_highlights()
    assert page.book
    view = page.book.view
    view.marks.area = AreaSelection(0, Box(310.0, 90.0, 540.0, 230.0))
    view.area_tool.changed.emit()


def citation(window: MainWindow) -> None:
    """Show the card of a citation of a paper in the library."""
    book = _page(window).book
    assert book and window.gateway
    view, card = book.view, book.citations.card
    found = window.gateway.about.details(PaperId(2), parse(""), Task())
    card.show_cited(CitedPaper("", found.paper))

    def show() -> None:
        corner = view.viewport().mapTo(book, QPoint())
        target = view.box_rect(0, Box(120.0, 300.0, 240.0, 312.0)).translated(corner)
        card.show_beside(target, QRect(corner, view.viewport().size()))

    QTimer.singleShot(LATER_MS, book, show)


def search(window: MainWindow) -> None:
    book = _page(window).book
    assert book
    book.start_find()
    book.finding.bar.take_focus("danced for")
    wait(lambda: " of " in book.finding.bar.count.text())


def dark(window: MainWindow) -> None:
    page = _page(window)
    assert page.book
    page.book.show_side(1)
    page.set_display(PageDisplay(dark=True, two_pages=True))


def password(window: MainWindow) -> None:
    _page(window).set_display(PageDisplay())
    path = window._home / "a-locked-report.pdf"
    path.write_bytes(locked("Secret", "hive"))
    window.read(PaperId(2), path)


def damaged(window: MainWindow) -> None:
    path = window._home / "cut-off-download.pdf"
    path.write_bytes(article()[:900])
    window.read(PaperId(3), path)


SCENES = (
    Scene("reader-empty", empty),
    Scene("reader", paper, EVERYWHERE),
    Scene("reader-citation", citation, (100, 200)),
    Scene("reader-marks", marks, EVERYWHERE),
    Scene("reader-details", details, (100, 200)),
    Scene("reader-area", area, (100, 200)),
    Scene("reader-search", search),
    Scene("reader-night", dark),
    Scene("reader-password", password),
    Scene("reader-damaged", damaged),
)


def article() -> bytes:
    """Return a PDF of six pages in two columns."""
    pages = []
    for number in range(6):
        page = [Text(TITLE, 20, 60, 740, bold=True)] if number == 0 else []
        top = 700 if number == 0 else 750
        for column, left in enumerate((60, 315)):
            heading = HEADINGS[(2 * number + column) % len(HEADINGS)]
            page.append(Text(f"{number + 1}.{column + 1}  {heading}", 12, left, top, bold=True))
            lines = textwrap.wrap(PARAGRAPH * 5, 50)
            page += [Text(line, 9, left, top - 22 - 13 * n) for n, line in enumerate(lines[:48])]
        pages.append(page)
    outline = [(f"{n + 1}  {heading}", n) for n, heading in enumerate(HEADINGS)]
    return make_book(pages=pages, outline=outline)


def _page(window: MainWindow) -> ReaderPage:
    page = window.other_page("reader")
    assert isinstance(page, ReaderPage)
    return page
