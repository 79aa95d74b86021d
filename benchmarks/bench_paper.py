"""Time to open a paper: reading its details and painting the panel.

    python -m benchmarks.bench_paper [--home DIR] [--papers N]

DIR (else bench-large, which is made) is only read, apart from migrations.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from benchmarks.large_home import made

T = TypeVar("T")
TARGET = 50.0  # ms


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--home", type=Path)
    arguments.add_argument("--papers", type=int, default=200)
    given = arguments.parse_args()
    measure(made(given.home), given.papers)


def measure(home: Path, count: int) -> None:
    from PySide6.QtWidgets import QApplication

    from sciread_app.domain.citations import CitationDirection
    from sciread_app.domain.paper import Order
    from sciread_app.domain.query.parser import parse
    from sciread_app.domain.query.search_mode import SearchMode
    from sciread_app.tasks import Task
    from sciread_app.ui.jobs.runner import JobRunner
    from sciread_app.ui.paper.details_panel import DetailsPanel
    from sciread_app.ui.shell.gateway import open_gateway
    from sciread_app.ui.style.theme import Appearance
    from sciread_app.ui.view_models import Details
    from tests.support.ui.fakes.context import context_of

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    gateway, jobs = open_gateway(home), JobRunner()
    every = gateway.search.find(parse(""), SearchMode.text, Task(), Order.added).ids
    ids = random.Random(0).sample([int(id) for id in every], count)
    panel = DetailsPanel(gateway.about, context_of(jobs, Appearance(app), home))
    panel.resize(480, 800)
    panel.show()
    app.processEvents()
    cards = {card.paper.id: card for card in gateway.card_loader.cards(ids)}
    print(f"{len(every):,} papers")

    def first(id: int) -> None:
        panel.show_paper(id, cards[id], parse("bees"))  # type: ignore[arg-type]
        panel._pause.stop()
        panel.grab()

    def in_full(id: int, details: Details | None) -> None:
        panel._show(id, details, panel._edits)  # type: ignore[arg-type]
        panel.grab()

    tell("shown from its card and painted", [timed(lambda id=id: first(id)) for id in ids])
    query = parse("neural network")
    looked = []
    shown = []
    for id in ids:
        first(id)
        before = time.perf_counter()
        details = gateway.about.details(id, query, Task())  # type: ignore[arg-type]
        looked.append((time.perf_counter() - before) * 1000)
        shown.append(timed(lambda id=id, details=details: in_full(id, details)))
    tell("looked up, with a query", looked)
    tell("shown in full and painted", shown)
    tell(
        "references",
        [
            timed(lambda id=id: gateway.about.citations(id, CitationDirection.references))
            for id in ids
        ],
    )
    few = ids[:20]
    tell("similar papers", [timed(lambda id=id: gateway.about.similar(id, Task())) for id in few])
    jobs.shut_down()
    gateway.close()


def timed(do: Callable[[], T]) -> float:
    begun = time.perf_counter()
    do()
    return (time.perf_counter() - begun) * 1000


def tell(what: str, times: list[float]) -> None:
    ordered = sorted(times)
    last = ordered[min(len(ordered) - 1, round(len(ordered) * 0.99))]
    print(
        f"{what}: {statistics.median(times):.1f} ms, 99 of 100 within {last:.1f} ms "
        f"(target {TARGET:.0f})"
    )


if __name__ == "__main__":
    main()
