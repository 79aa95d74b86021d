"""The part of drawing a map that takes minutes, a gigabyte and scikit-learn."""

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
    NeighbourGraph,
    Places,
    TsneLayout,
    TsneState,
    neighbours,
)
from sciread_app.tasks import Task

_KEPT_EVERY = 100  # steps of a layout after which a kill costs no more than these


class Draft(NamedTuple):
    """Where papers lie, the centres of their groups, and which coarse group each belongs to."""

    places: Places
    centres: NDArray[np.float32]
    parents: NDArray[np.int16]


class Unfinished(NamedTuple):
    """The files that a drawing goes on from which was stopped or killed."""

    neighbours: Path
    state: Path

    def forget(self) -> None:
        for path in self:
            path.unlink(missing_ok=True)


def lay_out(
    points: NDArray[np.float32],
    known: NeighbourGraph | None,
    papers: Arrays,
    unfinished: Unfinished,
    task: Task,
) -> Draft:
    """Lay these points out on a plane. `known` are their neighbours, if an unfinished drawing has
    come so far; `papers` says whose points they are, which is written beside them."""
    near = known or neighbours(points, task)
    if known is None:
        write_arrays(unfinished.neighbours, {**papers, **near._asdict()})
    places = _settle(points, near, unfinished.state, task, resume=known is not None)
    task.step(0, 0, tr("Naming groups"))
    return Draft(places, *clusters.group(points))


def _settle(
    points: NDArray[np.float32], near: NeighbourGraph, file: Path, task: Task, *, resume: bool
) -> Places:
    known = read_arrays(file) if resume else None
    if known is not None and len(known.get("places", ())) == len(points):
        state = TsneState(int(known["step"]), known["places"], known["gains"], known["update"])
    else:
        state = None
    layout = TsneLayout(points, near, state)
    while not layout.done:
        task.step(layout.step, tsne_layout.STEPS, tr("Laying out the map"))
        layout.advance()
        if layout.step % _KEPT_EVERY == 0:
            kept = layout.state()
            write_arrays(file, kept._asdict() | {"step": np.array(kept.step)})
    return layout.places()
