"""A minute of typical use of the window: typing, selecting, sorting, opening."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sciread_app.domain.paper import Order
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.page_registry import PAGES
from sciread_app.ui.style.theme import ThemeChoice

SCROLLS, OPENED = 40, 15


def working_day(window: MainWindow) -> Iterator[str]:
    """Do one action after another and yield its description; the caller waits in between."""
    yield from _type(window, "superconducting films")
    yield from _filter(window)
    yield from _type(window, "")
    yield from _sort(window)
    yield from _scroll(window)
    yield from _open_papers(window)
    yield from _organise(window)
    yield from _look_around(window)


def _type(window: MainWindow, text: str) -> Iterator[str]:
    window.go_to_box()
    assert window.page
    window.page.search_box.set_text("")
    yield "clearing the box"
    for letter in text:
        QTest.keyClicks(window.page.search_box.edit, letter)
        yield "typing"


def _filter(window: MainWindow) -> Iterator[str]:
    assert window.page
    for fragment in ("year:2012..2018", "is:unread"):
        window.page.set_scope(fragment)
        yield "filtering"
    window.page.show_similar(window.page.result_list.chosen()[:1])
    yield "similar papers"
    window.page.set_scope("")
    yield "filtering"


def _sort(window: MainWindow) -> Iterator[str]:
    assert window.page
    for order in (Order.title, Order.author, Order.venue, Order.year, Order.added):
        window.page.sort_by(order)
        yield "sorting"


def _scroll(window: MainWindow) -> Iterator[str]:
    assert window.page
    bar = window.page.result_list.verticalScrollBar()
    for n in range(SCROLLS):
        bar.setValue(bar.maximum() * n // SCROLLS)
        yield "scrolling"


def _open_papers(window: MainWindow) -> Iterator[str]:
    assert window.page
    for row in range(min(OPENED, window.page.model.rowCount())):
        window.page.result_list.go_to(row)
        yield "opening a paper"
    window.page.open_paper()
    yield "the page of a paper"
    window.page.close_paper()
    yield "the page of a paper"


def _organise(window: MainWindow) -> Iterator[str]:
    assert window.page
    window.page.result_list.selectAll()
    yield "choosing all papers"
    if chosen := window.page.result_list.chosen()[:1_000]:
        window.context.edits.submit(
            "Tagged papers", lambda organise: organise.tag(chosen, "of the day")
        )
        yield "tagging 1,000 papers"
        window.menus.on_shelf["undo"].trigger()
        yield "undoing"
    window.page.result_list.go_to(0)
    yield "choosing one paper"


def _look_around(window: MainWindow) -> Iterator[str]:
    for place in (*PAGES, PAGES[0]):
        window.go_to(place.key)
        for _ in range(3):
            yield f"going to {place.title}"
    window.show_palette()
    yield "the commands"
    QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_Escape)
    for choice in (ThemeChoice.dark, ThemeChoice.light):
        window.choose_theme(choice)
        yield "changing the theme"
    for _ in range(2):
        window.job_panel.toggle()
        yield "work in the background"
