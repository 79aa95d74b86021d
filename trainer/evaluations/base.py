"""What is measured, and what comes out: papers, vectors, tasks, scores and their intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from trainer.contract.errors import TrainerError
from trainer.contract.report import Score
from trainer.evaluations.intervals import Items, interval, value

# One row a text: float32, or float64 where a file gave more digits.
Matrix: TypeAlias = "NDArray[np.floating] | csr_array"
Similarity: TypeAlias = Literal["cosine", "dot"]


class Paper(NamedTuple):
    """A text to make a vector of; a typed query is a title alone."""

    id: str
    title: str
    abstract: str = ""


@dataclass(frozen=True, eq=False)
class Vectors:
    """A row of `matrix` for each of `ids`, as the model makes them: not scaled to unit length.

    `empty` are papers that a model was given but made no vector of; papers that are in neither
    are missing. `by` is how queries meet documents, which BM25 has a word in. Raises TrainerError
    for ids that come twice, and for what is no number.
    """

    ids: Sequence[str]
    matrix: Matrix
    empty: frozenset[str] = frozenset()
    by: Similarity = "cosine"

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or len(self.ids) != self.matrix.shape[0]:
            raise TrainerError(
                f"There are {len(self.ids):,} ids for vectors of shape {self.matrix.shape}.",
                "Give one id a row.",
            )
        if len(self._places) < len(self.ids):
            raise TrainerError(
                f"The vector of {_twice(self.ids)!r} is given twice.", "Give every id once."
            )
        _check_numbers(self.ids, self.matrix)

    @classmethod
    def of(cls, vectors: Mapping[str, ArrayLike]) -> Vectors:
        """The vectors by id; an empty one stands for a paper that could not be embedded.

        Raises TrainerError where not all are of one length.
        """
        rows = {paper: np.asarray(vector) for paper, vector in vectors.items()}
        filled = {paper: vector for paper, vector in rows.items() if vector.size}
        first = next(iter(filled.values()), np.empty(0))
        for paper, vector in filled.items():
            if vector.shape != first.shape:
                raise TrainerError(
                    f"The vector of {paper!r} has {vector.size} numbers, others have {first.size}.",
                    "All vectors must come from one model.",
                )
        matrix = np.stack([*filled.values()]) if filled else np.empty((0, 0))
        return cls(list(filled), matrix, frozenset(rows.keys() - filled.keys()))

    @property
    def dim(self) -> int:
        return int(self.matrix.shape[1])

    def rows(self, ids: Sequence[str]) -> NDArray[np.int64]:
        """Where each of these is in `matrix`; -1: it has no vector."""
        return np.array([self._places.get(paper, -1) for paper in ids], np.int64)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {paper: row for row, paper in enumerate(self.ids)}


@dataclass(frozen=True)
class Outcome:
    """What a task found: scores, the items of each by its metric, and what was left out and why.

    The mean of a score's items is the score; where it is no mean by itself, they are the score
    plus what each item adds to it. `pictures` go by their
    names, and are of trainer.evaluations.pictures.
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
    ) -> Outcome:
        """A score of each metric's items; reasons that left nothing out are not named.

        `spread` holds the values of a metric with each of several seeds.
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
    """A protocol that knows its judgements; it raises TrainerError where it cannot judge."""

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> Outcome: ...


@dataclass(frozen=True)
class Task:
    """A protocol bound to data: which texts it needs, and what it makes of their vectors.

    `evaluation` is a key of the catalogue, `split` says which part of the data this is, and
    `sha256` is that of all data that scores depend on: equal ones may be compared. `unseen` are
    journals that no training may have learned. `corpus` is that whose test part this is of, if it
    is: its sha256, and how it was split.
    """

    name: str
    evaluation: str
    split: str
    sha256: str
    papers: Sequence[Paper]
    measure: Measure
    queries: Sequence[Paper] = ()
    unseen: frozenset[str] = frozenset()
    corpus: tuple[str, str] = ("", "")

    @property
    def runs(self) -> int:
        """How often it is repeated, with another seed each."""
        return int(getattr(self.measure, "runs", 1))

    def run(self, vectors: Vectors, queries: Vectors | None = None, *, seed: int = 0) -> Outcome:
        """Raises TrainerError for vectors that do not fit it. Whoever runs tasks says which."""
        _check_fit(vectors, queries, typed=bool(self.queries))
        return self.measure(vectors, queries, seed)


def score(metric: str, items: Items, *, seed: int, spread: Sequence[float] = ()) -> Score:
    """The score that the items make, with its interval; `spread`: its value with each seed."""
    low, high = interval(items, seed)
    deviation = float(np.std(spread, ddof=1)) if len(spread) > 1 else None
    return Score(metric, value(items), len(items.ids), low, high, deviation, max(1, len(spread)))


def _check_fit(vectors: Vectors, queries: Vectors | None, *, typed: bool) -> None:
    if not len(vectors.ids):
        raise TrainerError("No paper has a vector.", "Check that ids are those of the task.")
    if typed and queries is None:
        raise TrainerError("There are no vectors of the queries.", "Encode the queries, too.")
    if queries is not None and len(queries.ids) and queries.dim != vectors.dim:
        raise TrainerError(
            f"Queries have {queries.dim} numbers, papers {vectors.dim}.",
            "Both must come from one model.",
        )


def _check_numbers(ids: Sequence[str], matrix: Matrix) -> None:
    numbers = np.asarray(matrix.data if issparse(matrix) else matrix)
    # The extremes of what holds NaN are NaN; this needs no memory, as isfinite of all would.
    if not numbers.size or np.isfinite([numbers.min(), numbers.max()]).all():
        return
    sums = np.asarray(matrix.sum(axis=1))
    paper = ids[int(np.flatnonzero(~np.isfinite(sums))[0])]
    raise TrainerError(
        f"The vector of {paper!r} holds something that is no number.",
        "Leave the paper out, or make its vector again.",
    )


def _twice(ids: Sequence[str]) -> str:
    return next(paper for paper, times in Counter(ids).items() if times > 1)
