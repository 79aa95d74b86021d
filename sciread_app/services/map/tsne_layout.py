"""Layout of papers in the plane by t-SNE, and placement of further papers on it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sciread_app.language import tr
from sciread_app.tasks import Task

Vectors = NDArray[np.float32]
Coordinates = NDArray[np.float32]  # [papers, 2]

DIMENSIONS = 100  # principal components used for neighbors; more find hardly any others
PERPLEXITY = 20.0
_NEIGHBOURS = 60  # three times the perplexity: the weights of farther ones are negligible
# Papers whose distances to all others are in memory at a time. Larger blocks are no faster, and
# their memory would not be returned to the system.
_BLOCK = 32

EARLY, STEPS = 250, 750  # steps of early exaggeration, and steps in all
STRIDE = 25  # steps per call of `advance`, between which a layout can be stopped
# Exaggeration. After the early phase it stays above 1, the value of plain t-SNE, so that gaps
# remain between clusters, which help orientation on the map.
_EARLY_EXAGGERATION, _EXAGGERATION = 12.0, 1.5
_LARGE = 2_000  # points from which interpolation (FIt-SNE) is faster than Barnes-Hut

_AROUND = 10  # nearest papers from which the position of a new one is computed
_SAMPLED = 1_000  # sampled papers of a map for the distribution of similarities to neighbors
_OUTLIER_PERCENTILE = 2.0  # percentile of this distribution below which a new paper fits no cluster
_ROUNDING = 1e-3  # tolerance of similarities: vectors are stored in 16 bits
_KERNEL_WIDTH = 2.0  # kernel width for the closeness of neighbors, in mean distances of points


class Axes(NamedTuple):
    """The principal components of a set of vectors."""

    mean: Vectors
    directions: Vectors  # [dim, DIMENSIONS at most]

    def reduce(self, vectors: Vectors) -> Vectors:
        reduced = (vectors - self.mean) @ self.directions
        return reduced.astype(np.float32, copy=False)


class KnnGraph(NamedTuple):
    """For each paper, the rows of the nearest others and their distances, nearest first."""

    indices: NDArray[np.int64]
    distances: NDArray[np.float32]


class TsneState(NamedTuple):
    """The state of a layout. Resuming from it gives the same result as an uninterrupted run."""

    step: int
    places: NDArray[np.float64]
    gains: NDArray[np.float64]
    update: NDArray[np.float64]


def find_axes(vectors: Vectors) -> Axes:
    """Compute the principal components of vectors, [papers, dim]."""
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    _, directions = np.linalg.eigh(centred.T @ centred)
    directions = _signed(directions[:, ::-1][:, :DIMENSIONS])
    return Axes(mean.astype(np.float32), directions.astype(np.float32))


def _signed(directions: NDArray[Any]) -> NDArray[Any]:
    """Choose the signs of eigenvectors by their largest component, since LAPACK's vary by
    machine."""
    largest = np.abs(directions).argmax(axis=0)
    signed: NDArray[Any] = directions * np.sign(directions[largest, np.arange(len(largest))])
    return signed


def nearest(points: Vectors, among: Vectors, k: int, task: Task, note: str) -> KnnGraph:
    """Find the `k` nearest of `among` for each point, exactly. Raises Cancelled."""
    indices = np.empty((len(points), k), np.int64)
    distances = np.empty((len(points), k), np.float32)
    lengths = np.einsum("ij,ij->i", among, among)
    for start in range(0, len(points), _BLOCK):
        task.step(start, len(points), note)
        block = points[start : start + _BLOCK]
        # Squared distances without the point's own norm, which does not change the order.
        far = lengths - 2 * (block @ among.T)
        few = np.argpartition(far, k - 1, axis=1)[:, :k]
        near = np.take_along_axis(far, few, axis=1)
        order = np.argsort(near, axis=1, kind="stable")
        rows = slice(start, start + len(block))
        indices[rows] = np.take_along_axis(few, order, axis=1)
        squares = np.take_along_axis(near, order, axis=1)
        squares += np.einsum("ij,ij->i", block, block)[:, None]
        distances[rows] = np.sqrt(squares.clip(min=0))
    return KnnGraph(indices, distances)


def neighbours(points: Vectors, task: Task) -> KnnGraph:
    """Find the neighbors of each point that a layout needs, without itself. Raises Cancelled."""
    k = min(_NEIGHBOURS, len(points) - 1)
    found = nearest(points, points, k + 1, task, tr("Comparing papers"))
    itself = found.indices == np.arange(len(points))[:, None]
    # Among many equal points, a point may not be among its own nearest.
    itself[~itself.any(axis=1), -1] = True
    shape = (len(points), k)
    return KnnGraph(found.indices[~itself].reshape(shape), found.distances[~itself].reshape(shape))


class TsneLayout:
    """A t-SNE layout that is advanced in steps and can be resumed."""

    def __init__(self, points: Vectors, near: KnnGraph, state: TsneState | None = None) -> None:
        # Imports scikit-learn, which takes seconds: only here, and never in the window's thread.
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
            n_jobs=1,  # leaves a core to the window, and gives the same sums on every machine
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
        """Run STRIDE steps."""
        early = self.step < EARLY
        if self.step == EARLY:
            # The gains and momentum of the early phase would scatter the clusters now.
            self._map.optimizer.gains = self._map.optimizer.update = None
        self._map.optimize(
            STRIDE,
            inplace=True,
            propagate_exception=True,
            exaggeration=_EARLY_EXAGGERATION if early else _EXAGGERATION,
            momentum=0.5 if early else 0.8,
        )
        self.step += STRIDE

    def state(self) -> TsneState:
        optimizer = self._map.optimizer
        return TsneState(
            self.step, np.array(self._map), np.array(optimizer.gains), np.array(optimizer.update)
        )

    def places(self) -> Coordinates:
        """Return the positions in the unit square, scaled equally in both directions and rotated so
        that the longest extent is horizontal."""
        found = np.asarray(self._map, np.float64)
        found = found - found.mean(axis=0)
        found = found @ _signed(np.linalg.eigh(found.T @ found)[1][:, ::-1])
        low, high = found.min(axis=0), found.max(axis=0)
        size = max(float((high - low).max()), 1e-12)
        places: Coordinates = ((found - (low + high) / 2) / size + 0.5).astype(np.float32)
        return places


def _begin(points: Vectors) -> NDArray[np.float64]:
    """Return start positions: the first two principal components, scaled down.

    Equal points are spread a little, since openTSNE divides by their extent.
    """
    begin = points[:, :2].astype(np.float64)
    spread = float(begin.std(axis=0).max())
    if spread < 1e-12:
        begin, spread = _offsets(np.arange(len(points))), 1.0
    return begin / spread * 1e-4


def place_among(
    points: Vectors, drawn: Vectors, places: Coordinates, seeds: NDArray[np.int64], task: Task
) -> Coordinates:
    """Return positions for new points on an unchanged map: where most of their neighbors are.

    `points` and `drawn` are reduced vectors, `places` the positions of `drawn`. The position of a
    point is shifted a little by its seed, so that equal points do not coincide. Raises Cancelled.
    """
    k = min(_AROUND, len(drawn))
    near = nearest(points, drawn, k, task, tr("Placing papers")).indices
    around = places[near]  # [points, k, 2]
    squares = ((around[:, :, None] - around[:, None]) ** 2).sum(axis=3)
    step = 1 / np.sqrt(len(drawn))
    closeness = np.exp(-squares / (_KERNEL_WIDTH * step) ** 2) / np.sqrt(np.arange(1, k + 1))
    # The neighbors may be in several clusters: a plain mean would lie in the gap between them.
    # So the neighbor with the most others around it determines the weights.
    centre = closeness.sum(axis=2).argmax(axis=1)
    weights = closeness[np.arange(len(points)), centre]
    weights /= weights.sum(axis=1, keepdims=True)
    middle = np.einsum("ij,ijk->ik", weights, around)
    placed: Coordinates = (middle + _offsets(seeds) * step * 0.4).astype(np.float32)
    return placed


def similarity_to_nearest(vectors: Vectors, among: Vectors, *, within: bool = False) -> Vectors:
    """Return the mean cosine similarity of each vector to its nearest ones in `among`, [papers].

    All vectors have unit length. `within`: the vectors are part of `among`, and each one's
    similarity to itself is left out.
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
    """Return the similarity to its neighbors below which a paper is an outlier of these papers."""
    chosen = vectors
    if len(vectors) > _SAMPLED:
        rows = np.random.default_rng(0).choice(len(vectors), _SAMPLED, replace=False)
        chosen = vectors[rows]
    alike = similarity_to_nearest(chosen, vectors, within=True)
    return float(np.percentile(alike, _OUTLIER_PERCENTILE)) - _ROUNDING


def _offsets(seeds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a small pseudo-random offset for each seed, [seeds, 2]."""
    mixed = (seeds.astype(np.uint64) + 1) * np.uint64(0x9E3779B97F4A7C15)
    angle = (mixed >> np.uint64(40)).astype(np.float64) / 2**24 * 2 * np.pi
    length = np.sqrt((mixed & np.uint64(0xFFFF)).astype(np.float64) / 2**16) * 0.5
    return np.stack([np.cos(angle), np.sin(angle)], axis=1) * length[:, None]
