"""The frozen program, run in a clean environment as after unpacking.

There is no Python, no PATH and no settings: it has its own home, is in a folder with a space in its
name, and keeps its library in SciRead-home beside that folder.
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

_TIMEOUT = 600.0  # seconds for each wait: the machine may be busy


class Program:
    """Copy the program `built` below `place` and run it there.

    `display` is the name of an X server's display; if empty, the window is drawn off screen.
    """

    def __init__(self, built: Path, place: Path, display: str) -> None:
        folder = place / "Ada’s programs" / "SciRead"
        shutil.copytree(built, folder, symlinks=True, copy_function=_link)
        self.start_with: list[str | Path] = [folder / "sciread"]
        self.library = folder.parent / "SciRead-home"
        self.library.mkdir()
        self.place = place
        self._begun: list[subprocess.Popen[bytes]] = []
        shown = {"DISPLAY": display} if display else {"QT_QPA_PLATFORM": "offscreen"}
        self.environment = {"HOME": str(place), "PATH": "/nonexistent", "LANG": "C.UTF-8", **shown}

    def begin(self, *arguments: str | Path) -> subprocess.Popen[bytes]:
        command = [*self.start_with, *arguments]
        self._begun.append(subprocess.Popen(command, env=self.environment, cwd=self.place))
        return self._begun[-1]

    def end(self) -> None:
        """Kill the processes started by `begin`, which still run if a check failed."""
        for process in self._begun:
            process.kill()
            process.wait()

    def run(self, *arguments: str | Path, code: int = 0, **variables: str) -> str:
        """Run a command, with extra variables, and return its output on both streams.

        Ends the check unless the exit status is `code`.
        """
        began = time.monotonic()
        done = self._run(arguments, variables)
        output = done.stdout + done.stderr
        shown = " ".join(map(str, arguments)) or " ".join(variables)
        print(f"{time.monotonic() - began:6.1f} s  sciread {shown}", flush=True)
        expect(done.returncode == code, f"code {done.returncode}", output)
        return output

    def ask(self, *arguments: str) -> Any:
        """Return the output of a command with --json, or {} if there is none yet."""
        try:
            return json.loads(self._run((*arguments, "--json"), {}).stdout.splitlines()[-1])
        except (IndexError, ValueError):
            return {}

    def _run(
        self, arguments: tuple[str | Path, ...], variables: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.start_with, *arguments],
            env=self.environment | variables,
            cwd=self.place,
            capture_output=True,
            text=True,
            check=False,
        )


def expect(condition: bool, *messages: str) -> None:
    """End the check with the messages unless `condition` is true."""
    if not condition:
        sys.exit("\n".join(("The program does not do what it should:", *messages)))


def wait(event: str, condition: Callable[[], bool]) -> None:
    """Wait until `condition` returns True; end the check after `_TIMEOUT` seconds."""
    began = time.monotonic()
    while not condition():
        expect(time.monotonic() - began < _TIMEOUT, f"waited for: {event}")
        time.sleep(0.5)
    print(f"{time.monotonic() - began:6.1f} s  until {event}", flush=True)


def _link(source: str, target: str) -> None:
    """Hard-link a file where possible instead of copying it: the program is large."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
