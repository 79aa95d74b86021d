"""Agreement of k-means clusters with labels: V-measure and purity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import homogeneity_completeness_v_measure
from sklearn.model_selection import StratifiedKFold

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR
from trainer.evaluations.base import Matrix, TaskResult, Vectors, labelled_vectors
from trainer.evaluations.metrics.significance import Items
from trainer.evaluations.plots import scatter

Labels = NDArray[np.integer]


class VMeasure(NamedTuple):
    """Homogeneity and completeness of clusters and their harmonic mean, 0 to 1."""

    homogeneity: float
    completeness: float
    v: float


def v_measure(labels: ArrayLike, clusters: ArrayLike) -> VMeasure:
    """2hc / (h + c) of entropies (Rosenberg and Hirschberg, 2007)."""
    return VMeasure(*map(float, homogeneity_completeness_v_measure(labels, clusters)))


def has_majority_label(labels: ArrayLike, clusters: ArrayLike) -> NDArray[np.bool_]:
    """Whether each item has the most frequent label of its cluster."""
    _, label = np.unique(np.asarray(labels), return_inverse=True)
    _, cluster = np.unique(np.asarray(clusters), return_inverse=True)
    counts = np.zeros((cluster.max() + 1, label.max() + 1), np.int64)
    np.add.at(counts, (cluster, label), 1)
    found: NDArray[np.bool_] = counts.argmax(1)[cluster] == label
    return found


def k_means(vectors: Matrix, k: int, *, seed: int, starts: int = 10) -> KMeans:
    """Fit k-means by Euclidean distance; keep the best of `starts` initializations."""
    return KMeans(k, n_init=starts, random_state=seed).fit(vectors)


def v_measure_of_k_means(
    vectors: Matrix, labels: Labels, *, seed: int, starts: int = 10
) -> VMeasure:
    """V-measure of k-means with as many clusters as there are labels."""
    found = k_means(vectors, len(np.unique(labels)), seed=seed, starts=starts)
    return v_measure(labels, found.labels_)


def stratified_folds(labels: Labels, count: int = 10, *, seed: int) -> list[NDArray[np.int64]]:
    """Test rows of each stratified fold."""
    folds = StratifiedKFold(count, shuffle=True, random_state=seed)
    return [test for _, test in folds.split(np.zeros(len(labels)), labels)]


def v_measure_over_folds(
    vectors: Matrix,
    labels: Labels,
    folds: Iterable[NDArray[np.int64]],
    *,
    seed: int,
    fit_on_rest: bool = False,
    starts: int = 10,
) -> list[float]:
    """The V-measure of k-means on each fold (PhysBERT, sec. 4), in their order.

    The paper does not state the data that k-means is fitted on: here the fold itself, or with
    `fit_on_rest` all other papers, the fold's papers then being assigned to the nearest center.
    """
    k, found = len(np.unique(labels)), []
    for test in folds:
        rest = np.delete(np.arange(len(labels)), test)
        means = k_means(vectors[rest if fit_on_rest else test], k, seed=seed, starts=starts)
        found.append(v_measure(labels[test], means.predict(vectors[test])).v)
    return found


@dataclass(frozen=True)
class Purity:
    """MIReAD's clustering (sec. 4): purity of k-means for several k, averaged over seeds.

    Purity is the share of papers with the most frequent label of their cluster. It rises with k,
    up to 1 where every paper is its own cluster: compare equal k only. Values of k above the
    number of papers are left out.
    """

    labels: Mapping[str, str]
    ks: Sequence[int] = (10, 20, 50, 100)
    runs: int = 5
    starts: int = 10

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
        papers = labelled_vectors(vectors, self.labels)
        ks = [k for k in self.ks if k <= len(papers.ids)]
        if not ks:
            raise TrainerError(
                f"{len(papers.ids):,} papers are too few for {min(self.ks)} clusters.",
                "Add papers.",
            )
        found = {k: self._pure(papers.vectors, papers.codes, k, seed) for k in ks}
        return TaskResult.of(
            {f"purity@{k}": Items(papers.ids, pure.mean(0)) for k, pure in found.items()},
            seed=seed,
            excluded={
                **papers.excluded,
                "numbers of clusters above the number of papers": len(self.ks) - len(ks),
            },
            spread={f"purity@{k}": pure.mean(1) for k, pure in found.items()},
            pictures={
                "places": scatter(
                    papers.vectors, [papers.names[code] for code in papers.codes], seed=seed
                )
            },
        )

    def _pure(self, vectors: Matrix, codes: Labels, k: int, seed: int) -> NDArray[np.bool_]:
        """Whether each paper has the majority label of its cluster: [runs, papers]."""
        clusters = (
            k_means(vectors, k, seed=seed + run, starts=self.starts).labels_
            for run in range(self.runs)
        )
        return np.stack([has_majority_label(codes, some) for some in clusters])


@dataclass(frozen=True)
class FoldedVMeasure:
    """PhysBERT's clustering: V-measure of k-means, averaged over stratified folds.

    Labels with fewer than `per_fold` papers per fold are left out. Clusters of few papers agree
    with any labels: with 20 labels of 5 papers per fold, random vectors score about 0.5, with one
    paper per fold 1.
    """

    labels: Mapping[str, str]
    folds: int = 10
    per_fold: int = 5
    starts: int = 10

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
        papers = labelled_vectors(vectors, self.labels, at_least=self.per_fold * self.folds)
        folds = stratified_folds(papers.codes, self.folds, seed=seed)
        found = v_measure_over_folds(
            papers.vectors, papers.codes, folds, seed=seed, starts=self.starts
        )
        names = [papers.names[code] for code in papers.codes]
        ids = [f"fold {fold}" for fold in range(self.folds)]
        if papers.excluded[NO_VECTOR]:
            # Folds of fewer papers must not be paired with those of a model with all vectors.
            ids = [f"{name} of {_digest(papers.ids)}" for name in ids]
        return TaskResult.of(
            {"v_measure": Items(ids, np.array(found))},
            seed=seed,
            excluded=papers.excluded,
            pictures={"places": scatter(papers.vectors, names, seed=seed)},
        )


def _digest(ids: Sequence[str]) -> str:
    return blake2b("\n".join(ids).encode("utf-8", "replace"), digest_size=6).hexdigest()
