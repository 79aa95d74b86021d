"""The window as a program: one on each home folder, shown first and filled as soon as may be."""

from __future__ import annotations

import gc
import logging
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import (
    QLockFile,
    QMessageLogContext,
    QObject,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication, QMessageBox

from sciread_app.errors import SciReadError
from sciread_app.paths import Home, open_home
from sciread_app.settings import read_settings, write_settings
from sciread_app.ui.jobs import Jobs, Lane, Problem, problem_of
from sciread_app.ui.main_window import Desk, MainWindow
from sciread_app.ui.theme import Appearance, Choice

log = logging.getLogger(__name__)

# Seconds that a thread computing in Python keeps the window's thread waiting, at most. Python's
# own 5 ms add up in one repaint to a stall that can be seen.
TURN = 0.0005
QUIET_MS = 400  # without any work, until a picture is taken
LONGEST_WAIT = 90.0  # seconds for encoding to end before a picture is taken


def run(folder: Path | None = None, screenshot: Path | None = None) -> int:
    """Open the window on a home folder (see paths.open_home) and stay until it is closed.

    With `screenshot`, draw it into that file once there are papers to be seen, and leave.
    Returns the exit code.
    """
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("SciRead")
    app.setDesktopFileName("sciread")
    if app.platformName() == "offscreen":
        qInstallMessageHandler(_tell)
    try:
        home = open_home(folder)
    except SciReadError as error:
        return _refuse(error.message, error.hint, quietly=bool(screenshot))
    lock = QLockFile(str(home.folder / "window.lock"))
    lock.setStaleLockTime(0)  # a window may stay open for weeks; its process is what counts
    if not lock.tryLock(0):
        message = f"SciRead is already open on {home.folder}."
        hint = "Go to its window, or open another library with --home."
        return _refuse(message, hint, quietly=bool(screenshot))
    try:
        return _run(app, home, screenshot)
    finally:
        lock.unlock()


def _run(app: QApplication, home: Home, screenshot: Path | None) -> int:
    sys.setswitchinterval(TURN)
    settings, _ = read_settings(home.settings)
    appearance = Appearance(app, Choice(settings.theme))
    jobs = Jobs()
    window = MainWindow(home.folder, jobs, appearance)
    window.theme_chosen.connect(
        lambda choice: write_settings(home.settings, replace(settings, theme=choice.value))
    )
    _report_faults_in(window)
    opening = _Opening(home, window, jobs)
    window.show()
    opening.start()
    if screenshot:
        photographer = _Photographer(app, window, jobs, screenshot)
        photographer.start()
    code = app.exec()
    window.hide()
    stopped = jobs.shut_down()
    opening.close()
    if not stopped:
        # A thread that will not end would keep the process alive, without a window, for ever.
        logging.shutdown()
        os._exit(code)
    return code


class _Opening(QObject):
    """Opens the library behind the window, since what it needs takes longer to import than Qt."""

    def __init__(self, home: Home, window: MainWindow, jobs: Jobs) -> None:
        super().__init__(window)
        self._home = home
        self._window = window
        self._jobs = jobs
        self._close: Callable[[], None] = lambda: None

    def start(self) -> None:
        def work(task: object) -> tuple[Desk, bool, list[str], Callable[[], None]]:
            from sciread_app.ui.desk import open_desk  # brings SQLAlchemy, numpy and hnswlib

            desk = open_desk(self._home.folder)
            return desk, desk.is_new, desk.warnings, desk.close

        self._jobs.run(
            "Opening the library",
            work,
            self._opened,
            on_failed=self._window.cannot_open,
            lane=Lane.light,
        )

    def close(self) -> None:
        self._close()

    def _opened(self, opened: tuple[Desk, bool, list[str], Callable[[], None]]) -> None:
        desk, is_new, warnings, self._close = opened
        # What stands now stays: the collector need not walk through it again, which takes 50 ms.
        gc.freeze()
        self._window.open(desk, sample=is_new)
        for warning in warnings:
            self._window.banner.show_problem(Problem(warning))


class _Photographer(QObject):
    """Takes a picture of the window when nothing in it changes any more, and ends the program."""

    def __init__(self, app: QApplication, window: MainWindow, jobs: Jobs, file: Path) -> None:
        super().__init__(window)
        self._app = app
        self._window = window
        self._jobs = jobs
        self._file = file
        self._until = time.monotonic() + LONGEST_WAIT
        self._quiet_since = time.monotonic()
        self._look = QTimer(self, interval=50)
        self._look.timeout.connect(self._take_when_quiet)

    def start(self) -> None:
        self._look.start()

    def _take_when_quiet(self) -> None:
        now = time.monotonic()
        heavy_matters = now < self._until
        if self._jobs.running() if heavy_matters else self._jobs.running(Lane.light):
            self._quiet_since = now
        elif now - self._quiet_since > QUIET_MS / 1000:
            self._look.stop()
            self._file.parent.mkdir(parents=True, exist_ok=True)
            taken = self._window.grab().save(str(self._file))
            print(f"The window is in {self._file}" if taken else f"{self._file} was not written")
            self._app.exit(0 if taken else 1)


def _report_faults_in(window: MainWindow) -> None:
    """What goes wrong in a slot is our fault: it is logged and shown, and the window stays."""

    def report(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        window.banner.show_problem(problem_of(error, "Drawing the window"))

    sys.excepthook = report


def _tell(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    """What Qt has to say, but for what it says of every window that is on no screen."""
    if "propagateSizeHints" not in text:
        print(text, file=sys.stderr)


def _refuse(message: str, hint: str, *, quietly: bool) -> int:
    """Say why there will be no window; on the terminal where nobody could close a dialog."""
    if quietly:
        print(f"{message} {hint}", file=sys.stderr)
    else:
        box = QMessageBox(QMessageBox.Icon.Information, "SciRead", message)
        box.setInformativeText(hint)
        box.exec()
    return 1
