"""A scene: a state of the window to take screenshots of, and the way to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QEventLoop, QTimer

from sciread_app.ui.shell.main_window import MainWindow

LONGEST = 60  # seconds: the limit of each wait
EVERYWHERE = (100, 200, 300)


class Scene(NamedTuple):
    """A state of the window, taken in both themes at each of `scales`, in per cent.

    `prepare` continues from the previous scene of its set that is taken at the same scale.
    """

    name: str
    prepare: Callable[[MainWindow], object]
    scales: tuple[int, ...] = (100,)


def wait(until: Callable[[], object]) -> None:
    end = time.monotonic() + LONGEST
    while not until():
        assert time.monotonic() < end, "this took too long"
        let_pass(20)


def let_pass(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
