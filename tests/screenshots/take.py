"""Take the screenshots of one scale and width: see __main__.py for the arguments."""

from __future__ import annotations

import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, QRect, QSize, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from sciread_app.ui.jobs.runner import JobQueue, JobRunner
from sciread_app.ui.shell.gateway import open_gateway
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.style.theme import Appearance, ThemeChoice
from tests.screenshots.add_papers_page import sources
from tests.screenshots.scene import Scene, let_pass, wait
from tests.screenshots.scene_sets import EMPTY, scene_sets

QUIET_MS, REPAINT_MS = 350, 120  # without jobs, before a screenshot


class Camera:
    """Takes the scenes of `scale`, in per cent, into FOLDER/THEME-ENDING, in windows of `size`."""

    def __init__(
        self, app: QApplication, folder: Path, ending: str, scale: int, size: QSize
    ) -> None:
        self._folder, self._ending = folder, ending
        self._scale, self._size = scale, size
        self._app = app
        self._appearance, self._other = Appearance(app, ThemeChoice.light), ThemeChoice.dark

    def take_set(self, scenes: Sequence[Scene], home: Path) -> None:
        wanted = [scene for scene in scenes if self._scale in scene.scales]
        if wanted:
            with self._window(home) as (window, jobs):
                for scene in wanted:
                    self._take(window, jobs, scene)

    def prepare_sample(self, home: Path) -> None:
        """Make the library that all sets but one start from, with its map."""
        with self._window(home) as (window, jobs):
            assert window.importing
            window.importing.add_sample()
            settle(jobs)
            window.toggle_map()
            settle(jobs)
            window.toggle_map()
            settle(jobs)
        (home / "window.ini").unlink()  # the positions of windows depend on the scale

    @contextmanager
    def _window(self, home: Path) -> Iterator[tuple[MainWindow, JobRunner]]:
        jobs = JobRunner()
        window = MainWindow(home, jobs, self._appearance)
        gateway = open_gateway(home)
        window.resize(self._size)
        window.show()
        window.open(gateway)
        wait(lambda: window.is_open)
        settle(jobs)
        try:
            yield window, jobs
        finally:
            for other in _others(window):  # those of a scene that failed
                other.close()
            window.close()
            jobs.shut_down()
            gateway.close()

    def _take(self, window: MainWindow, jobs: JobRunner, scene: Scene) -> None:
        scene.prepare(window)
        settle(jobs)
        # Start with the current theme: a change takes half a second.
        first, second = self._appearance.choice, self._other
        self._other = first
        for choice in (first, second):
            self._appearance.choose(choice)
            window.events.theme_selected.emit(choice)  # as the menu does, for the settings
            wait(partial(self._shows, choice))
            settle(jobs, REPAINT_MS)
            folder = self._folder / f"{choice.value}-{self._ending}"
            folder.mkdir(parents=True, exist_ok=True)
            _picture(window).save(str(folder / f"{scene.name}.png"))
        print(f"{scene.name} at {self._scale} %", flush=True)
        for other in _others(window):
            other.close()

    def _shows(self, choice: ThemeChoice) -> bool:
        changing = self._appearance._switcher._timer.isActive()
        return not changing and self._appearance.theme.dark is (choice is ThemeChoice.dark)


def settle(jobs: JobRunner, quiet: int = QUIET_MS) -> None:
    """Wait until no job has run for a while, except on the network queue."""
    while True:
        let_pass(quiet)
        if not jobs.running(JobQueue.long) and not jobs.running(JobQueue.short):
            return


def _picture(window: MainWindow) -> QPixmap:
    """Return a picture of the window and of the dialogs in front of it, even off the screen."""
    shown = [window, *_others(window)]
    whole = QRect()
    for widget in shown:
        whole = whole.united(QRect(widget.mapToGlobal(widget.rect().topLeft()), widget.size()))
    picture = QPixmap(whole.size() * window.devicePixelRatioF())
    picture.setDevicePixelRatio(window.devicePixelRatioF())
    picture.fill("#808080")
    painter = QPainter(picture)
    painter.setPen("#808080")
    for widget in shown:
        corner = widget.mapToGlobal(widget.rect().topLeft())
        place = corner - whole.topLeft()
        if not widget.mask().isEmpty():
            painter.setClipRegion(widget.mask().translated(place))
        painter.drawPixmap(place, widget.grab())
        painter.setClipping(False)
        if widget.windowType() is Qt.WindowType.Dialog:  # the frame of the window system
            painter.drawRect(QRect(place, widget.size()))
        if not widget.screen().geometry().contains(QRect(corner, widget.size())):
            print(f"  {type(widget).__name__} leaves the screen: {corner} {widget.size()}")
    painter.end()
    return picture


def _others(window: QWidget) -> list[QWidget]:
    """Return the open dialogs and popups, the lowest first."""
    tops = (widget for widget in QApplication.topLevelWidgets() if widget is not window)
    return [top for top in tops if top.isVisible()]


def _log_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    """Print a message of Qt, except those on features that the offscreen plugin lacks."""
    if "This plugin does not support" not in text:
        print(text, file=sys.stderr)


def main(folder: str, ending: str, scale: str, size: str, sample: str, *only: str) -> None:
    qInstallMessageHandler(_log_message)
    width, height = map(int, size.split("x"))
    camera = Camera(QApplication([]), Path(folder), ending, int(scale), QSize(width, height))
    with tempfile.TemporaryDirectory() as scratch, sources(f"{scratch}/cache") as served:
        wanted = {
            name: scenes for name, scenes in scene_sets(served).items() if not only or name in only
        }
        if set(wanted) - {EMPTY} and not Path(sample).exists():
            camera.prepare_sample(Path(sample))
        failed = 0
        for name, scenes in wanted.items():
            home = Path(scratch, name)
            if name == EMPTY:
                home.mkdir()
            else:
                shutil.copytree(sample, home)
            try:
                camera.take_set(scenes, home)
            except Exception:
                failed += 1
                traceback.print_exc()
    sys.exit(failed)


if __name__ == "__main__":
    main(*sys.argv[1:])
