"""A window to test: no screen, no database, no model."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from pytestqt.wait_signal import SignalBlocker

from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.search.page import SearchPage
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.style.theme import Appearance, ThemeChoice
from tests.support.ui.fakes import FakeDesk

LONG = 60.0  # seconds that a busy machine may take for what is a moment on another


class PatientBot(QtBot):
    """Waits for what must come until it comes."""

    def waitUntil(self, callback: Callable[[], object], *, timeout: int = int(LONG * 1000)) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(
        self, signal: object, *, timeout: int = int(LONG * 1000), **more: Any
    ) -> SignalBlocker:
        return super().waitSignal(signal, timeout=timeout, **more)


@pytest.fixture(scope="session", autouse=True)
def empty_clipboard(qapp: QApplication) -> Iterator[None]:
    """Empty at the end: without a screen, Qt destroys what is on it after Python has ended."""
    yield
    qapp.clipboard().clear()


@pytest.fixture(scope="module", autouse=True)
def no_automatic_collection() -> Iterator[None]:
    """As in the program: a widget in a cycle must not be destroyed on another thread."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


@pytest.fixture(autouse=True)
def collected_garbage() -> Iterator[None]:
    yield
    gc.collect(1)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientBot(request)


@pytest.fixture
def jobs(qapp: QApplication) -> Iterator[JobRunner]:
    jobs = JobRunner()
    yield jobs
    assert jobs.shut_down(timeout=LONG)


@pytest.fixture
def appearance(qapp: QApplication) -> Iterator[Appearance]:
    appearance = Appearance(qapp, ThemeChoice.light)
    yield appearance
    appearance.deleteLater()  # lest it follows the theme of the next test


@pytest.fixture
def show_page(
    qtbot: QtBot, jobs: JobRunner, appearance: Appearance
) -> Callable[[FakeDesk], SearchPage]:
    """Shows a search page on a library, and waits until something stands on it."""

    def show(desk: FakeDesk) -> SearchPage:
        page = SearchPage(desk, jobs, appearance)
        page.resize(1100, 700)
        qtbot.addWidget(page)
        page.show()
        with qtbot.waitSignal(page.shown):
            page.search()
        return page

    return show


@pytest.fixture
def show_window(
    qtbot: QtBot, jobs: JobRunner, appearance: Appearance, tmp_path: Path
) -> Callable[[FakeDesk], MainWindow]:
    """Shows the whole window on a library, and waits until nothing more is going on."""

    def show(desk: FakeDesk) -> MainWindow:
        window = MainWindow(tmp_path, jobs, appearance)
        qtbot.addWidget(window)
        window.show()
        window.open(desk)
        qtbot.waitUntil(lambda: window.page is not None and window.page.isVisible())
        qtbot.waitUntil(lambda: not jobs.running())
        return window

    return show
