"""Helpers of tests that open a file in the reader."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.reader.document_view import DocumentView
from sciread_app.ui.reader.page import ReaderPage


def settle(qtbot: QtBot, jobs: JobRunner, book: DocumentView) -> None:
    """Wait until the visible pages are drawn."""
    qtbot.waitUntil(lambda: book.pictures.text(book.view.page) is not None)
    qtbot.waitUntil(lambda: not book.view._request_timer.isActive() and not jobs.running())


def page_of(book: DocumentView) -> ReaderPage:
    """The reader page that shows a file."""
    widget = book
    while not isinstance(widget, ReaderPage):
        widget = widget.parent()
    return widget
