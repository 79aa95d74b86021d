"""An hour of use of the window in a minute, on 153,940 papers, during an import.

    python -m benchmarks.bench_desktop [--home DIR] [--papers N] [--import N]

DIR (else bench-large) is filled by benchmarks.large_home. Prints, for each
kind of action, the longest time the window was blocked and the peak memory, without the model,
which is a separate process. Measures the CPU time of the window's thread, so that other load on the
machine does not count.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from benchmarks.large_home import PAPERS, made, write_papers
from sciread_app.ui.application import SWITCH_INTERVAL
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.shell.gateway import open_gateway
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.startup.qt_application import disable_source_inspection
from sciread_app.ui.style.theme import Appearance
from tests.support.ui.heartbeat import FairHeartbeat
from tests.support.ui.working_day import working_day

PAUSE = 0.4  # seconds between two actions
TARGET_MS = 50


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--home", type=Path)
    asked.add_argument("--papers", type=int, default=PAPERS)
    asked.add_argument("--import", dest="coming", type=int, default=3_000)
    wanted = asked.parse_args()
    source = made(wanted.home, wanted.papers)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        shutil.copytree(source, home)  # imports must not change the original
        write_papers(Path(folder) / "papers.jsonl", wanted.coming)
        renamed(Path(folder) / "papers.jsonl")
        work(home, Path(folder) / "papers.jsonl")


def renamed(path: Path) -> None:
    """Rename papers so that they are new to the library, and are stored and encoded."""
    text = (
        path.read_text("utf-8")
        .replace('"id": "', '"id": "new-')
        .replace('"title": "', '"title": "New: ')
    )
    path.write_text(text, "utf-8")


def work(home: Path, papers: Path) -> None:
    sys.setswitchinterval(SWITCH_INTERVAL)
    disable_source_inspection()
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    jobs = JobRunner()
    window = MainWindow(home, jobs, Appearance(app))
    window.resize(1400, 900)
    window.show()
    gateway = open_gateway(home)
    window.open(gateway)
    pass_time(app, 1.0, jobs)
    gc.freeze()  # as the program does when the library is open
    most = megabytes()
    print(f"{gateway.status().papers:,} papers, {most:.0f} MB at rest")
    assert window.importing
    window.importing.add([papers])
    longest: defaultdict[str, float] = defaultdict(float)
    heart = FairHeartbeat()
    heart.start()
    begun, seen = time.monotonic(), 0
    for what in working_day(window):
        pass_time(app, PAUSE)
        most = max(most, megabytes())
        longest[what] = max(longest[what], *heart.gaps_ms[seen:], 0.0)
        seen = heart.beats
    heart.stop()
    for what, gap in longest.items():
        print(f"  {what:32}{gap:7.0f} ms{'  over' if gap > TARGET_MS else ''}")
    print(
        f"in {time.monotonic() - begun:.0f} s the window was deaf for {heart.longest_ms:.0f} ms at "
        f"most, {heart.share_over(TARGET_MS):.2%} of the time for more than {TARGET_MS} ms "
        f"(target: never); {most:.0f} MB at most (target 700), {megabytes():.0f} MB in the end"
    )
    jobs.shut_down()
    gateway.close()


def megabytes() -> float:
    """Resident memory of this process, mapped files included."""
    return psutil.Process().memory_info().rss / 2**20


def pass_time(app: QApplication, seconds: float, jobs: JobRunner | None = None) -> None:
    """Process events for some time, and until all `jobs` have ended, if given."""
    until = time.monotonic() + seconds
    while time.monotonic() < until or (jobs and jobs.running()):
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)
        time.sleep(0.0005)


if __name__ == "__main__":
    main()
