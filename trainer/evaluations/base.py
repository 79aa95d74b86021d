"""Texts, vectors, evaluation tasks and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR, Score
from trainer.evaluations.metrics.significance import Items, bootstrap_ci, weighted_mean

# One row per text: float32, or float64 where a file gave more digits.
Matrix: TypeAlias = "NDArray[np.floating] | csr_array"
Similarity: TypeAlias = Literal["cosine", "dot"]


class TextInput(NamedTuple):
    """A text to encode; a typed query has a title only."""

    id: str
    title: str
    abstract: str = ""


@dataclass(frozen=True, eq=False)
class Vectors:
    """Embeddings as the model returns them: row i of `matrix` belongs to `ids[i]`, not normalized.

    `empty` holds ids that the model was given but has no vector for; ids in neither are missing.
    `by` is the similarity of queries and documents ("dot" for BM25). Raises TrainerError for
    duplicate ids and for values that are not finite.
    """

    ids: Sequence[str]
    matrix: Matrix
    empty: frozenset[str] = frozenset()
    by: Similarity = "cosine"

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or len(self.ids) != self.matrix.shape[0]:
            raise TrainerError(
                f"There are {len(self.ids):,} IDs for vectors of shape {self.matrix.shape}.",
                "Provide one ID per row.",
            )
        if len(self._places) < len(self.ids):
            raise TrainerError(
                f"The vector of {_twice(self.ids)!r} occurs twice.", "Each ID must occur once."
            )
        _check_numbers(self.ids, self.matrix)

    @property
    def dim(self) -> int:
        return int(self.matrix.shape[1])

    def rows(self, ids: Sequence[str]) -> NDArray[np.int64]:
        """Row of each id in `matrix`, or -1 if it has no vector."""
        return np.array([self._places.get(paper, -1) for paper in ids], np.int64)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {paper: row for row, paper in enumerate(self.ids)}


@dataclass(frozen=True)
class TaskResult:
    """Scores of a task, their items by metric, and counts of excluded papers by reason.

    The mean of a score's items is the score. For a score that is not a mean, each item is the
    score plus the item's influence on it. `pictures` are plots of trainer.evaluations.plots by
    name.
    """

    scores: tuple[Score, ...]
    items: Mapping[str, Items] = field(default_factory=dict)
    excluded: Mapping[str, int] = field(default_factory=dict)
    pictures: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        items: Mapping[str, Items],
        *,
        seed: int,
        excluded: Mapping[str, int] | None = None,
        spread: Mapping[str, Sequence[float]] | None = None,
        pictures: Mapping[str, Any] | None = None,
    ) -> TaskResult:
        """Compute a score with its interval from each metric's items; drop reasons that count 0.

        `spread` holds the value of each metric for every seed.
        """
        spreads = spread or {}
        scores = tuple(
            score(metric, found, seed=seed, spread=spreads.get(metric, ()))
            for metric, found in items.items()
        )
        left_out = {reason: count for reason, count in (excluded or {}).items() if count}
        return cls(scores, items, left_out, pictures or {})

    def value(self, metric: str) -> float:
        return {score.metric: score.value for score in self.scores}[metric]


class Measure(Protocol):
    """An evaluation protocol with its ground truth; raises TrainerError if it cannot be applied."""

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult: ...


@dataclass(frozen=True)
class EvaluationTask:
    """A protocol bound to data: the texts to encode and the measure of their vectors.

    `papers` are the documents (mteb: corpus) and `queries` the typed queries. `evaluation` is a
    key of the catalog, `split` the part of the data. `sha256` covers all data that scores depend
    on: only scores with equal hashes may be compared. `unseen` lists journals that no training may
    have used. `corpus` is the sha256 and the split rule of the corpus whose test part is used.
    `left_out` counts the data excluded while reading, by reason. `title` is given by the suite.
    """

    name: str
    evaluation: str
    split: str
    sha256: str
    papers: Sequence[TextInput]
    measure: Measure
    queries: Sequence[TextInput] = ()
    unseen: frozenset[str] = frozenset()
    corpus: tuple[str, str] = ("", "")
    left_out: Mapping[str, int] = field(default_factory=dict)
    title: str = ""

    @property
    def runs(self) -> int:
        """Number of repetitions, each with another seed."""
        return int(getattr(self.measure, "runs", 1))

    def run(self, vectors: Vectors, queries: Vectors | None = None, *, seed: int = 0) -> TaskResult:
        """Measure the vectors. Raises TrainerError, without the task's name, if they do not fit."""
        _check_fit(vectors, queries, typed=bool(self.queries))
        found = self.measure(vectors, queries, seed)
        return replace(found, excluded={**self.left_out, **found.excluded})


def score(metric: str, items: Items, *, seed: int, spread: Sequence[float] = ()) -> Score:
    """Mean of the items with its bootstrap interval; `spread` holds its value for each seed."""
    low, high = bootstrap_ci(items, seed)
    deviation = float(np.std(spread, ddof=1)) if len(spread) > 1 else None
    return Score(
        metric, weighted_mean(items), len(items.ids), low, high, deviation, max(1, len(spread))
    )


def _check_fit(vectors: Vectors, queries: Vectors | None, *, typed: bool) -> None:
    if not len(vectors.ids):
        raise TrainerError("No paper has a vector.", "Check that the IDs match those of the task.")
    if typed and queries is None:
        raise TrainerError("The queries have no vectors.", "Embed the queries too.")
    if queries is not None and len(queries.ids) and queries.dim != vectors.dim:
        raise TrainerError(
            f"The queries have {queries.dim} dimensions, the papers {vectors.dim}.",
            "Both must come from the same model.",
        )


def _check_numbers(ids: Sequence[str], matrix: Matrix) -> None:
    numbers = np.asarray(matrix.data if issparse(matrix) else matrix)
    # min and max propagate NaN and, unlike isfinite of all values, allocate no memory.
    if not numbers.size or np.isfinite([numbers.min(), numbers.max()]).all():
        return
    sums = np.asarray(matrix.sum(axis=1))
    paper = ids[int(np.flatnonzero(~np.isfinite(sums))[0])]
    raise TrainerError(
        f"The vector of {paper!r} contains invalid numbers.",
        "Exclude the paper, or compute its vector again.",
    )


def _twice(ids: Sequence[str]) -> str:
    return next(paper for paper, times in Counter(ids).items() if times > 1)


class LabelledVectors(NamedTuple):
    """Papers with vectors and label codes (indices into `names`), in the order of `ids`."""

    ids: list[str]
    vectors: Matrix
    codes: NDArray[np.int64]
    names: list[str]
    excluded: Mapping[str, int]


def labelled_vectors(
    vectors: Vectors, labels: Mapping[str, str], *, at_least: int = 1
) -> LabelledVectors:
    """Select papers whose label has `at_least` that many papers with vectors.

    Raises TrainerError if fewer than two labels are left.
    """
    seen = [
        paper
        for paper, row in zip(labels, vectors.rows(list(labels)), strict=True)
        if row >= 0 and labels[paper]
    ]
    sizes = Counter(labels[paper] for paper in seen)
    ids = [paper for paper in seen if sizes[labels[paper]] >= at_least]
    names, codes = np.unique(
        np.array([labels[paper] for paper in ids], np.str_), return_inverse=True
    )
    if len(names) < 2:
        which = "Only one label has" if len(names) else "No label has"
        papers = f"{at_least} papers with vectors" if at_least > 1 else "a paper with a vector"
        raise TrainerError(
            f"{which} {papers} or more; two are required.",
            "Add papers with at least two labels, and check that the IDs match those of the task.",
        )
    unlabelled = sum(not label for label in labels.values())
    excluded = {
        NO_VECTOR: len(labels) - len(seen) - unlabelled,
        "papers without a label": unlabelled,
        f"papers with a label that fewer than {at_least} papers have": len(seen) - len(ids),
    }
    return LabelledVectors(ids, vectors.matrix[vectors.rows(ids)], codes, names.tolist(), excluded)
