"""Start-up time of the window, its first run, and how long it is blocked during an import.

    python -m benchmarks.bench_window [--home DIR] [--papers N]

DIR (else bench-large, which is made) is what the window is opened on. For the import a
home of its own is made, with N papers; they are encoded by the starter model.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from benchmarks.large_home import made, write_papers

STARTS = 5

OPENING = """
import time
begun = time.perf_counter()
import os, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from sciread_app.paths import open_home
from sciread_app.ui.application import SWITCH_INTERVAL, _Opening
from sciread_app.ui.shell.startup.qt_application import disable_source_inspection
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.style.theme import Appearance

sys.setswitchinterval(SWITCH_INTERVAL)
disable_source_inspection()
app, jobs, home = QApplication([]), JobRunner(), open_home(Path(sys.argv[1]))
window = MainWindow(home.folder, jobs, Appearance(app))
opening = _Opening(home, window, jobs, None, "")
window.show()
opening.start()
app.processEvents()
stands = time.perf_counter() - begun, time.process_time()

def filled(view):
    print(*stands, time.perf_counter() - begun, time.process_time(), flush=True)
    os._exit(0)

def listen():
    window.page.view_shown.connect(filled)

window.events.opened.connect(listen)
app.exec()
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--home", type=Path, help="folder of a library")
    arguments.add_argument("--papers", type=int, default=2_000)
    given = arguments.parse_args()
    home = made(given.home)
    starts = [opened(home) for _ in range(STARTS)]
    stands, computed, filled, computed_filled = map(min, zip(*starts, strict=True))
    print(
        f"the window stands after {stands:.2f} s ({computed:.2f} s of processor time; goal 0.4), "
        f"with papers after {filled:.2f} s ({computed_filled:.2f} s; goal 1)"
    )
    with tempfile.TemporaryDirectory() as folder:
        watch(Path(folder), given.papers)


def opened(home: Path) -> list[float]:
    """Seconds and processor time in seconds until the window is painted, and the same until it
    shows papers."""
    run = subprocess.run(
        [sys.executable, "-c", OPENING, str(home)], capture_output=True, text=True, check=True
    )
    return [float(text) for text in run.stdout.split()]


def watch(folder: Path, count: int) -> None:
    from PySide6.QtWidgets import QApplication

    from benchmarks.stalls import StallMeter
    from sciread_app.ui.application import SWITCH_INTERVAL
    from sciread_app.ui.jobs.runner import JobRunner
    from sciread_app.ui.shell.gateway import open_gateway
    from sciread_app.ui.shell.main_window import MainWindow
    from sciread_app.ui.shell.startup.garbage_collector import GarbageCollector
    from sciread_app.ui.style.theme import Appearance

    write_papers(folder / "papers.jsonl", count)
    sys.setswitchinterval(SWITCH_INTERVAL)
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    jobs, meter = JobRunner(), StallMeter(app)
    collector = GarbageCollector(jobs)
    window = MainWindow(folder, jobs, Appearance(app))
    window.show()
    gateway = open_gateway(folder / "home")
    gc.freeze()  # as the program does when the library is open
    meter.do(partial(window.open, gateway), "opening an empty library: the welcome page")
    meter.wait(0.5, lambda: not jobs.running())
    begun = time.monotonic()
    meter.do(partial(window.importing.add, [folder / "papers.jsonl"]), "importing and indexing")
    meter.wait(0.5, lambda: not jobs.running())
    status = gateway.status()
    print(
        f"{status.papers:,} papers imported, {status.papers - status.without_vector:,} encoded in "
        f"{time.monotonic() - begun:.0f} s"
    )
    print(meter.report())
    jobs.shut_down()
    collector.stop()
    gateway.close()


if __name__ == "__main__":
    main()
