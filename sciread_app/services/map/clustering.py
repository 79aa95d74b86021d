"""Coarse and fine clusters of papers on a map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int16]

_FINE_MOST, _COARSE_MOST = 120, 12
# Fine clusters of a map of so many papers are divided again, into so many, of at least so many.
_DIVIDED_FROM, _FINEST_MOST, _FINEST_PAPERS = 2_000, 400, 40


def how_many(papers: int) -> tuple[int, int]:
    """Return the numbers of coarse and fine clusters for this number of papers."""
    fine = int(np.clip(round((papers / 2) ** 0.5), 3, _FINE_MOST))
    coarse = int(np.clip(round(1.5 * np.log2(max(papers, 8) / 8)), 3, _COARSE_MOST))
    return min(coarse, fine), fine


def group(points: NDArray[np.float32]) -> tuple[NDArray[np.float32], Labels]:
    """Cluster points into fine clusters, and these into coarse ones.

    Returns the centres of the fine clusters, [clusters, dim], and the coarse cluster of each.
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    coarse, fine = how_many(len(points))
    fine = min(fine, len(np.unique(points, axis=0)))
    with threadpool_limits(1):  # leaves a core to the window
        found = KMeans(fine, n_init=2, random_state=0).fit(points)
    centres = found.cluster_centers_.astype(np.float32)
    return centres, _merge(centres, np.bincount(found.labels_, minlength=fine), coarse)


def divide(
    points: NDArray[np.float32], labels: Labels, groups: int
) -> tuple[NDArray[np.float32], Labels]:
    """Divide the fine clusters of a large map, whose numbers are `labels`, into finest ones.

    Returns the centres of these, [clusters, dim], and the fine cluster of each; none for a small
    map.
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    centres, parents = [np.empty((0, points.shape[1]), np.float32)], []
    if len(points) >= _DIVIDED_FROM:
        size = max(_FINEST_PAPERS, len(points) / _FINEST_MOST)
        with threadpool_limits(1):
            for group in range(groups):
                inside = points[labels == group]
                parts = min(max(1, round(len(inside) / size)), len(np.unique(inside, axis=0)))
                if parts:
                    found = KMeans(parts, n_init=1, random_state=0).fit(inside)
                    centres.append(found.cluster_centers_.astype(np.float32))
                    parents += [group] * parts
    return np.concatenate(centres), np.array(parents, np.int16)


def nearest_part(
    points: NDArray[np.float32], labels: Labels, centres: NDArray[np.float32], parents: Labels
) -> Labels:
    """Return the finest cluster of each point: the nearest one of its fine cluster, -1 if that was
    not divided."""
    found = np.full(len(points), -1, np.int16)
    for group in np.unique(parents):
        inside, parts = np.flatnonzero(labels == group), np.flatnonzero(parents == group)
        found[inside] = parts[nearest_group(points[inside], centres[parts])]
    return found


def _merge(centres: NDArray[np.float32], sizes: NDArray[np.int64], count: int) -> Labels:
    """Merge clusters to `count` ones by Ward's criterion, and return the new cluster of each.

    Weighting clusters by their sizes keeps one from swallowing most papers.
    """
    means, weights = centres.astype(np.float64), sizes.astype(np.float64)
    members = [[n] for n in range(len(centres))]
    while len(members) > count:
        squares = ((means[:, None] - means[None]) ** 2).sum(axis=2)
        costs = squares * weights[:, None] * weights / (weights[:, None] + weights)
        np.fill_diagonal(costs, np.inf)
        one, other = sorted(divmod(int(costs.argmin()), len(members)))
        means[one] = np.average(means[[one, other]], axis=0, weights=weights[[one, other]])
        weights[one] += weights[other]
        members[one] += members.pop(other)
        means, weights = np.delete(means, other, axis=0), np.delete(weights, other)
    parents = np.empty(len(centres), np.int16)
    for number, merged in enumerate(members):
        parents[merged] = number
    return parents


def nearest_group(points: NDArray[np.float32], centres: NDArray[np.float32]) -> Labels:
    """Return the index of the nearest center for each point."""
    far = np.einsum("ij,ij->i", centres, centres) - 2 * (points @ centres.T)
    labels: Labels = far.argmin(axis=1).astype(np.int16)
    return labels


def heart(places: NDArray[np.float32]) -> tuple[float, float]:
    """Return the position at which a cluster is densest; its mean may lie outside of it."""
    low, size = places.min(axis=0), max(float(np.ptp(places, axis=0).max()), 1e-9)
    cells = ((places - low) / size * 7.999).astype(np.int64)
    flat = cells[:, 0] * 8 + cells[:, 1]
    fullest = np.bincount(flat, minlength=64).argmax()
    near = np.abs(cells - [fullest // 8, fullest % 8]).max(axis=1) <= 1
    x, y = np.median(places[near], axis=0).tolist()
    return x, y
