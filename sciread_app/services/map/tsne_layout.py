"""Where papers lie on a map: neighbours among vectors become neighbours on a plane (t-SNE)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sciread_app.language import tr
from sciread_app.tasks import Task

Vectors = NDArray[np.float32]
Places = NDArray[np.float32]  # [papers, 2]

DIMENSIONS = 100  # what neighbours are looked for in: all of a vector finds hardly more of them
PERPLEXITY = 20.0  # how many papers around it each is held together with
_NEIGHBOURS = 60  # three times that: those farther away do not count
# Papers whose distances to all others are in memory at a time: more are no quicker, and so large
# pieces of memory are not given back.
_BLOCK = 32

EARLY, STEPS = 250, 750  # steps in which groups form, and all of them
STRIDE = 25  # steps between two chances to stop
# Groups hold together more tightly than plain t-SNE would have it: there are straits between
# them, by which one finds one's way.
_EARLY_PULL, _PULL = 12.0, 1.5
_LARGE = 2_000  # papers from which on pushing is quicker by interpolation than by a tree

_AROUND = 10  # papers by which a new one is placed
_COMPARED = 1_000  # papers of a map that say how similar neighbours are there
_STRAY = 2.0  # percent of them that are less similar to their neighbours than a paper that fits
_ROUNDING = 1e-3  # of similarities: vectors are kept in 16 bits
_TOGETHER = 2.0  # how near each other those of them count that do, in steps from point to point


class Axes(NamedTuple):
    """The directions in which vectors differ most."""

    mean: Vectors
    directions: Vectors  # [dim, DIMENSIONS at most]

    def reduce(self, vectors: Vectors) -> Vectors:
        reduced = (vectors - self.mean) @ self.directions
        return reduced.astype(np.float32, copy=False)


class NeighbourGraph(NamedTuple):
    """Of each paper, the nearest others, nearest first."""

    indices: NDArray[np.int64]
    distances: NDArray[np.float32]


class TsneState(NamedTuple):
    """How far a layout has come; to go on from it is the same as never to have stopped."""

    step: int
    places: NDArray[np.float64]
    gains: NDArray[np.float64]
    update: NDArray[np.float64]


def find_axes(vectors: Vectors) -> Axes:
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    _, directions = np.linalg.eigh(centred.T @ centred)
    directions = _signed(directions[:, ::-1][:, :DIMENSIONS])
    return Axes(mean.astype(np.float32), directions.astype(np.float32))


def _signed(directions: NDArray[Any]) -> NDArray[Any]:
    """The sign of a direction is chance; this one does not depend on the machine."""
    largest = np.abs(directions).argmax(axis=0)
    signed: NDArray[Any] = directions * np.sign(directions[largest, np.arange(len(largest))])
    return signed


def nearest(points: Vectors, among: Vectors, k: int, task: Task, note: str) -> NeighbourGraph:
    """Of each point, the k nearest `among` others, exact."""
    indices = np.empty((len(points), k), np.int64)
    distances = np.empty((len(points), k), np.float32)
    lengths = np.einsum("ij,ij->i", among, among)
    for start in range(0, len(points), _BLOCK):
        task.step(start, len(points), note)
        block = points[start : start + _BLOCK]
        # Squared distances, less what is the same for all others.
        far = lengths - 2 * (block @ among.T)
        few = np.argpartition(far, k - 1, axis=1)[:, :k]
        near = np.take_along_axis(far, few, axis=1)
        order = np.argsort(near, axis=1, kind="stable")
        rows = slice(start, start + len(block))
        indices[rows] = np.take_along_axis(few, order, axis=1)
        squares = np.take_along_axis(near, order, axis=1)
        squares += np.einsum("ij,ij->i", block, block)[:, None]
        distances[rows] = np.sqrt(squares.clip(min=0))
    return NeighbourGraph(indices, distances)


def neighbours(points: Vectors, task: Task) -> NeighbourGraph:
    """Of each point, the nearest others but itself, as many as a layout needs."""
    k = min(_NEIGHBOURS, len(points) - 1)
    found = nearest(points, points, k + 1, task, tr("Comparing papers"))
    itself = found.indices == np.arange(len(points))[:, None]
    # Among many that are the same it may not have found itself.
    itself[~itself.any(axis=1), -1] = True
    shape = (len(points), k)
    return NeighbourGraph(
        found.indices[~itself].reshape(shape), found.distances[~itself].reshape(shape)
    )


class TsneLayout:
    """Papers that pull their neighbours and push the others, step by step."""

    def __init__(
        self, points: Vectors, near: NeighbourGraph, state: TsneState | None = None
    ) -> None:
        # Brings scikit-learn and takes seconds: only here, and never on the window's thread.
        from openTSNE import TSNEEmbedding
        from openTSNE.affinity import PerplexityBasedNN
        from openTSNE.nearest_neighbors import PrecomputedNeighbors

        index = PrecomputedNeighbors(near.indices, near.distances.astype(np.float64))
        most = near.indices.shape[1] / 3
        pulls = PerplexityBasedNN(knn_index=index, perplexity=min(PERPLEXITY, most), n_jobs=1)
        self._map = TSNEEmbedding(
            _begin(points) if state is None else state.places,
            pulls,
            negative_gradient_method="fft" if len(points) >= _LARGE else "bh",
            n_jobs=1,  # the window wants a core, and sums come out the same everywhere
            random_state=0,
        )
        self.step = 0
        if state is not None:
            self.step = state.step
            self._map.optimizer.gains = state.gains.copy()
            self._map.optimizer.update = state.update.copy()

    @property
    def done(self) -> bool:
        return self.step >= STEPS

    def advance(self) -> None:
        """A few steps further."""
        early = self.step < EARLY
        if self.step == EARLY:
            # What was gathered while groups formed would fling them apart now.
            self._map.optimizer.gains = self._map.optimizer.update = None
        self._map.optimize(
            STRIDE,
            inplace=True,
            propagate_exception=True,
            exaggeration=_EARLY_PULL if early else _PULL,
            momentum=0.5 if early else 0.8,
        )
        self.step += STRIDE

    def state(self) -> TsneState:
        optimizer = self._map.optimizer
        return TsneState(
            self.step, np.array(self._map), np.array(optimizer.gains), np.array(optimizer.update)
        )

    def places(self) -> Places:
        """In the unit square, neither stretched nor squeezed, its longest side across."""
        found = np.asarray(self._map, np.float64)
        found = found - found.mean(axis=0)
        found = found @ _signed(np.linalg.eigh(found.T @ found)[1][:, ::-1])
        low, high = found.min(axis=0), found.max(axis=0)
        size = max(float((high - low).max()), 1e-12)
        places: Places = ((found - (low + high) / 2) / size + 0.5).astype(np.float32)
        return places


def _begin(points: Vectors) -> NDArray[np.float64]:
    """Close together, where they lie along the first two axes. Of papers that are all the same
    none may lie on another: openTSNE would divide by how far they reach, and die."""
    begin = points[:, :2].astype(np.float64)
    spread = float(begin.std(axis=0).max())
    if spread < 1e-12:
        begin, spread = _astray(np.arange(len(points))), 1.0
    return begin / spread * 1e-4


def place_among(
    points: Vectors, drawn: Vectors, places: Places, seeds: NDArray[np.int64], task: Task
) -> Places:
    """Places for new points on a map that stays as it is: where most of their nearest lie.

    `seeds` tell apart points that would else lie on one another.
    """
    k = min(_AROUND, len(drawn))
    near = nearest(points, drawn, k, task, tr("Placing papers")).indices
    around = places[near]  # [points, k, 2]
    squares = ((around[:, :, None] - around[:, None]) ** 2).sum(axis=3)
    step = 1 / np.sqrt(len(drawn))
    closeness = np.exp(-squares / (_TOGETHER * step) ** 2) / np.sqrt(np.arange(1, k + 1))
    # The neighbours may lie on two shores: the middle would be in the water between them.
    shore = closeness.sum(axis=2).argmax(axis=1)
    weights = closeness[np.arange(len(points)), shore]
    weights /= weights.sum(axis=1, keepdims=True)
    middle = np.einsum("ij,ijk->ik", weights, around)
    placed: Places = (middle + _astray(seeds) * step * 0.4).astype(np.float32)
    return placed


def similarity_to_nearest(vectors: Vectors, among: Vectors, *, within: bool = False) -> Vectors:
    """How similar each vector is to those of its nearest papers: the mean cosine, [papers].

    All are of unit length. `within`: the vectors are some of `among`, and none is its own
    neighbour.
    """
    k = min(_AROUND, len(among) - within)
    found = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), _BLOCK):
        alike = vectors[start : start + _BLOCK] @ among.T
        alike.partition((alike.shape[1] - k - within, alike.shape[1] - 1), axis=1)
        nearest_ones = alike[:, alike.shape[1] - k - within :]
        found[start : start + _BLOCK] = (nearest_ones.sum(1) - within * alike[:, -1]) / k
    return found


def least_similarity(vectors: Vectors) -> float:
    """Below which a paper is less similar to its nearest than nearly all of these are to theirs."""
    chosen = vectors
    if len(vectors) > _COMPARED:
        rows = np.random.default_rng(0).choice(len(vectors), _COMPARED, replace=False)
        chosen = vectors[rows]
    alike = similarity_to_nearest(chosen, vectors, within=True)
    return float(np.percentile(alike, _STRAY)) - _ROUNDING


def _astray(seeds: NDArray[np.int64]) -> NDArray[np.float64]:
    """A small step in a direction of its own for each seed, the same each time."""
    mixed = (seeds.astype(np.uint64) + 1) * np.uint64(0x9E3779B97F4A7C15)
    angle = (mixed >> np.uint64(40)).astype(np.float64) / 2**24 * 2 * np.pi
    length = np.sqrt((mixed & np.uint64(0xFFFF)).astype(np.float64) / 2**16) * 0.5
    return np.stack([np.cos(angle), np.sin(angle)], axis=1) * length[:, None]
