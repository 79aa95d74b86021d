"""A reader page over files that exist only in the test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sciread_app.domain.paper import PaperId
from sciread_app.ui.reader.document_view import DocumentView
from sciread_app.ui.reader.page import ReaderPage
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.fakes.reader import FakeReader
from tests.support.ui.reader import settle

BEES = Path("/papers/bees.pdf")


@pytest.fixture
def reading() -> FakeReader:
    return FakeReader()


@pytest.fixture
def gateway(reading) -> FakeGateway:
    gateway = FakeGateway(2)
    gateway.reader = reading
    return gateway


@pytest.fixture
def make_page(qtbot, jobs, context, gateway) -> Callable[[], ReaderPage]:
    """Return a function that shows a reader page without an open file."""

    def make() -> ReaderPage:
        page = ReaderPage(gateway.reader, gateway.about, context)
        page.resize(900, 600)
        qtbot.addWidget(page)
        page.show()
        return page

    return make


@pytest.fixture
def open_book(qtbot, jobs, make_page) -> Callable[..., DocumentView]:
    """Return a function that opens a file and waits until its visible pages are drawn."""

    def open(path: Path = BEES) -> DocumentView:
        page = make_page()
        page.read(PaperId(1), path)
        qtbot.waitUntil(lambda: page.book is not None)
        settle(qtbot, jobs, page.book)
        return page.book

    return open
