"""Fixtures that show the window without a screen, over a real library or a fake one."""

from __future__ import annotations

import gc
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import TimeoutError as QtTimeoutError
from pytestqt.qtbot import QtBot
from pytestqt.wait_signal import SignalBlocker

from sciread_app import workspace
from sciread_app.paths import open_home
from sciread_app.settings import Settings, write_settings
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.search.page import SearchPage
from sciread_app.ui.shell.gateway import WindowGateway, open_gateway
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.style.theme import Appearance, ThemeChoice
from tests.support.models.fake_encoder import WordsEncoder
from tests.support.models.topics import BEES, STARS, about, collect_bees, fetch, like
from tests.support.ui.fakes.context import context_of
from tests.support.ui.fakes.gateway import FakeGateway

LONG = 60.0  # seconds: the longest wait on a busy machine


class PatientBot(QtBot):
    """A QtBot whose waits have a timeout of 60 s."""

    def waitUntil(self, callback: Callable[[], object], *, timeout: int = int(LONG * 1000)) -> None:
        """Wait until the callback returns True or None, or no longer fails. If it does not within
        `timeout` milliseconds, the report shows where each thread is."""
        try:
            super().waitUntil(callback, timeout=timeout)
        except QtTimeoutError:
            names = {thread.ident: thread.name for thread in threading.enumerate()}
            for ident, frame in sys._current_frames().items():
                print(
                    f"Thread {names.get(ident, ident)}:", *traceback.format_stack(frame), sep="\n"
                )
            raise

    def waitSignal(
        self, signal: object, *, timeout: int = int(LONG * 1000), **more: Any
    ) -> SignalBlocker:
        return super().waitSignal(signal, timeout=timeout, **more)


@pytest.fixture(scope="session", autouse=True)
def empty_clipboard(qapp: QApplication) -> Iterator[None]:
    """Clear the clipboard at the end: offscreen, Qt would destroy its contents after Python."""
    yield
    qapp.clipboard().clear()


@pytest.fixture(scope="module", autouse=True)
def no_automatic_collection() -> Iterator[None]:
    """Disable automatic collection as the program does: it could destroy widgets on any thread."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


@pytest.fixture(autouse=True)
def collected_garbage(qapp: QApplication) -> Iterator[None]:
    """Destroy the widgets of the test at its end. The next one would restyle them all, and destroy
    them only in its first event loop."""
    yield
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
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
    appearance.deleteLater()  # or it would follow the theme of the next test


@pytest.fixture
def context(jobs: JobRunner, appearance: Appearance, tmp_path: Path) -> AppContext:
    """The environment of a page without its window."""
    return context_of(jobs, appearance, tmp_path)


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[object, str], threading.Event]]:
    """Return a function that holds up the calls of a method of an object until the event that it
    returns is set, at the latest at the end of the test."""
    events: list[threading.Event] = []

    def hold(owner: object, name: str) -> threading.Event:
        go_on, method = threading.Event(), getattr(owner, name)

        def wait(*arguments: Any, **options: Any) -> Any:
            assert go_on.wait(LONG)
            return method(*arguments, **options)

        monkeypatch.setattr(owner, name, wait)
        events.append(go_on)
        return go_on

    yield hold
    for go_on in events:
        go_on.set()


@contextmanager
def opened(folder: Path, jobs: JobRunner, model: str) -> Iterator[WindowGateway]:
    home = open_home(folder)
    write_settings(home.settings, Settings(model=model))
    gateway = open_gateway(home.folder)
    yield gateway
    jobs.shut_down()
    gateway.close()


@pytest.fixture
def real_gateway(tmp_path: Path, jobs: JobRunner) -> Iterator[WindowGateway]:
    """The gateway of an empty library without a model, in the folder `home` of `tmp_path`."""
    with opened(tmp_path / "home", jobs, "none") as gateway:
        yield gateway


@pytest.fixture
def bees_gateway(
    tmp_path: Path, jobs: JobRunner, monkeypatch: pytest.MonkeyPatch
) -> Iterator[WindowGateway]:
    """A library with a collection of papers about bees, and fetched papers of which two fit."""
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: WordsEncoder())
    with opened(tmp_path / "home", jobs, "starter") as gateway:
        collect_bees(gateway.workspace.library)
        found = [like(BEES, 3), like(BEES, 5), about(STARS, 100)]
        fetch(gateway.workspace.library, found)
        yield gateway


@pytest.fixture
def show_page(
    qtbot: QtBot, jobs: JobRunner, context: AppContext
) -> Callable[[FakeGateway], SearchPage]:
    """Return a function that shows a search page and waits for its first results."""

    def show(gateway: FakeGateway) -> SearchPage:
        page = SearchPage(gateway.search, gateway.card_loader, gateway.about, gateway.map, context)
        page.resize(1100, 700)
        qtbot.addWidget(page)
        page.show()
        with qtbot.waitSignal(page.view_shown):
            page.search()
        return page

    return show


@pytest.fixture
def new_window(
    qtbot: QtBot, jobs: JobRunner, appearance: Appearance, tmp_path: Path
) -> Callable[..., MainWindow]:
    """Return a function that shows a window in which no library is open."""

    def show(home: Path = tmp_path) -> MainWindow:
        window = MainWindow(home, jobs, appearance)
        qtbot.addWidget(window)
        window.show()
        return window

    return show


@pytest.fixture
def show_window(
    qtbot: QtBot, jobs: JobRunner, new_window: Callable[..., MainWindow], tmp_path: Path
) -> Callable[[FakeGateway | WindowGateway], MainWindow]:
    """Return a function that shows the whole window and waits until no job runs."""

    def show(gateway: FakeGateway | WindowGateway) -> MainWindow:
        real = isinstance(gateway, WindowGateway)
        window = new_window(gateway.workspace.home.folder if real else tmp_path)
        window.open(gateway)
        qtbot.waitUntil(lambda: window.is_open and window.page.isVisible())
        qtbot.waitUntil(lambda: not jobs.running())
        return window

    return show
