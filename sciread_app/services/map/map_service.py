"""The map: every paper of an embedding index as a point in the plane, similar papers close.

A map is laid out once. Papers added later are placed on it, and no existing point moves, since
people remember positions. All its files are caches.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sciread_app.language import tr
from sciread_app.services.map import clustering as clusters
from sciread_app.services.map.group_names import NAMING_VERSION, name_groups
from sciread_app.services.map.layout_worker import Draft, Unfinished, lay_out
from sciread_app.services.map.map_file import read_arrays, write_arrays
from sciread_app.services.map.tsne_layout import (
    Axes,
    Coordinates,
    KnnGraph,
    find_axes,
    least_similarity,
    place_among,
    similarity_to_nearest,
)
from sciread_app.storage.id_sets import Ids
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

FEWEST = 20  # papers needed for a map
SAMPLE = 25_000  # papers that are laid out; the rest of a larger library is placed among them
# A map is outdated from these shares of papers added later and of papers without a cluster, and
# from this number of the latter.
_OUTGROWN, _UNGROUPED, _UNGROUPED_LEAST = 0.1, 0.05, 10
NO_GROUP = -1
_FIRST_FORMAT, _SECOND_FORMAT, _FORMAT = 1, 2, 3
_WITH_ABSTRACTS = 1_000  # papers up to which their abstracts are read to name groups
_READ = 4096  # vectors read at a time


@dataclass(frozen=True)
class Cluster:
    """A cluster of papers: its label, its size, and the position where it is densest."""

    name: str
    papers: int
    heart: tuple[float, float]


@dataclass(frozen=True, eq=False)
class MapLayout:
    """A map. Positions are in the unit square; papers added later may lie slightly outside.

    `coarse`, `fine` and `finest` are the indices of each paper's clusters in `coarse_clusters` and
    so on; NO_GROUP: it was added later and is unlike the papers of every cluster. A small map has
    no finest clusters.
    `later` is the number of papers added after the map was laid out. `renamable`: an earlier
    version of SciRead named the clusters, and `draw` names them again.
    """

    ids: Ids  # ascending
    places: Coordinates
    fine: NDArray[np.int16]
    coarse: NDArray[np.int16]
    fine_clusters: tuple[Cluster, ...]
    coarse_clusters: tuple[Cluster, ...]
    finest: NDArray[np.int16] | None = None
    finest_clusters: tuple[Cluster, ...] = ()
    outgrown: bool = False  # many papers were added later: the map should be laid out again
    later: int = 0
    renamable: bool = False

    @property
    def levels(self) -> tuple[tuple[NDArray[np.int16], tuple[Cluster, ...]], ...]:
        """The clusters of each paper and the clusters, from coarse to finest."""
        both = ((self.coarse, self.coarse_clusters), (self.fine, self.fine_clusters))
        if self.finest is None or not self.finest_clusters:
            return both
        return (*both, (self.finest, self.finest_clusters))

    @property
    def ungrouped(self) -> int:
        """The number of papers without a cluster."""
        return int((self.fine == NO_GROUP).sum())


class MapVectors(Protocol):
    """The part of EmbeddingIndex that a map needs."""

    key: str

    def vectors(self, ids: Ids) -> tuple[NDArray[np.float32], NDArray[np.bool_]]: ...


def _here(work: Callable[..., Any], *given: Any, task: Task) -> Any:
    return work(*given, task)


class MapService:
    """Lays out the map of a library, stores it, and places new papers on it."""

    def __init__(
        self, library: Library, space: MapVectors, folder: Path, run: Callable[..., Any] = _here
    ) -> None:
        """`run` lays out the map and names its clusters, such as
        `services.subprocess.worker.run_in_subprocess`."""
        self._library = library
        self._space = space
        self._run = run
        self._file = folder / f"{space.key}.atlas"
        self._unfinished = Unfinished(
            folder / f"{space.key}.atlas-neighbours", folder / f"{space.key}.atlas-state"
        )
        self._drawing = threading.Lock()

    def read(self) -> MapLayout | None:
        """Return the stored map, without removed papers; None if there is none."""
        kept = _Kept.read(self._file)
        if kept is None:
            return None
        ids, hashes = self._papers()
        return kept.only(ids, hashes).layout()

    def draw(self, task: Task | None = None, *, from_scratch: bool = False) -> MapLayout | None:
        """Return the map of every paper that has a vector; None if there are too few.

        Existing points keep their positions; with `from_scratch`, all are laid out again. Clusters
        keep their names too, unless an earlier version of SciRead gave them. If canceled or
        killed, the old map stays, and the next call resumes. Raises Cancelled.
        """
        task = task or Task()
        with self._drawing:
            ids, hashes = self._papers()
            if len(ids) < FEWEST:
                return None
            before = None if from_scratch else _Kept.read(self._file)
            kept = before.only(ids, hashes) if before else None
            drawn = kept is None or not kept.laid.any()
            if kept is None or drawn:
                kept = self._lay_out(ids, hashes, task)
            elif kept.naming < NAMING_VERSION:
                kept = self._named(kept, task)
            kept = self._place_rest(kept, ids, hashes, task, later=not drawn)
            if before is None or kept.differs_from(before):
                kept.write(self._file)
            self._unfinished.forget()
            return kept.layout()

    def problems(self) -> list[str]:
        """Problems of the files, one sentence each. `rebuild` repairs them."""
        if self._file.exists() and _Kept.read(self._file) is None:
            return [tr("The map {file} is damaged.", file=self._file.name)]
        return []

    def rebuild(self) -> None:
        """Delete the stored map and any unfinished layout; the next `draw` creates a new map."""
        self._file.unlink(missing_ok=True)
        self._unfinished.forget()

    def _papers(self) -> tuple[Ids, Ids]:
        """Return the papers with a vector, ids ascending, and the hashes of their texts."""
        ids, _, hashes = self._library.vector_rows(self._space.key)
        return ids, hashes

    def _lay_out(self, ids: Ids, hashes: Ids, task: Task) -> _Kept:
        unfinished = self._read_unfinished(ids, hashes)
        rows = unfinished[0] if unfinished else _sample(len(ids))
        task.step(0, len(rows), tr("Loading the index"))
        there, axes, points, least = self._points(ids[rows])
        chosen = rows[there]
        near = unfinished[1] if unfinished and there.all() else None
        papers = {"ids": ids[chosen], "hashes": hashes[chosen]}
        drawn: Draft = self._run(lay_out, points, near, papers, self._unfinished, task=task)
        places, centres, parents, finest_centres, finest_parents = drawn
        fine = clusters.nearest_group(points, centres)
        finest = clusters.nearest_part(points, fine, finest_centres, finest_parents)
        laid = np.ones(len(chosen), bool)
        kept = _Kept(
            ids[chosen], hashes[chosen], places, laid, ~laid, fine, finest,
            centres, parents, finest_centres, finest_parents, axes, least,
        )  # fmt: skip
        return self._named(kept, task)

    def _named(self, kept: _Kept, task: Task) -> _Kept:
        """Name the clusters after the papers that were laid out."""
        laid, parents = kept.laid, kept.parents
        fine, finest, parts_of = kept.fine[laid], kept.finest[laid], kept.finest_parents
        levels = (
            (parents[fine], int(parents.max()) + 1),
            (fine, len(kept.centres)),
            (finest, len(kept.finest_centres)),
        )
        titles, abstracts = self._texts(kept.ids[laid])
        above, named, parts = self._run(name_groups, titles, abstracts, levels, task=task)
        named = _named_after_parts(named, parts_of, parts, finest)
        above = _named_after_parts(above, parents, named, fine)
        return replace(
            kept,
            fine_names=tuple(named),
            coarse_names=tuple(above),
            finest_names=tuple(parts),
            naming=NAMING_VERSION,
        )

    def _texts(self, ids: Ids) -> tuple[list[str], list[str]]:
        """Return the titles of these papers, and if they are few, their abstracts."""
        papers = ids.tolist()
        titles = self._library.attributes.titles(papers)
        if len(papers) > _WITH_ABSTRACTS:
            return titles, []
        abstracts = {paper.id: paper.abstract or "" for paper in self._library.get(papers)}
        return titles, [abstracts.get(paper, "") for paper in papers]

    def _points(self, ids: Ids) -> tuple[NDArray[np.bool_], Axes, NDArray[np.float32], float]:
        """Return a mask of the papers that have a vector, the principal components of these, their
        reduced vectors, and the similarity to neighbors below which a paper is an outlier."""
        vectors, there = self._space.vectors(ids)
        vectors = vectors[there]
        axes = find_axes(vectors)
        return there, axes, axes.reduce(vectors), least_similarity(vectors)

    def _read_unfinished(self, ids: Ids, hashes: Ids) -> tuple[NDArray[np.int64], KnnGraph] | None:
        """Return the rows of an unfinished layout's papers in `ids`, and their neighbors.

        None if there is no unfinished layout, or its papers have changed.
        """
        stage = read_arrays(self._unfinished.neighbours)
        if stage is None or set(stage) != {"ids", "hashes", "indices", "distances"}:
            return None
        places = np.searchsorted(ids, stage["ids"]).clip(max=len(ids) - 1)
        same = (ids[places] == stage["ids"]) & (hashes[places] == stage["hashes"])
        if not same.all() or len(places) < min(len(ids), SAMPLE) / 2:
            return None
        return places, KnnGraph(stage["indices"], stage["distances"])

    def _place_rest(self, kept: _Kept, ids: Ids, hashes: Ids, task: Task, *, later: bool) -> _Kept:
        """Place the papers of `ids` that are not on the map.

        `later`: they were added after the map was laid out, and belong to a cluster only if they
        are as similar to their neighbors as papers of the map are.
        """
        new = np.flatnonzero(~np.isin(ids, kept.ids))
        if not len(new):
            return kept
        laid = self._space.vectors(kept.ids[kept.laid])[0]
        if later and np.isnan(kept.least):
            kept = replace(kept, least=least_similarity(laid))
        drawn = kept.axes.reduce(laid)
        for start in range(0, len(new), _READ):
            part = new[start : start + _READ]
            vectors, there = self._space.vectors(ids[part])
            part, vectors = part[there], vectors[there]
            points = kept.axes.reduce(vectors)
            inner = task.part(start, len(new))
            places = place_among(points, drawn, kept.places[kept.laid], ids[part], inner)
            fine = clusters.nearest_group(points, kept.centres)
            if later:
                fine[similarity_to_nearest(vectors, laid) < kept.least] = NO_GROUP
            finest = clusters.nearest_part(points, fine, kept.finest_centres, kept.finest_parents)
            labels = (fine, finest)
            kept = kept.with_papers(ids[part], hashes[part], places, labels, later=later)
        return kept


@dataclass(frozen=True, eq=False)
class _Kept:
    """A map as stored in its file.

    `laid` marks the papers that were laid out, relative to which others are placed; `later` marks
    those added afterwards. `least` is the similarity to its neighbors that a later paper needs to
    belong to a cluster; NaN: not computed yet. `naming` is the version that gave the names.
    """

    ids: Ids
    hashes: Ids
    places: Coordinates
    laid: NDArray[np.bool_]
    later: NDArray[np.bool_]
    fine: NDArray[np.int16]
    finest: NDArray[np.int16]
    centres: NDArray[np.float32]
    parents: NDArray[np.int16]
    finest_centres: NDArray[np.float32]
    finest_parents: NDArray[np.int16]
    axes: Axes
    least: float
    fine_names: tuple[str, ...] = ()
    coarse_names: tuple[str, ...] = ()
    finest_names: tuple[str, ...] = ()
    naming: int = 0

    def only(self, ids: Ids, hashes: Ids) -> _Kept:
        """Return the map without papers that were removed or whose text has changed."""
        if not len(ids):
            return self._part(np.zeros(len(self.ids), bool))
        places = np.searchsorted(ids, self.ids).clip(max=len(ids) - 1)
        return self._part((ids[places] == self.ids) & (hashes[places] == self.hashes))

    def with_papers(
        self,
        ids: Ids,
        hashes: Ids,
        places: Coordinates,
        labels: tuple[NDArray[np.int16], NDArray[np.int16]],
        *,
        later: bool,
    ) -> _Kept:
        """`labels` are the fine and the finest clusters."""
        together = replace(
            self,
            ids=np.append(self.ids, ids),
            hashes=np.append(self.hashes, hashes),
            places=np.concatenate([self.places, places]),
            laid=np.append(self.laid, np.zeros(len(ids), bool)),
            later=np.append(self.later, np.full(len(ids), later)),
            fine=np.append(self.fine, labels[0]),
            finest=np.append(self.finest, labels[1]),
        )
        return together._part(np.argsort(together.ids, kind="stable"))

    def differs_from(self, other: _Kept) -> bool:
        return not (
            self.naming == other.naming
            and np.array_equal(self.ids, other.ids)
            and np.array_equal(self.hashes, other.hashes)
        )

    def layout(self) -> MapLayout:
        """The map as the window shows it. It counts as outgrown when many papers were added later,
        or when many belong to no cluster."""
        coarse = np.where(self.fine == NO_GROUP, NO_GROUP, self.parents[self.fine])
        papers, later = len(self.ids), int(self.later.sum())
        ungrouped = int((self.fine == NO_GROUP).sum())
        astray = ungrouped >= max(_UNGROUPED_LEAST, _UNGROUPED * papers)
        return MapLayout(
            self.ids, self.places, self.fine, coarse.astype(np.int16),
            self._clusters(self.fine, self.fine_names),
            self._clusters(coarse, self.coarse_names),
            self.finest,
            self._clusters(self.finest, self.finest_names),
            later > _OUTGROWN * papers or astray,
            later,
            self.naming < NAMING_VERSION,
        )  # fmt: skip

    def write(self, path: Path) -> None:
        named = json.dumps([self.fine_names, self.coarse_names, self.finest_names]).encode()
        write_arrays(
            path,
            {
                "format": np.array(_FORMAT), "names": np.frombuffer(named, np.uint8),
                "mean": self.axes.mean, "directions": self.axes.directions,
                "least": np.array(self.least), "naming": np.array(self.naming),
                **{name: getattr(self, name) for name in _COLUMNS + _GROUPS},
            },
        )  # fmt: skip

    @classmethod
    def read(cls, path: Path) -> _Kept | None:
        """Read a map file; None if it does not exist or is damaged."""
        found = read_arrays(path)
        try:
            if found is None or int(found["format"]) > _FORMAT:
                return None
            if int(found["format"]) == _FIRST_FORMAT:
                found = _of_first_format(found)
            if int(found["format"]) <= _SECOND_FORMAT:
                found = _without_finest(found)
            fine, coarse, *finest = json.loads(found["names"].tobytes())
            axes = Axes(found["mean"], found["directions"])
            rest = {name: found[name] for name in _COLUMNS + _GROUPS}
            kept = cls(
                axes=axes,
                fine_names=tuple(fine),
                coarse_names=tuple(coarse),
                finest_names=tuple(*finest),
                least=float(found["least"]),
                naming=int(found.get("naming", 0)),
                **rest,
            )
        except (KeyError, ValueError, TypeError):
            return None
        return kept if kept._is_consistent() else None

    def _is_consistent(self) -> bool:
        """Whether the arrays are consistent with each other."""
        n, k = len(self.ids), len(self.fine_names)
        return bool(
            all(len(getattr(self, name)) == n for name in _COLUMNS)
            and self.places.shape == (n, 2)
            and np.isfinite(self.places).all()
            and len(self.centres) == len(self.parents) == k
            and (not n or NO_GROUP <= self.fine.min() <= self.fine.max() < k)
            and len(self.finest_centres) == len(self.finest_parents) == len(self.finest_names)
            and (
                not n or NO_GROUP <= self.finest.min() <= self.finest.max() < len(self.finest_names)
            )
            and (not k or 0 <= self.parents.min() <= self.parents.max() < len(self.coarse_names))
            and (np.diff(self.ids) > 0).all()
        )

    def _clusters(self, labels: NDArray[np.int16], names: tuple[str, ...]) -> tuple[Cluster, ...]:
        counts = np.bincount(labels[labels != NO_GROUP], minlength=len(names)).tolist()
        hearts = [
            clusters.heart(self.places[labels == n]) if counts[n] else (0.5, 0.5)
            for n in range(len(names))
        ]
        return tuple(map(Cluster, names, counts, hearts))

    def _part(self, which: Any) -> _Kept:
        return replace(self, **{name: getattr(self, name)[which] for name in _COLUMNS})


_COLUMNS = ("ids", "hashes", "places", "laid", "later", "fine", "finest")  # one value per paper
_GROUPS = ("centres", "parents", "finest_centres", "finest_parents")


def _without_finest(found: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Convert a map of an earlier format, which has two levels of clusters."""
    return {
        **found,
        "finest": np.full(len(found["fine"]), NO_GROUP, np.int16),
        "finest_centres": found["centres"][:0],
        "finest_parents": found["parents"][:0],
    }


def _named_after_parts(
    names: Sequence[str], parents: NDArray[np.int16], parts: Sequence[str], labels: Any
) -> list[str]:
    """Name clusters for which no phrase stands out after their largest named part.

    `parents` has the cluster of each part, `labels` the part of each paper.
    """
    found, counts = list(names), np.bincount(labels[labels >= 0], minlength=len(parts))
    for part in np.argsort(-counts, kind="stable").tolist():
        cluster = int(parents[part])
        if not found[cluster] and parts[part] not in found:
            found[cluster] = parts[part]
    return found


def _of_first_format(found: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Convert a map of the first format, which does not mark the papers added later.

    Those are removed, and will be placed again; the others keep their positions. On the map of a
    large library, which was sampled, they cannot be identified, and all papers stay.
    """
    laid = found["laid"]
    stays = np.ones(len(laid), bool) if laid.sum() >= SAMPLE else laid
    columns = {name: found[name][stays] for name in _COLUMNS if name in found}
    later = np.zeros(int(stays.sum()), bool)
    return {**found, **columns, "later": later, "least": np.array(np.nan)}


def _sample(papers: int) -> NDArray[np.int64]:
    """Return the rows of the papers to lay out: all, or a fixed random sample of SAMPLE papers."""
    if papers <= SAMPLE:
        return np.arange(papers)
    return np.sort(np.random.default_rng(0).choice(papers, SAMPLE, replace=False))
