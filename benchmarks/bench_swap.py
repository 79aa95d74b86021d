"""Search latency while the active model changes, compared with before.

`python -m benchmarks.bench_swap [--papers N] [--swaps N] [--seconds N]`. Eight threads search
without pause: the worst that one person can do to two cores. Three models as large as the starter
one, each in its process; first each of two reads the library while it is searched, then they change
places at once. The goal: p95 meanwhile is at most three times the p95 before, and no search fails.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sciread_app.domain.paper import Paper
from sciread_app.domain.query.parser import parse, words_in
from sciread_app.formats import read_file
from sciread_app.paths import Home
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace
from tests.support.generate.papers import paper
from trainer.contract.package import starter_package, write_package

REAL = Path(__file__).resolve().parents[1].parent / "shared/data/arxiv/papers.jsonl.gz"
THREADS, LIMIT = 8, 50
GOAL = 3.0
NAMES = ("starter", "short", "shorter")


class Asked(NamedTuple):
    begun: float
    ended: float


class Searchers:
    """Threads that search continuously."""

    def __init__(self, workspace: Workspace, questions: list[str]) -> None:
        self._workspace = workspace
        self._questions = questions
        self._stop = threading.Event()
        self.asked: list[Asked] = []
        self.failed: list[str] = []
        self._threads = [threading.Thread(target=self._ask, args=(n,)) for n in range(THREADS)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, number: int) -> None:
        while not self._stop.is_set():
            number += THREADS
            begun = time.perf_counter()
            question = self._questions[number % len(self._questions)]
            with self._workspace.active_model.use() as now:
                found = now.search.find(parse(f"{question} {number}"), limit=LIMIT)
            if found.note or not found.hits:
                self.failed.append(found.note or question)
            self.asked.append(Asked(begun, time.perf_counter()))


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--papers", type=int, default=600)
    arguments.add_argument("--swaps", type=int, default=20)
    arguments.add_argument("--seconds", type=float, default=30.0, help="of quiet")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(not measure(Home(Path(folder)), given.papers, given.swaps, given.seconds))


def measure(home: Home, papers: int, swaps: int, seconds: float) -> bool:
    """Whether the goal was reached."""
    workspace = Workspace(home)
    questions = fill(workspace, papers)
    workspace.active_model.encode_missing(Task())
    with workspace.active_model.use() as now:
        now.load()
    searchers = Searchers(workspace, questions)
    time.sleep(3)  # until every thread has asked
    print(f"{papers:,} papers, {THREADS} threads, milliseconds")
    print(f"{'':26}{'searches':>9}{'p50':>8}{'p95':>8}{'worst':>8}{'p95 to quiet':>14}")
    quiet = during(searchers, lambda: time.sleep(seconds))
    before = show("quiet", quiet, 0.0)
    worst = 0.0
    for name in NAMES[1:]:
        read = during(searchers, lambda name=name: activate(workspace, name))
        worst = max(worst, show(f"while “{name}” reads", read, before))
    at_once: list[float] = []
    for number in range(swaps):
        name = NAMES[number % len(NAMES)]
        at_once += during(searchers, lambda name=name: activate(workspace, name))
    worst = max(worst, show(f"{swaps} changes at once", at_once, before))
    show("quiet again", during(searchers, lambda: time.sleep(seconds)), before)
    searchers.stop()
    workspace.close()
    reached = worst <= GOAL * before and not searchers.failed
    print(f"{len(searchers.asked):,} searches, {len(searchers.failed)} failed; p95 at worst "
          f"{worst / before:.1f} times the quiet one, the goal is {GOAL:.0f}: "
          f"{'reached' if reached else 'MISSED'}")  # fmt: skip
    return reached


def activate(workspace: Workspace, name: str) -> None:
    workspace.active_model.activate(name, Task())
    time.sleep(0.5)  # the old one goes


def during(searchers: Searchers, work: Callable[[], None]) -> list[float]:
    """Durations of the searches that ran during an interval."""
    begun = time.perf_counter()
    work()
    ended = time.perf_counter()
    return [
        1000 * (one.ended - one.begun)
        for one in list(searchers.asked)
        if one.ended > begun and one.begun < ended
    ]


def show(what: str, spent: list[float], quiet: float) -> float:
    p50, p95 = np.percentile(spent, [50, 95])
    ratio = f"{p95 / quiet:.1f}" if quiet else ""
    print(f"{what:26}{len(spent):9}{p50:8.0f}{p95:8.0f}{max(spent):8.0f}{ratio:>14}", flush=True)
    return float(p95)


def fill(workspace: Workspace, papers: int) -> list[str]:
    """Papers, real ones where there are some, and two models beside the starter; questions."""
    starter = starter_package()
    for name, most in zip(NAMES[1:], (256, 128), strict=True):
        folder = workspace.home.models / name
        write_package(replace(starter, folder=folder, title=name, max_tokens=most), starter.folder)
    made = (paper(f"Paper {n} on bees", abstract="They dance. " * 40) for n in range(papers))
    real = (one for one in read_file(REAL) if isinstance(one, Paper)) if REAL.exists() else made
    workspace.library.put(list(islice(real, papers)))
    titles = [title for title, _ in workspace.library.texts(workspace.library.ids())]
    return [" ".join(words_in(title)[:6]) for title in titles]


if __name__ == "__main__":
    main()
