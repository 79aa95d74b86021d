"""Checks of the frozen window on a separate display, operated by keyboard, with screenshots."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from about import ROOT
from frozen_program import Program, expect, wait

_GRAB = """import sys
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
app = QApplication(sys.argv)
picture = app.primaryScreen().grabWindow(0)
small = picture.toImage().scaled(140, 90)
dots = [QColor(small.pixel(x, y)).getRgb()[:3] for x in range(140) for y in range(90)]
print(sum(r > 200 and g < 60 and b > 200 for r, g, b in dots))
sys.exit(not picture.save(sys.argv[1]))
"""
_BIB = """@article{own2024, title = {Herring of the northern fjords},
  author = {Hansen, Ida}, journal = {Fisheries}, year = {2024}}
"""
_RIS = "TY  - JOUR\nTI  - Cod of the southern banks\nAU  - Hansen, Ida\nPY  - 2023\nER  - \n"
_SEARCH = ("search", "--onlyvisible", "--name", "SciRead")
_TITLE = "Magenta squares considered"


@contextmanager
def display() -> Iterator[str]:
    """Start an X server and yield its display's name; empty without Xvfb and xdotool."""
    if not (shutil.which("Xvfb") and shutil.which("xdotool")):
        yield ""
        return
    reader, writer = os.pipe()
    shown = ["-screen", "0", "1400x900x24", "-nolisten", "tcp"]
    server = subprocess.Popen(
        # Without -noreset the server restarts, and is unreachable, when its last client closes.
        ["Xvfb", "-displayfd", str(writer), "-noreset", *shown],
        pass_fds=[writer],
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    try:
        yield f":{os.read(reader, 16).decode().strip()}"
    finally:
        server.terminate()
        server.wait()


class Window:
    """A started window, operated by keyboard."""

    def __init__(self, program: Program) -> None:
        self._program = program
        began = time.monotonic()
        self._process = program.begin()
        while self._on_display("xdotool", *_SEARCH).returncode:
            expect(self._process.poll() is None, "the window does not open")
            time.sleep(0.02)
        self.seconds = time.monotonic() - began  # until the window was visible

    def press(self, *keys: str) -> None:
        self._outside("xdotool", *_SEARCH, "windowfocus")
        self._outside("xdotool", "key", "--delay", "100", *keys)

    def write(self, text: str) -> None:
        self._outside("xdotool", "type", "--delay", "20", text)

    def picture(self, file: Path) -> int:
        """Save a screenshot and return how many of its 12,600 sampled pixels are magenta."""
        return int(self._outside(sys.executable, "-c", _GRAB, str(file)))

    def quit(self) -> None:
        self.press("ctrl+q")
        wait("the window is closed", lambda: self._process.poll() is not None)
        code = self._process.returncode
        expect(code == 0, f"the window ended with code {code}")

    def _outside(self, *command: str) -> str:
        done = self._on_display(*command)
        expect(done.returncode == 0, f"{command[0]}: {done.stderr}")
        return done.stdout

    def _on_display(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run an installed program on the same display."""
        display = self._program.environment["DISPLAY"]
        variables = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        return subprocess.run(command, env=variables, capture_output=True, text=True, check=False)


def first_start(program: Program, picture: Path, query: str) -> Window:
    """Start with a new library, add the sample papers to it and search them."""
    window = Window(program)
    wait("the library is made beside the program", (program.library / "library.sqlite3").exists)
    program.run(str(ROOT / "resources" / "sample_library.bib"))
    wait("the first papers are there", lambda: program.ask("status").get("papers", 0) > 100)
    wait("all are found by meaning", lambda: encoded(program))
    window.press("ctrl+f")
    window.write(query)
    time.sleep(5)  # for the search and the drawing
    window.picture(picture)
    return window


def takes_files(program: Program) -> None:
    """Import files given to a second start of the program, as a desktop does."""
    before = program.ask("status")["papers"]
    for name, content in (("a.bib", _BIB), ("b.ris", _RIS), ("c.pdf", pdf())):
        (program.place / name).write_text(content, "latin-1")
    program.run("a.bib", "b.ris", "c.pdf")
    wait("the files are imported", lambda: program.ask("status").get("papers", 0) == before + 3)
    wait("they are found by meaning", lambda: encoded(program))


def reads(window: Window, picture: Path) -> None:
    """Open a PDF whose page has a colour that nothing else in the window has."""
    expect(window.picture(picture) == 0, f"the window has that colour: {picture}")
    window.press("ctrl+1", "ctrl+f", "ctrl+a")
    window.write(_TITLE)
    time.sleep(5)
    window.press("Return", "Down", "ctrl+shift+Return")
    wait("the PDF is drawn", lambda: window.picture(picture) > 500)


def maps(program: Program, window: Window, picture: Path) -> None:
    window.press("ctrl+2")
    wait("the map is drawn", lambda: any(program.library.rglob("*.atlas")))
    window.picture(picture)


def swaps(program: Program, window: Window, picture: Path) -> None:
    """Activate the model listed below the active one."""
    before = program.ask("status")["space"]
    window.press("ctrl+7")
    time.sleep(5)
    window.press("Down", "ctrl+Return")
    wait("the other model answers", lambda: program.ask("status").get("space") != before)
    wait("it has read all papers", lambda: encoded(program))
    window.picture(picture)


def start_times(program: Program) -> None:
    """Compare the start times of the frozen and the unfrozen window: the best of three each."""
    best: dict[str, float] = {}
    frozen: tuple[list[str | Path], dict[str, str]] = program.start_with, program.environment
    plain = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    unfrozen: tuple[list[str | Path], dict[str, str]] = (
        [sys.executable, "-m", "sciread_app"],
        program.environment
        | plain
        | {"PYTHONPATH": str(ROOT), "SCIREAD_HOME": str(program.library)},
    )
    for _ in range(3):
        for name, (program.start_with, program.environment) in (
            ("frozen", frozen),
            ("unfrozen", unfrozen),
        ):
            window = Window(program)
            best[name] = min(window.seconds, best.get(name, window.seconds))
            time.sleep(2)  # until it accepts keys
            window.quit()
    program.start_with, program.environment = frozen
    one, other = best["frozen"], best["unfrozen"]
    print(
        f"The window stands after {one:.2f} s, unfrozen after {other:.2f}: {one / other:.2f} times"
    )


def encoded(program: Program) -> bool:
    status = program.ask("status")
    return bool(status and status["found_by_meaning"] == status["papers"])


def pdf() -> str:
    """Return a PDF of one magenta page with a title."""
    drawn = "1 0 1 rg 0 0 600 800 re f"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Count 1/Kids[3 0 R]>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<<>>>>",
        f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream",
        f"<</Title({_TITLE})>>",
    ]
    text, places = "%PDF-1.5\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{content}\nendobj\n"
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(text)
    text += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}"
    text += f"trailer\n<</Size {len(objects) + 1}/Root 1 0 R/Info 5 0 R>>\n"
    return f"{text}startxref\n{start}\n%%EOF\n"
