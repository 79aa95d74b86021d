"""Works with dist/SciRead as somebody does who has just unpacked it, and times what it does.

Nothing is handed on to the program but a home of its own: no Python, no path, no settings. Its
window stands on a display of its own, where Xvfb and xdotool are, and is worked with by its keys;
without them it is drawn off screen, and of the window only the picture is checked.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from about import ROOT, version

QUERY = "teaching a computer to win at board games"
ENTRY = """@article{own2024, title = {Herring of the northern fjords},
  author = {Hansen, Ida}, journal = {Fisheries}, year = {2024}}
"""
_PATIENCE = 300.0  # seconds, for anything: the machine may be busy
_GRAB = """import sys
from PySide6.QtWidgets import QApplication
app = QApplication(sys.argv)
sys.exit(not app.primaryScreen().grabWindow(0).save(sys.argv[1]))
"""


class Program:
    """The frozen program, with nothing around it."""

    def __init__(self, program: Path, place: Path, display: str) -> None:
        self._program = program.resolve()
        self.home = place / "library"
        shown = {"DISPLAY": display} if display else {"QT_QPA_PLATFORM": "offscreen"}
        self.around = {
            "HOME": str(place),
            "PATH": "/nonexistent",
            "LANG": "C.UTF-8",
            "SCIREAD_HOME": str(self.home),
            **shown,
        }

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [self._program, *arguments], env=self.around, cwd=self.around["HOME"]
        )

    def run(self, *arguments: str, code: int = 0) -> str:
        began = time.monotonic()
        done = subprocess.run(
            [self._program, *arguments],
            env=self.around,
            cwd=self.around["HOME"],
            capture_output=True,
            text=True,
            check=False,
        )
        print(f"{time.monotonic() - began:6.1f} s  sciread {' '.join(arguments)}", flush=True)
        expect(done.returncode == code, f"code {done.returncode}", done.stdout, done.stderr)
        return done.stdout + done.stderr

    def ask(self, *arguments: str) -> Any:
        done = subprocess.run(
            [self._program, *arguments, "--json"], env=self.around, capture_output=True, check=False
        )
        try:
            return json.loads(done.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            return {}


def expect(holds: bool, *said: str) -> None:
    if not holds:
        sys.exit("\n".join(("The program does not do what it should:", *said)))


def wait(what: str, holds: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not holds():
        expect(time.monotonic() - began < _PATIENCE, f"waited for: {what}")
        time.sleep(0.5)
    print(f"{time.monotonic() - began:6.1f} s  until {what}", flush=True)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--program", type=Path, default=ROOT / "dist" / "SciRead" / "sciread")
    asked.add_argument("--picture", type=Path, default=ROOT / "build" / "frozen" / "window.png")
    given = asked.parse_args()
    given.picture.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, display() as screen:
        program = Program(given.program, Path(folder), screen)
        _speaks(program)
        if screen:
            _window(program, given.picture.resolve())
        else:
            program.run("--screenshot", str(given.picture.resolve()))
        _headless(program)
    print(f"The program does what it should: {given.program}; its window: {given.picture}")


@contextmanager
def display() -> Iterator[str]:
    """A display of our own, by its name; none without Xvfb and xdotool."""
    if not (shutil.which("Xvfb") and shutil.which("xdotool")):
        yield ""
        return
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
        pass_fds=[writer],
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    try:
        yield f":{os.read(reader, 16).decode().strip()}"
    finally:
        server.terminate()
        server.wait()


def _speaks(program: Program) -> None:
    expect(f"sciread {version()}" in program.run("--version"), "another version")
    expect("only SciRead" in program.run("-m", "os", code=1), "it runs what is not ours")
    program.run("trainer", "methods")


def _window(program: Program, picture: Path) -> None:
    """The first start, a search typed, a file handed over by another start, and the end."""
    window = program.start()
    # Whoever opens the library first makes it; it is the window that fills a new one.
    wait("the window stands", (program.home / "library.sqlite3").exists)
    wait("the first papers are there", lambda: program.ask("status").get("papers", 0) > 100)
    wait("all are found by meaning", lambda: _encoded(program))
    keys = ("xdotool", "search", "--onlyvisible", "--name", "SciRead", "windowfocus", "--sync")
    _outside(program, *keys)
    _outside(program, "xdotool", "key", "ctrl+f")
    _outside(program, "xdotool", "type", "--delay", "20", QUERY)
    time.sleep(5)  # for what is typed to be answered and drawn
    _outside(program, sys.executable, "-c", _GRAB, str(picture))
    own = Path(program.around["HOME"]) / "own.bib"
    own.write_text(ENTRY, "utf-8")
    before = program.ask("status")["papers"]
    program.run(str(own))
    wait("the file is imported", lambda: program.ask("status").get("papers", 0) == before + 1)
    _outside(program, "xdotool", "key", "ctrl+q")
    wait("the window is closed", lambda: window.poll() is not None)
    expect(window.returncode == 0, f"the window ended with code {window.returncode}")


def _encoded(program: Program) -> bool:
    said = program.ask("status")
    return said.get("found_by_meaning", -1) == said.get("papers")


def _outside(program: Program, *command: str) -> None:
    """A program of this machine, on the same display."""
    around = {**os.environ, "DISPLAY": program.around["DISPLAY"], "QT_QPA_PLATFORM": "xcb"}
    done = subprocess.run(command, env=around, capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"{command[0]}: {done.stderr}")


def _headless(program: Program) -> None:
    program.run("encode")
    expect("Go" in program.run("find", QUERY), "nothing of Go is found")
    program.run("train", "start", "miread-small", "--set", "base=starter", "--set", "max_steps=10",
                "--set", "min_papers=5", "--name", "check", "--follow")  # fmt: skip
    program.run("model", "add", str(program.home / "runs" / "check" / "package"))
    before = program.ask("status")["space"]
    models = [one["name"] for one in program.ask("model", "list") if one["name"] != "starter"]
    program.run("model", "activate", models[0])
    expect(
        program.ask("status")["space"] != before and _encoded(program), "the model before answers"
    )
    program.run("find", QUERY)
    expect(all(finding["ok"] for finding in program.ask("doctor")), program.run("doctor"))


if __name__ == "__main__":
    main()
