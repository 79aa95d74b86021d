"""A minute of typical use of the window: typing, selecting, sorting, and each of its pages."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from sciread_app.domain.paper import Order
from sciread_app.ui.evaluation.page import VIEWS, EvaluationPage
from sciread_app.ui.paper_list.density import Density
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.page_registry import PAGES
from sciread_app.ui.style.theme import ThemeChoice
from sciread_app.ui.training.page import TrainingPage

SCROLLS, OPENED = 40, 15
STEPS_OF_PAGE = 3  # that a page is shown for, while its contents arrive


def working_day(window: MainWindow) -> Iterator[str]:
    """Do one action after another and yield its description; the caller waits in between."""
    yield from type_query(window, "superconducting films")
    yield from _filter(window)
    yield from type_query(window, "")
    yield from _sort(window)
    yield from _scroll(window)
    yield from _open_papers(window)
    yield from _editor(window)
    yield from _look_around(window)
    yield from _visit_pages(window, "first visit")
    yield from _open_popups(window, "first time")
    yield from _visit_pages(window, "again")
    yield from _open_popups(window, "again")
    yield from _change_theme(window)


def type_query(window: MainWindow, text: str) -> Iterator[str]:
    """Replace the text of the search box, letter by letter."""
    window.go_to_box()
    window.page.search_box.set_text("")
    yield "clearing the box"
    for letter in text:
        QTest.keyClicks(window.page.search_box.edit, letter)
        yield "typing"


def _filter(window: MainWindow) -> Iterator[str]:
    for fragment in ("year:2012..2018", "is:unread"):
        window.page.set_scope(fragment)
        yield "filtering"
    window.page.show_similar(window.page.result_list.selected()[:1])
    yield "similar papers"
    window.page.set_scope("")
    yield "filtering"
    for _ in range(2):
        window.page.header.toggle_filters()
        yield "filter bar"


def _sort(window: MainWindow) -> Iterator[str]:
    for order in (Order.title, Order.author, Order.venue, Order.year, Order.added):
        window.page.sort_by(order)
        yield "sorting"


def _scroll(window: MainWindow) -> Iterator[str]:
    bar = window.page.result_list.verticalScrollBar()
    for n in range(SCROLLS):
        bar.setValue(bar.maximum() * n // SCROLLS)
        yield "scrolling"


def _open_papers(window: MainWindow) -> Iterator[str]:
    for row in range(min(OPENED, window.page.model.rowCount())):
        window.page.result_list.go_to(row)
        yield "opening a paper"
    window.page.open_paper()
    yield "the page of a paper"
    window.page.close_paper()
    yield "the page of a paper"


def _editor(window: MainWindow) -> Iterator[str]:
    window.page.result_list.selectAll()
    yield "selecting all papers"
    if chosen := window.page.result_list.selected()[:1_000]:
        window.context.edits.submit(
            "Tagged papers", lambda editor: editor.tag(chosen, "of the day")
        )
        yield "tagging 1,000 papers"
        window.actions_by_name["undo"].trigger()
        yield "undoing"
    window.page.result_list.go_to(0)
    yield "selecting one paper"


def _look_around(window: MainWindow) -> Iterator[str]:
    """Show the same results in every form."""
    for density in (Density.table, Density.compact, Density.comfortable):
        window.page.set_density(density)
        yield f"list: {density.value}"
    for what in ("map, first visit", "back to the list", "map", "back to the list"):
        window.toggle_map()
        for _ in range(STEPS_OF_PAGE):
            yield what


def _visit_pages(window: MainWindow, time: str) -> Iterator[str]:
    """Show each page, and each view of it that is built when it is first shown."""
    for spec in (*PAGES, PAGES[0]):
        window.go_to(spec.key)
        for _ in range(STEPS_OF_PAGE):
            yield f"{spec.title}, {time}"
        page = window.other_page(spec.key)
        if isinstance(page, TrainingPage):
            page.begin()
            for _ in range(STEPS_OF_PAGE):
                yield f"{spec.title}: new training, {time}"
        elif isinstance(page, EvaluationPage):
            for number, (title, _) in enumerate(VIEWS):
                page.show_view(number)
                for _ in range(STEPS_OF_PAGE):
                    yield f"{spec.title}: {title}, {time}"


def _open_popups(window: MainWindow, time: str) -> Iterator[str]:
    for what, open_popup in (
        ("command palette", window.show_palette),
        ("Go to paper", window.go_to_paper),
    ):
        open_popup()
        yield f"{what}, {time}"
        for letter in "films":
            QTest.keyClicks(window.focusWidget() or window, letter)
            yield f"{what}, typing"
        QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_Escape)
        yield f"{what}, closing"
    for what, open_dialog in (
        ("shortcuts", window.show_shortcuts),
        ("shortcuts of the page", window.show_shortcuts_of_page),
        ("About", window.show_about),
    ):
        open_dialog()
        yield f"{what}, {time}"
        for dialog in window.findChildren(QDialog):
            dialog.close()
        yield f"{what}, closing"
    window.page.search_box.show_syntax()
    yield f"search syntax, {time}"
    if popup := QApplication.activePopupWidget():
        popup.close()
    for _ in range(2):
        window.job_panel.toggle()
        yield f"Activity, {time}"


def _change_theme(window: MainWindow) -> Iterator[str]:
    for choice in (ThemeChoice.dark, ThemeChoice.light):
        window.choose_theme(choice)
        yield f"theme: {choice.value}"
