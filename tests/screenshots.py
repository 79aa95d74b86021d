"""Pictures of the window on the sample library: `make screenshots` puts them in screenshots/."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from sciread_app.ui.desk import open_desk
from sciread_app.ui.jobs import Jobs
from sciread_app.ui.main_window import MainWindow
from sciread_app.ui.theme import Appearance, Choice

QUIET_SECONDS = 0.6
LONGEST_SECONDS = 120.0


class Studio:
    """A window on a library of its own, and a camera."""

    def __init__(self, home: Path, folder: Path) -> None:
        self._app = QApplication(sys.argv[:1])
        self._jobs = Jobs()
        self._folder = folder
        self._desk = open_desk(home)
        self.window = MainWindow(home, self._jobs, Appearance(self._app, Choice.light))
        self.window.show()
        self.window.open(self._desk, sample=True)
        self._settle()

    def search(self, text: str) -> None:
        assert self.window.page
        self.window.page.box.edit.setText(text)

    def take(self, name: str, *steps: Callable[[], None]) -> None:
        """Do these steps, each when the window has come to rest, and then take the picture."""
        for step in steps:
            step()
            self._settle()
        file = self._folder / f"{name}.png"
        if not self.window.grab().save(str(file)):
            sys.exit(f"{file} cannot be written")
        print(file)

    def close(self) -> None:
        self.window.close()
        self._jobs.shut_down()
        self._desk.close()

    def _settle(self) -> None:
        end = time.monotonic() + LONGEST_SECONDS
        quiet_since = time.monotonic()
        while time.monotonic() - quiet_since < QUIET_SECONDS:
            self._app.processEvents()
            time.sleep(0.01)
            if self._jobs.running():
                quiet_since = time.monotonic()
            if time.monotonic() > end:
                sys.exit("the window does not come to rest")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        studio = Studio(Path(home), folder)
        page = studio.window.page
        assert page
        studio.take("library")
        studio.take("search", lambda: studio.search("teaching a computer to win at board games"))
        studio.take("similar", page.similar_to_chosen)
        studio.take("conditions", lambda: studio.search("how memory works year:1950..1975"))
        studio.take("wrong", lambda: studio.search("year:soon gravity"))
        studio.take("nothing", lambda: studio.search("author:nobody gravity"))
        studio.take(
            "dark",
            lambda: studio.window.choose_theme(Choice.dark),
            lambda: studio.search("warming of the planet by gases in the air"),
        )
        studio.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots"))
