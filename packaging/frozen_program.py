"""The frozen program as somebody has just unpacked it, with nothing of this machine around it.

No Python, no path, no settings: a home of its own, a folder with a space in its name, and in
SciRead-home beside it the library.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_PATIENCE = 600.0  # seconds, for anything: the machine may be busy


class Program:
    """`display` is that of an X server; without one the window is drawn off screen."""

    def __init__(self, built: Path, place: Path, display: str) -> None:
        folder = place / "Ada’s programs" / "SciRead"
        shutil.copytree(built, folder, symlinks=True, copy_function=_link)
        self.start_with: list[str | Path] = [folder / "sciread"]
        self.library = folder.parent / "SciRead-home"
        self.library.mkdir()
        self.place = place
        self._begun: list[subprocess.Popen[bytes]] = []
        shown = {"DISPLAY": display} if display else {"QT_QPA_PLATFORM": "offscreen"}
        self.around = {"HOME": str(place), "PATH": "/nonexistent", "LANG": "C.UTF-8", **shown}

    def begin(self, *arguments: str | Path) -> subprocess.Popen[bytes]:
        command = [*self.start_with, *arguments]
        self._begun.append(subprocess.Popen(command, env=self.around, cwd=self.place))
        return self._begun[-1]

    def end(self) -> None:
        """Whatever was begun, if a check has failed meanwhile."""
        for process in self._begun:
            process.kill()
            process.wait()

    def run(self, *arguments: str | Path, code: int = 0, **around: str) -> str:
        """What it says, on both streams. It must end with `code`."""
        began = time.monotonic()
        done = self._ended(arguments, around)
        said = done.stdout + done.stderr
        shown = " ".join(map(str, arguments)) or " ".join(around)
        print(f"{time.monotonic() - began:6.1f} s  sciread {shown}", flush=True)
        expect(done.returncode == code, f"code {done.returncode}", said)
        return said

    def ask(self, *arguments: str) -> Any:
        """Its answer as JSON; {} where it has none yet."""
        try:
            return json.loads(self._ended((*arguments, "--json"), {}).stdout.splitlines()[-1])
        except (IndexError, ValueError):
            return {}

    def _ended(
        self, arguments: tuple[str | Path, ...], around: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.start_with, *arguments],
            env=self.around | around,
            cwd=self.place,
            capture_output=True,
            text=True,
            check=False,
        )


def expect(holds: bool, *said: str) -> None:
    if not holds:
        sys.exit("\n".join(("The program does not do what it should:", *said)))


def wait(what: str, holds: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not holds():
        expect(time.monotonic() - began < _PATIENCE, f"waited for: {what}")
        time.sleep(0.5)
    print(f"{time.monotonic() - began:6.1f} s  until {what}", flush=True)


def _link(source: str, target: str) -> None:
    """Nothing is copied where the file system can do without: the program is large."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
