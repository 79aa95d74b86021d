"""Typical use of the window on 153,940 papers during an import: every page, tab and popup.

    python -m benchmarks.bench_desktop [--home DIR] [--papers N] [--import N]

DIR (else bench-large) is filled by benchmarks.large_home. Prints, for each kind of action, the
longest time the window was blocked (see stalls.Stall) and the peak memory, without the model, which
is a separate process.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
from PySide6.QtWidgets import QApplication

from benchmarks.large_home import PAPERS, made, write_papers
from benchmarks.stalls import LIMIT_MS, TYPING_LIMIT_MS, StallMeter
from sciread_app.ui.application import SWITCH_INTERVAL
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.shell.gateway import open_gateway
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.page_preloader import PagePreloader
from sciread_app.ui.shell.startup.garbage_collector import GarbageCollector
from sciread_app.ui.shell.startup.qt_application import disable_source_inspection
from sciread_app.ui.style.theme import Appearance
from tests.support.ui.working_day import type_query, working_day

PAUSE = 0.4  # seconds between two actions
BETWEEN_KEYS = 0.15
QUERIES = ("superconducting films", "galaxy clusters", "protein folding", "year:2010 spin glass")


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--home", type=Path)
    asked.add_argument("--papers", type=int, default=PAPERS)
    asked.add_argument("--import", dest="coming", type=int, default=10_000)
    wanted = asked.parse_args()
    source = made(wanted.home, wanted.papers)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        shutil.copytree(source, home)  # imports must not change the original
        write_papers(Path(folder) / "papers.jsonl", wanted.coming)
        rename(Path(folder) / "papers.jsonl")
        work(home, Path(folder) / "papers.jsonl")


def rename(path: Path) -> None:
    """Rename papers so that they are new to the library, and are stored and encoded."""
    lines = []
    for line in path.read_text("utf-8").splitlines():
        paper = json.loads(line)
        paper.pop("doi", None)
        paper["id"], paper["title"] = f"x:new-{paper['id']}", f"New: {paper['title'][::-1]}"
        lines.append(json.dumps(paper) + "\n")
    path.write_text("".join(lines), "utf-8")


def work(home: Path, papers: Path) -> None:
    sys.setswitchinterval(SWITCH_INTERVAL)
    disable_source_inspection()
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    jobs = JobRunner()
    collector = GarbageCollector(jobs)
    window = MainWindow(home, jobs, Appearance(app))
    PagePreloader(window, jobs)
    window.resize(1400, 900)
    window.show()
    gateway = open_gateway(home)
    gc.freeze()  # as the program does when the library is open
    meter = StallMeter(app)
    meter.do(partial(window.open, gateway), "opening the library")
    meter.wait(1.0, lambda: window.is_open and not jobs.running())
    count, at_rest = gateway.status().papers, megabytes()
    importing = window.importing.add([papers])

    def name(what: str) -> str:
        return f"{what} during {'an import' if importing in jobs.running() else 'indexing'}"

    for query in QUERIES:
        meter.follow(type_query(window, query), BETWEEN_KEYS, name)
    meter.wait(0, lambda: importing not in jobs.running())
    most, added = megabytes(), gateway.status().papers - count
    meter.follow(working_day(window), PAUSE)
    most = max(most, megabytes())
    print(f"{count:,} papers, {added:,} imported meanwhile")
    print(meter.report(lambda what: TYPING_LIMIT_MS if "during an import" in what else LIMIT_MS))
    print(
        f"memory: {at_rest:.0f} MB at rest, {most:.0f} MB at most (goal 700), "
        f"{megabytes():.0f} MB in the end"
    )
    jobs.shut_down()
    collector.stop()
    gateway.close()


def megabytes() -> float:
    """Resident memory of this process, mapped files included."""
    return psutil.Process().memory_info().rss / 2**20


if __name__ == "__main__":
    main()
