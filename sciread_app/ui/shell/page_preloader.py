"""Builds the pages before they are first visited."""

from __future__ import annotations

import gc
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer

from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.page_registry import PAGES

PAUSE_MS = 250


class PagePreloader(QObject):
    """Builds the pages of a window one by one, each after a moment without any work.

    Building a page takes 15 to 50 ms, and showing it for the first time 10 to 40 ms. Both in one
    pass of the event loop would be a noticeable delay.
    """

    def __init__(self, window: MainWindow, jobs: JobRunner) -> None:
        """Start when the modules of the pages are loaded, which follows the first list of
        papers."""
        super().__init__(window)
        self._steps = self._build_pages(window)
        self._timer = QTimer(self, interval=PAUSE_MS)
        self._timer.timeout.connect(self._step)
        window.events.modules_loaded.connect(self._timer.start)
        # Actions of the user start jobs, such as a search for each key.
        jobs.finished.connect(self._wait)

    def _wait(self) -> None:
        if self._timer.isActive():
            self._timer.start()

    def _step(self) -> None:
        if not next(self._steps, False):
            self._timer.stop()

    def _build_pages(self, window: MainWindow) -> Iterator[bool]:
        """Build one page, or the rest of one, and yield True."""
        for spec in PAGES:
            if page := window.preload(spec.key):
                yield True
                page.build_rest()
                yield True
        # The pages stay until the end: no collection has to look at them any more.
        gc.collect()
        gc.freeze()
