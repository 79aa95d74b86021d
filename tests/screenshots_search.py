"""Pictures of the search page: filters, steering, cards with all their marks."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from sciread_app.ui.main_window import MainWindow
from sciread_app.ui.request import Filter

MARKED = """
@article{one, title = {Attention to one thing at a time}, author = {Curie, Marie}, year = 2015,
 journal = {Nature}, doi = {10.1000/one}, abstract = {Nobody attends to two things.}}
@article{preprint, title = {Attention to many things at a time}, author = {Noether, Emmy},
 year = 2016, eprint = {1601.00001}, archiveprefix = {arXiv}, abstract = {Somebody does.}}
@article{published, title = {Attention to many things at a time}, author = {Noether, Emmy},
 year = 2017, journal = {Annalen der Aufmerksamkeit}, doi = {10.1000/two},
 abstract = {Somebody does.}}
"""


def filters(window: MainWindow) -> None:
    """The row of filters with some chosen."""
    page = window.page
    assert page
    page.set_scope('in:"Sample library"', "Sample library")
    page.box.set_text("learning")
    if page.head.filters.isHidden():
        page.head.toggle_filters()
    page.head.change(filters=(Filter("year", ("1990..2018",)), Filter("cat", ("cs.LG", "cs.CL"))))


def years(window: MainWindow) -> None:
    page = window.page
    assert page
    page.head.change(filters=())
    page.head.filters.open("year")


def fields(window: MainWindow) -> None:
    close_popover(window)
    assert window.page
    window.page.head.filters.open("cat")


def close_popover(window: MainWindow) -> None:
    assert window.page
    if popover := window.page.head.filters.popover:
        popover.close()


def steered(window: MainWindow) -> None:
    """A typed query with examples and a counterexample."""
    close_popover(window)
    page = window.page
    assert page
    if not page.head.filters.isHidden():
        page.head.toggle_filters()
    page.set_scope("")
    page.box.set_text("learning to see")
    ids = [int(paper) for paper in page.view.listing.ids[:4]]
    page.head.change(like=tuple(ids[:2]), unlike=tuple(ids[3:4]))


def marked(window: MainWindow) -> None:
    """Cards with tags, stars, several versions and a warning."""
    page, desk = window.page, window.desk
    assert page and desk
    file = window._home / "marked.bib"
    file.write_text(MARKED, "utf-8")
    window.importing.add([file])  # type: ignore[union-attr]


def mark(window: MainWindow) -> None:
    desk, page = window.desk, window.page
    assert desk and page
    ids = list(page.view.listing.ids)[:4]
    desk.organise.tag(ids[:2], "to read")
    desk.organise.tag(ids[:1], "seminar")
    desk.organise.colour_tag("to read", "green")
    desk.organise.colour_tag("seminar", "purple")
    desk.organise.rate(ids[:1], 4)
    desk.organise.mark_read(ids[1:3], True)
    page.head.change(like=(), unlike=())
    page.refresh()


def popup() -> object:
    """The popover that is open, if one is: it is no part of the window's picture."""
    return QApplication.activePopupWidget()
