"""A picture of the window, taken once nothing in it changes any more (`sciread --screenshot`)."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from sciread_app.language import tr
from sciread_app.ui.jobs.runner import JobQueue, JobRunner
from sciread_app.ui.shell.main_window import MainWindow

QUIET_MS = 400  # without any work, until a picture is taken
LONGEST_WAIT = 90.0  # seconds for encoding to end before a picture is taken


class ScreenshotRunner(QObject):
    """Takes a picture of the window when nothing in it changes any more, and ends the program."""

    def __init__(self, app: QApplication, window: MainWindow, jobs: JobRunner, file: Path) -> None:
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
        running = self._jobs.running() if heavy_matters else self._jobs.running(JobQueue.short)
        if running or self._window.is_opening:
            self._quiet_since = now
        elif now - self._quiet_since > QUIET_MS / 1000:
            self._look.stop()
            self._file.parent.mkdir(parents=True, exist_ok=True)
            taken = self._window.grab().save(str(self._file))
            there = tr("Screenshot saved to {file}", file=self._file)
            print(there if taken else tr("Could not save {file}", file=self._file))
            self._app.exit(0 if taken else 1)
