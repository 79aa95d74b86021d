"""Items behind a score, bootstrap confidence intervals over them (Efron, 1979), and the
significance of paired differences.

Items are stored beside their report for paired comparisons of models.
"""

from __future__ import annotations

import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError

DRAWS = 2_000
# Fewer items cannot be significant: five agree in sign by chance in one of 16 cases.
ENOUGH = 6
# Up to this many items, the permutation test enumerates all sign flips.
_FEW = 14
# Above this many items the mean is normal to good approximation and is not resampled.
_MANY = 2_000
# Numbers drawn per block: 8 MB each for rows, values and weights.
_AT_ONCE = 1_000_000
_TAIL = 0.025

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Items:
    """Values per query, paper, fold or seed whose (weighted) mean is a score.

    Raises ValueError for lengths that differ and values that are not finite.
    """

    ids: Sequence[str] | NDArray[np.str_]
    values: NDArray[np.floating] | NDArray[np.integer]
    weights: NDArray[np.floating] | None = None

    def __post_init__(self) -> None:
        for column in (self.values, self.weights):
            if column is not None and np.shape(column) != (len(self.ids),):
                raise ValueError(f"{len(self.ids)} items, but values of shape {np.shape(column)}")
            if column is not None and not np.isfinite(column).all():
                raise ValueError("the value of an item is not a finite number")

    @classmethod
    def of_macro_f1(
        cls, ids: Sequence[str], y_true: NDArray[np.integer], y_pred: NDArray[np.integer]
    ) -> Items:
        """Items whose mean is macro F1: macro F1 plus the influence of each paper.

        Macro F1 is not a mean over papers, so the influence is the derivative by the paper's
        weight (the infinitesimal jackknife).
        """
        labels, codes = np.unique(np.concatenate([y_true, y_pred]), return_inverse=True)
        true, predicted = codes[: len(y_true)], codes[len(y_true) :]
        right, (f1, named) = true == predicted, label_f1(true, predicted)
        adds = 2 * right / named[true] - f1[true] / named[true] - f1[predicted] / named[predicted]
        return cls(ids, f1.mean() + adds * len(y_true) / len(labels))

    def at(self, rows: NDArray[np.integer]) -> Items:
        """The items of these rows."""
        weights = None if self.weights is None else np.asarray(self.weights)[rows]
        return Items(np.asarray(self.ids)[rows], np.asarray(self.values)[rows], weights)


def label_f1(true: NDArray[np.integer], predicted: NDArray[np.integer]) -> tuple[Floats, Floats]:
    """F1 of each label, and how often it is true or predicted. Labels are codes from 0 on."""
    size = int(max(true.max(initial=-1), predicted.max(initial=-1))) + 1
    named = np.bincount(true, minlength=size) + np.bincount(predicted, minlength=size)
    return 2 * np.bincount(true[true == predicted], minlength=size) / named, named.astype(
        np.float64
    )


class PairedDifference(NamedTuple):
    """`second` minus `first` over the same `n` items, with its 95 % confidence interval.

    `p_value` is the two-sided p-value: of the bootstrap, or for few items of the permutation
    test over all sign flips. With fewer than `ENOUGH` items it is 1 and there is no interval.
    """

    first: float
    second: float
    low: float | None
    high: float | None
    p_value: float
    n: int

    @property
    def value(self) -> float:
        return self.second - self.first


def weighted_mean(items: Items) -> float:
    """The score of the items. Raises ValueError if there are none."""
    if not len(items.ids):
        raise ValueError("a score requires items")
    return float(np.average(np.asarray(items.values, np.float64), weights=items.weights))


def bootstrap_ci(
    items: Items, seed: int, draws: int = DRAWS
) -> tuple[float, float] | tuple[None, None]:
    """95 % bootstrap confidence interval of the score; (None, None) for fewer than two items."""
    if len(items.ids) < 2:
        return None, None
    return _middle(_redrawn(items, seed, draws), len(items.ids))


def paired_difference(
    first: Items, second: Items, seed: int, draws: int = 5_000, noise: float = 0.0
) -> PairedDifference:
    """Difference of two scores by a paired bootstrap over their items.

    Both must hold the same ids in the same order. `noise` is the standard error of the difference
    over repetitions with other seeds, added to that of the items. Raises ValueError if ids or
    weights differ: the scores are then of different data.
    """
    if not np.array_equal(np.asarray(first.ids), np.asarray(second.ids)):
        raise ValueError("the items differ")
    if not np.array_equal(_weights(first), _weights(second)):
        raise ValueError("the weights of the items differ")
    scores, n = (weighted_mean(first), weighted_mean(second)), len(first.ids)
    if n < ENOUGH:
        return PairedDifference(*scores, None, None, 1.0, n)
    gained = np.asarray(second.values, np.float64) - np.asarray(first.values, np.float64)
    found = _redrawn(Items(first.ids, gained, first.weights), seed, draws)
    if noise:
        found = found + np.random.default_rng((seed, 1)).normal(0, noise, draws)
    low, high = _middle(found, n)
    agree = min(np.count_nonzero(found <= 0), np.count_nonzero(found >= 0))
    p_value = min(1.0, 2 * (int(agree) + 1) / (draws + 1))
    if n <= _FEW:
        swapped = _swapped(gained, _weights(first))
        p_value = max(swapped, p_value) if noise else swapped
    return PairedDifference(*scores, low, high, p_value, n)


def _middle(drawn: Floats, n: int) -> tuple[float, float]:
    """95 % percentile interval, expanded for few items as Student's t: resampled items then vary
    too little (Hesterberg's expanded percentiles, 2015)."""
    from scipy import (
        stats,
    )  # imported here: it takes half a second, and training imports this module

    tail = stats.norm.cdf(stats.t.ppf(_TAIL, n - 1) * np.sqrt(n / (n - 1)))
    low, high = np.quantile(drawn, (tail, 1 - tail))
    return float(low), float(high)


def _swapped(gained: Floats, weights: Floats) -> float:
    """P-value of the permutation test: share of sign flips with at least this difference."""
    signs = 1 - 2 * (np.arange(1 << len(gained))[:, None] >> np.arange(len(gained)) & 1)
    found = np.abs(signs @ (weights * gained))
    return float(np.mean(found >= found[0] * (1 - 1e-9)))


def _redrawn(items: Items, seed: int, draws: int) -> Floats:
    """Scores of `draws` resamplings of the items with replacement."""
    rng = np.random.default_rng(seed)
    values, weights = np.asarray(items.values, np.float64), _weights(items)
    score = weighted_mean(items)
    if len(values) > _MANY:
        error = np.sqrt(np.sum((weights * (values - score)) ** 2)) / weights.sum()
        return rng.normal(score, error, draws)
    found = []
    for size in _blocks(draws, len(values)):
        rows = rng.integers(0, len(values), (size, len(values)), np.int32)
        if items.weights is None:
            found.append(values[rows].mean(1))
        else:
            drawn = weights[rows]
            found.append((drawn * values[rows]).sum(1) / drawn.sum(1))
    return np.concatenate(found)


def _weights(items: Items) -> Floats:
    return np.ones(len(items.ids)) if items.weights is None else np.asarray(items.weights, float)


def _blocks(draws: int, numbers: int) -> Iterator[int]:
    """Sizes of the blocks of draws, so that a block of `numbers` each fits in memory."""
    size = max(1, _AT_ONCE // numbers)
    for start in range(0, draws, size):
        yield min(size, draws - start)


ITEMS = "items.npz"


def write_items(folder: Path, items: Mapping[str, Mapping[str, Items]]) -> None:
    """Write the items of each task by metric, atomically."""
    columns = {}
    for task, metrics in items.items():
        for metric, found in metrics.items():
            columns[f"{task}/{metric}/ids"] = np.asarray(found.ids, np.str_)
            columns[f"{task}/{metric}/values"] = np.asarray(found.values, np.float64)
            if found.weights is not None:
                columns[f"{task}/{metric}/weights"] = np.asarray(found.weights, np.float64)
    unfinished = folder / (ITEMS + ".new")
    with unfinished.open("wb") as file:
        np.savez_compressed(file, **columns)  # type: ignore[arg-type]
    unfinished.replace(folder / ITEMS)


def read_items(folder: Path) -> dict[str, dict[str, Items]]:
    """Read the items by task and metric, without pickle; empty if there is no file.

    Raises TrainerError for a damaged file.
    """
    path = folder / ITEMS
    columns: dict[tuple[str, str], dict[str, np.ndarray]] = defaultdict(dict)
    try:
        with np.load(path, allow_pickle=False) as file:
            for name in file.files:
                task, metric, column = name.rsplit("/", 2)
                columns[task, metric][column] = file[name]
        found: dict[str, dict[str, Items]] = defaultdict(dict)
        for (task, metric), arrays in columns.items():
            found[task][metric] = _items(arrays)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise TrainerError(f"{path} is damaged: {error}.", "Evaluate again.") from error
    return dict(found)


def _items(arrays: Mapping[str, np.ndarray]) -> Items:
    ids, values, weights = arrays["ids"], arrays["values"], arrays.get("weights")
    if ids.dtype.kind != "U":
        raise ValueError("IDs are not strings")
    if any(column is not None and column.dtype.kind != "f" for column in (values, weights)):
        raise ValueError("values are not numbers")
    return Items(ids, values, weights)
