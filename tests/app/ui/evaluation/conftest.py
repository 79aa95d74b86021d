"""Fixtures that show the dashboard in its window, with made-up measurements."""

from __future__ import annotations

import pytest

from tests.support.ui.fakes.gateway import FakeGateway


@pytest.fixture
def gateway() -> FakeGateway:
    return FakeGateway(100)


@pytest.fixture
def dashboard(gateway):
    return gateway.dashboard


@pytest.fixture
def settled(qtbot, jobs):
    def wait():
        qtbot.waitUntil(lambda: not jobs.running())

    return wait


@pytest.fixture
def window(qtbot, show_window, gateway, settled):
    window = show_window(gateway)
    window.resize(1240, 800)
    window.go_to("dashboard")
    settled()
    return window


@pytest.fixture
def page(window):
    return window.other_page("dashboard")


@pytest.fixture
def show(page, settled):
    """Return a function that goes to a view, waits for its jobs and returns it."""

    def go(number):
        page.show_view(number)
        settled()
        return (
            page.scores, page.compare, page.classes, page.learning, page.neighbours, page.maps
        )[number]  # fmt: skip

    return go
