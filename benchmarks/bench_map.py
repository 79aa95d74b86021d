"""Neighbour preservation, layout time and frame rate of the map.

    python -m benchmarks.bench_map [--home DIR] [--papers N] [--points N]

DIR (else bench-large, which is made) has the vectors; N of its papers are laid out, and as
many placed among them. Frames are of made-up points, at 100 % and 200 %.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from numpy.typing import NDArray

from benchmarks.large_home import made
from sciread_app.services.map import tsne_layout
from sciread_app.services.map.clustering import group
from sciread_app.services.map.map_service import SAMPLE, Cluster, MapLayout
from sciread_app.tasks import Task

SIZE = (1180, 690)  # of the map in a window of the first size
FRAMES = 240
ASKED = 1_000  # papers whose neighbours are compared


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--home", type=Path)
    arguments.add_argument("--papers", type=int, default=5_000)
    arguments.add_argument("--points", type=int, default=100_000)
    arguments.add_argument("--frames-only", action="store_true")
    given = arguments.parse_args()
    if given.frames_only:
        measure_frames(given.points)
        return
    measure_layout(made(given.home), given.papers)
    measure_stalls(SAMPLE)
    for scale in ("1", "2"):
        subprocess.run(
            [sys.executable, "-m", __spec__.name, "--frames-only", "--points", str(given.points)],
            env={**os.environ, "QT_SCALE_FACTOR": scale},
            check=True,
        )


def measure_layout(home: Path, papers: int) -> None:
    vectors = some_vectors(home, 2 * papers)
    laid, later = vectors[:papers], vectors[papers:]
    begun = time.perf_counter()
    axes = tsne_layout.find_axes(laid)
    points = axes.reduce(laid)
    near = tsne_layout.neighbours(points, Task())
    compared = time.perf_counter()
    layout = tsne_layout.TsneLayout(points, near)
    while not layout.done:
        layout.advance()
    places = layout.places()
    settled = time.perf_counter()
    print(
        f"{len(laid):,} papers: compared in {compared - begun:.1f} s, laid out in "
        f"{settled - compared:.1f} s"
    )
    plain = points[:, :2]
    print(
        "of the 10 nearest in the space, among the 30 nearest on the map: "
        f"{kept_together(laid, places):.1%} (plain PCA {kept_together(laid, plain):.1%})"
    )
    if len(later):
        begun = time.perf_counter()
        seeds = np.arange(len(later))
        placed = tsne_layout.place_among(axes.reduce(later), points, places, seeds, Task())
        took = time.perf_counter() - begun
        every, where = np.concatenate([laid, later]), np.concatenate([places, placed])
        share = kept_together(every, where, asked=np.arange(len(laid), len(every)))
        print(f"{len(later):,} more placed among them in {took:.1f} s: {share:.1%}")


def measure_stalls(papers: int) -> None:
    """Longest time the window is blocked during a layout of synthetic vectors at full size."""
    from PySide6.QtCore import QCoreApplication

    from sciread_app.ui.application import SWITCH_INTERVAL
    from sciread_app.ui.jobs.runner import JobRunner
    from tests.support.ui.heartbeat import FairHeartbeat

    sys.setswitchinterval(SWITCH_INTERVAL)
    app = QCoreApplication.instance() or QCoreApplication([])
    draw = np.random.default_rng(0)
    hearts = draw.normal(size=(80, 384))
    vectors = hearts[draw.integers(80, size=papers)] + draw.normal(size=(papers, 384)) * 2
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    jobs, heart = JobRunner(), FairHeartbeat()

    def work(task: Task) -> None:
        points = tsne_layout.find_axes(vectors).reduce(vectors)
        layout = tsne_layout.TsneLayout(points, tsne_layout.neighbours(points, task))
        for _ in range(4):
            layout.advance()
        group(points)

    heart.start()
    begun = time.perf_counter()
    jobs.run("Drawing the map", work)
    while jobs.running():
        app.processEvents()
        time.sleep(0.0005)
    heart.stop()
    print(
        f"{papers:,} papers compared, moved 100 steps of {tsne_layout.STEPS}, grouped in "
        f"{time.perf_counter() - begun:.0f} s: the window was deaf for {heart.longest_ms:.0f} ms "
        f"at most, {heart.share_over(50):.2%} of the time for more than 50 ms"
    )
    jobs.shut_down()


def some_vectors(home: Path, count: int) -> NDArray[np.float32]:
    """Vectors of a random sample of papers."""
    from sciread_app.encoder import EncoderProcess
    from sciread_app.services.search.embedding_index import EmbeddingIndex
    from sciread_app.storage.library import Library
    from trainer.contract.package import starter_package

    library = Library(home / "library.sqlite3")
    space = EmbeddingIndex(library, EncoderProcess(starter_package()), home / "indexes")
    ids, _, _ = library.vector_rows(space.key)
    drawn = np.random.default_rng(0).permutation(ids)[:count]
    vectors, there = space.vectors(drawn)
    library.close()
    return vectors[there]


def kept_together(
    vectors: NDArray[np.float32],
    places: NDArray[np.float32],
    asked: NDArray[np.int64] | None = None,
) -> float:
    """Share of each paper's 10 nearest neighbours in the space among its 30 nearest on the map."""
    everyone = np.arange(len(vectors)) if asked is None else asked
    some = np.random.default_rng(1).permutation(everyone)[:ASKED]
    rows = np.arange(len(some))
    alike = vectors[some] @ vectors.T
    alike[rows, some] = -np.inf
    nearest = np.argpartition(-alike, 10, axis=1)[:, :10]
    apart = ((places[some][:, None] - places[None]) ** 2).sum(axis=2)
    apart[rows, some] = np.inf
    around = np.argpartition(apart, 30, axis=1)[:, :30]
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(nearest, around, strict=True)]))


def measure_frames(count: int) -> None:
    from PySide6.QtCore import QPointF
    from PySide6.QtWidgets import QApplication

    from sciread_app.ui.jobs.runner import JobRunner
    from sciread_app.ui.map.canvas.points import MapPoints
    from sciread_app.ui.map.canvas.view import MapView
    from sciread_app.ui.style.theme import Appearance

    app = QApplication([])
    appearance, jobs = Appearance(app), JobRunner()
    view = MapView(NoCards(), jobs, appearance)
    view.resize(*SIZE)
    view.show()
    app.processEvents()  # a window that is not on a screen yet paints nothing
    view.show_points(MapPoints(made_up(count)))
    view.repaint()  # letters are drawn for the first time, and points by a worker
    while jobs.running():
        app.processEvents()
    ratio = view.devicePixelRatioF()
    at = QPointF(SIZE[0] / 2, SIZE[1] / 2)
    there_and_back = [3 if n % 80 < 40 else -3 for n in range(FRAMES)]
    far = [paint(view, view.camera.panned(step, step / 2)) for step in there_and_back]
    view.fit()
    into = [paint(view, view.camera.zoomed(1.02, at, view.fit_scale)) for _ in range(FRAMES)]
    near = [paint(view, view.camera.panned(step, step / 2)) for step in there_and_back]
    for name, frames in (("moving over all", far), ("zooming in", into), ("moving near", near)):
        wall, cpu = np.array(frames).T * 1000
        print(
            f"{count:,} points at {ratio:.0%}, {name}: {np.median(wall):.1f} ms a frame, worst "
            f"{wall.max():.1f} (of the processor {np.median(cpu):.1f}, worst {cpu.max():.1f}; "
            "target 33)"
        )
    view.fit()
    begun = time.perf_counter()
    view.repaint()
    while jobs.running() or time.perf_counter() - begun < 0.15:
        app.processEvents()
    print(f"sharp {time.perf_counter() - begun:.2f} s after it came to rest")
    jobs.shut_down()


def paint(view: Any, camera: Any) -> tuple[float, float]:
    begun, computed = time.perf_counter(), time.thread_time()
    view.show_camera(camera)
    view.repaint()
    return time.perf_counter() - begun, time.thread_time() - computed


class NoCards:
    def cards(self, ids: Any) -> list[Any]:
        return []


def made_up(count: int) -> MapLayout:
    """Synthetic points in clusters of all sizes, as on a real map."""
    draw = np.random.default_rng(0)
    groups = 120
    hearts, spread = draw.random((groups, 2)), draw.random(groups) * 0.05 + 0.005
    fine = draw.choice(groups, count, p=(p := draw.random(groups)) / p.sum())
    places = hearts[fine] + draw.normal(size=(count, 2)) * spread[fine, None]
    places = ((places - places.min(axis=0)) / np.ptp(places, axis=0).max()).astype(np.float32)
    coarse = fine % 12
    return MapLayout(
        np.arange(1, count + 1),
        places,
        fine.astype(np.int16),
        coarse.astype(np.int16),
        tuple(_cluster(f"Fine group, number {n}", places[fine == n]) for n in range(groups)),
        tuple(_cluster(f"Coarse group, number {n}", places[coarse == n]) for n in range(12)),
    )


def _cluster(name: str, places: NDArray[np.float32]) -> Cluster:
    x, y = np.median(places, axis=0).tolist()
    return Cluster(name, len(places), (x, y))


if __name__ == "__main__":
    main()
