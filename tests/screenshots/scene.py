"""What a picture is of: a state of the window, and how it comes about."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QEventLoop, QTimer

from sciread_app.ui.shell.main_window import MainWindow

LONGEST = 60  # seconds that anything may take
EVERYWHERE = (100, 200, 300)


class Scene(NamedTuple):
    """One state, taken in light and in dark at each of `scales`, in per cent.

    `prepare` goes on from the scene before, which is left out where it is not taken at that scale.
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
