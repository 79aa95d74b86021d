"""Plots of vectors and predictions, as small values for a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.manifold import TSNE

from trainer.contract.plots import OTHERS, Confusion, Distributions, ScatterPlot, ThresholdCurves

_MOST_LABELS = 24
_MOST_POINTS = 160
_BINS = 60
# t-SNE takes seconds for this many papers, and more points would overlap.
_MOST_PLACES = 1_000
_FEWEST_FOR_TSNE = 50
_DIMENSIONS_FOR_TSNE = 50


def confusion(y_true: ArrayLike, y_pred: ArrayLike, names: Sequence[str] = ()) -> Confusion:
    """Confusion matrix of labels, given as codes of `names` or as values; rare ones are merged."""
    both = np.concatenate([np.asarray(y_true), np.asarray(y_pred)])
    found, codes = np.unique(both, return_inverse=True)
    true, predicted = np.split(codes, 2)
    known = [names[int(value)] if names else str(value) for value in found]
    labels, place = _most_frequent(true, known)
    counts = np.zeros((len(labels), len(labels)), np.int64)
    np.add.at(counts, (place[true], place[predicted]), 1)
    return Confusion("Predicted labels", labels, counts.tolist())


def threshold_curves(scores: ArrayLike, belongs: ArrayLike) -> ThresholdCurves:
    """ROC and precision-recall curves of pair scores; `belongs` marks the positive pairs.

    Equal scores share one threshold, as in the areas under the curves. The cost is one sort: pass
    a sample of very many pairs. Raises ValueError if all or no pairs are positive.
    """
    values, those = np.asarray(scores), np.asarray(belongs, bool)
    order = np.argsort(-values, kind="stable")
    last = np.append(np.flatnonzero(np.diff(values[order])), len(values) - 1)
    found = np.cumsum(those[order])[last]
    return curves_from_counts(found, last + 1, len(values) - int(those.sum()))


def curves_from_counts(
    found: NDArray[np.integer],
    taken: NDArray[np.integer],
    others: int,
    title: str = "Related pairs",
) -> ThresholdCurves:
    """Curves from cumulative counts at falling thresholds, for more pairs than can be sorted.

    `taken` counts the pairs at or above each threshold, `found` the positives among them;
    `others` is the total of negatives. The last threshold includes all pairs.
    """
    belonging = int(found[-1])
    if not belonging or not others:
        raise ValueError("all pairs are related, or none")
    recall = found / belonging
    precision = found / np.maximum(taken, 1)
    alarms = (taken - found) / others
    roc = _thin(np.append(0, alarms), np.append(0, recall))
    # Thresholds above the first positive pair contain false positives only.
    met = int(np.flatnonzero(found)[0])
    pr = _thin(np.append(0, recall[met:]), np.append(precision[met], precision[met:]))
    share = belonging / (belonging + others)
    return ThresholdCurves(
        title,
        false_alarms=_rounded(roc[0]),
        found=_rounded(roc[1]),
        recall=_rounded(pr[0]),
        precision=_rounded(pr[1]),
        belongs=round(share, 6),
    )


def distributions(
    values: Mapping[str, ArrayLike], axis: str = "cosine similarity"
) -> Distributions:
    """Histograms of all series that have values, over common bins."""
    series = {name: np.asarray(given, np.float64) for name, given in values.items()}
    series = {name: given for name, given in series.items() if given.size}
    if not series:
        raise ValueError("a distribution requires values")
    edges = np.histogram_bin_edges(np.concatenate([*series.values()]), _BINS)
    shares = {
        name: _rounded(np.histogram(given, edges)[0] / given.size) for name, given in series.items()
    }
    return Distributions("Similarity of pairs", axis, _rounded(edges), shares)


def scatter(
    vectors: Any,
    labels: Sequence[str],
    *,
    seed: int = 0,
    way: str = "t-SNE",
) -> ScatterPlot:
    """Project a sample of the papers to two dimensions by "t-SNE" or "PCA"; merge rare labels.

    `vectors` may be sparse. Fewer than 50 papers are always projected by PCA.
    """
    chosen = np.sort(
        np.random.default_rng(seed).permutation(len(labels))[: min(len(labels), _MOST_PLACES)]
    )
    if len(chosen) < 3:
        raise ValueError("a plot of papers requires at least three papers")
    found, codes = np.unique(np.asarray(labels)[chosen], return_inverse=True)
    names, rank = _most_frequent(codes, [str(name) for name in found])
    way = way if len(chosen) >= _FEWEST_FOR_TSNE else "PCA"
    where = _in_the_plane(vectors[chosen], way, seed)
    title = "Papers in two dimensions"
    return ScatterPlot(
        title, way, _rounded(where[:, 0]), _rounded(where[:, 1]), rank[codes].tolist(), names
    )


def _most_frequent(
    codes: NDArray[np.integer], names: Sequence[str]
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the names in the order of their frequency, and the place of each code in it.

    Rare names are merged.
    """
    often = np.argsort(-np.bincount(codes, minlength=len(names)), kind="stable")
    place = np.empty(len(names), np.int64)
    place[often] = np.arange(len(names))
    labels = [names[code] for code in often]
    if len(labels) > _MOST_LABELS:
        labels = [*labels[: _MOST_LABELS - 1], OTHERS]
    return labels, np.minimum(place, _MOST_LABELS - 1)


def _in_the_plane(vectors: Any, way: str, seed: int) -> NDArray[np.float64]:
    size = min(_DIMENSIONS_FOR_TSNE if way == "t-SNE" else 2, *vectors.shape)
    if issparse(vectors):
        reduced = TruncatedSVD(max(1, size), random_state=seed).fit_transform(vectors)
    else:
        # Equal vectors have zero variance, and PCA divides by it.
        with np.errstate(invalid="ignore"):
            reduced = PCA(size, random_state=seed).fit_transform(np.asarray(vectors, np.float32))
    reduced = np.asarray(reduced, np.float64)
    if way == "t-SNE":
        perplexity = min(30.0, (len(reduced) - 1) / 3)
        reduced = TSNE(init="pca", perplexity=perplexity, random_state=seed).fit_transform(reduced)
    if reduced.shape[1] < 2:
        reduced = np.column_stack([reduced, np.zeros(len(reduced))])
    extent = np.abs(reduced).max() or 1.0
    found: NDArray[np.float64] = reduced[:, :2] / extent
    return found


def _thin(
    x: NDArray[np.floating], y: NDArray[np.floating]
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Thin a curve to at most 160 points, evenly spaced along its length."""
    if len(x) <= _MOST_POINTS:
        return x, y
    way = np.append(0, np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y))))
    kept = np.searchsorted(way, np.linspace(0, way[-1], _MOST_POINTS))
    kept = np.unique(np.concatenate([[0], kept, [len(x) - 1]]))
    return x[kept], y[kept]


def _rounded(values: NDArray[np.floating]) -> list[float]:
    return [float(number) for number in np.round(values, 5)]
