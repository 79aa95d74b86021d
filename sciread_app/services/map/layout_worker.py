"""Layout and clustering of a map, run in a process of its own: it takes minutes, a gigabyte of
memory and scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sciread_app.language import tr
from sciread_app.services.map import clustering as clusters
from sciread_app.services.map import tsne_layout
from sciread_app.services.map.map_file import Arrays, read_arrays, write_arrays
from sciread_app.services.map.tsne_layout import (
    Coordinates,
    KnnGraph,
    TsneLayout,
    TsneState,
    neighbours,
)
from sciread_app.tasks import Task

_SAVE_EVERY = 100  # steps between two saved states; a killed process loses at most these


class Draft(NamedTuple):
    """A finished layout: positions of papers, centres of fine clusters, their coarse clusters, and
    centres of finest clusters, their fine clusters."""

    places: Coordinates
    centres: NDArray[np.float32]
    parents: NDArray[np.int16]
    finest_centres: NDArray[np.float32]
    finest_parents: NDArray[np.int16]


class Unfinished(NamedTuple):
    """The files from which a stopped or killed layout is resumed."""

    neighbours: Path
    state: Path

    def forget(self) -> None:
        """Delete the files."""
        for path in self:
            path.unlink(missing_ok=True)


def lay_out(
    points: NDArray[np.float32],
    known: KnnGraph | None,
    papers: Arrays,
    unfinished: Unfinished,
    task: Task,
) -> Draft:
    """Lay out points in the plane, and cluster them. Raises Cancelled; the state is saved then.

    `known` are the neighbors, if an unfinished layout has computed them. `papers` identifies the
    points; it is stored with the neighbors.
    """
    near = known or neighbours(points, task)
    if known is None:
        write_arrays(unfinished.neighbours, {**papers, **near._asdict()})
    places = _run_tsne(points, near, unfinished.state, task, resume=known is not None)
    task.step(0, 0, tr("Naming groups"))
    centres, parents = clusters.group(points)
    fine = clusters.nearest_group(points, centres)
    return Draft(places, centres, parents, *clusters.divide(points, fine, len(centres)))


def _run_tsne(
    points: NDArray[np.float32], near: KnnGraph, file: Path, task: Task, *, resume: bool
) -> Coordinates:
    known = read_arrays(file) if resume else None
    if known is not None and len(known.get("places", ())) == len(points):
        state = TsneState(int(known["step"]), known["places"], known["gains"], known["update"])
    else:
        state = None
    layout = TsneLayout(points, near, state)
    while not layout.done:
        task.step(layout.step, tsne_layout.STEPS, tr("Laying out the map"))
        layout.advance()
        if layout.step % _SAVE_EVERY == 0:
            kept = layout.state()
            write_arrays(file, kept._asdict() | {"step": np.array(kept.step)})
    return layout.places()
