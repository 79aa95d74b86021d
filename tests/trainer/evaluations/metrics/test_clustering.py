"""Clustering metrics, checked against values computed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.support.golden import golden
from trainer.contract.errors import TrainerError
from trainer.evaluations.base import Vectors
from trainer.evaluations.metrics.clustering import (
    FoldedVMeasure,
    Purity,
    has_majority_label,
    k_means,
    stratified_folds,
    v_measure,
    v_measure_of_k_means,
    v_measure_over_folds,
)


def purity(labels: Any, clusters: Any) -> float:
    return float(has_majority_label(labels, clusters).mean())


def blobs(case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(case["inputs"]["X"]), np.array(case["inputs"]["y_blobs"])


def test_v_measure_matches_reference_values(shared: Path) -> None:
    case = golden(shared, "v_measure")
    found = v_measure(case["inputs"]["y"], case["inputs"]["clusters"])
    expected = [case["expected"][name] for name in ("homogeneity", "completeness", "v_measure")]
    assert found == pytest.approx(expected, abs=case["tolerance_abs"])


def test_v_measure_is_zero_for_one_cluster_and_ignores_label_names() -> None:
    assert v_measure([0, 0, 1, 1], [7, 7, 7, 7]).v == 0
    assert v_measure([0, 0, 1, 1], ["b", "b", "a", "a"]).v == pytest.approx(1)


@pytest.mark.parametrize(
    ("fit_on_rest", "name"), [(False, "fit_on_test_fold"), (True, "fit_on_train_predict_test")]
)
def test_v_measure_over_folds_matches_reference_values(
    shared: Path, fit_on_rest: bool, name: str
) -> None:
    case = golden(shared, "v_measure")
    folds = [np.array(fold) for fold in case["inputs"]["test_folds"]]
    found = v_measure_over_folds(*blobs(case), folds, seed=0, fit_on_rest=fit_on_rest)
    # K-means may converge differently in another version of scikit-learn.
    assert found == pytest.approx(case["expected"][name]["per_fold"], abs=0.08)
    assert np.mean(found) == pytest.approx(case["expected"][name]["mean"], abs=0.02)


def test_stratified_folds_hold_every_row_once_with_equal_label_shares() -> None:
    labels = np.repeat([0, 1, 2], [40, 20, 10])
    folds = stratified_folds(labels, 10, seed=3)
    assert np.array_equal(np.sort(np.concatenate(folds)), np.arange(70))
    assert all(np.bincount(labels[fold]).tolist() == [4, 2, 1] for fold in folds)
    assert not np.array_equal(folds[0], stratified_folds(labels, 10, seed=4)[0])


def test_purity_matches_reference_values(shared: Path) -> None:
    case = golden(shared, "purity")
    labels, clusters = case["inputs"]["y"], case["inputs"]["clusters"]
    expected, close = case["expected"], pytest.approx
    assert purity(labels, clusters) == close(expected["basic"], abs=case["tolerance_abs"])
    assert purity(labels, range(len(labels))) == expected["singletons"]
    assert purity(labels, [5] * len(labels)) == close(expected["one_cluster"])
    _, y_true = blobs(case)
    for k, found in expected["kmeans_labels"].items():
        assert purity(y_true, found) == close(expected["kmeans"][k], abs=case["tolerance_abs"])


def test_k_means_is_deterministic_for_a_seed(shared: Path) -> None:
    vectors, labels = blobs(golden(shared, "v_measure"))
    first, again = (k_means(vectors, 7, seed=1, starts=2).labels_ for _ in range(2))
    assert np.array_equal(first, again)
    assert v_measure_of_k_means(vectors, labels, seed=1).v > 0.9


def test_purity_of_k_means_matches_reference_value(shared: Path) -> None:
    case = golden(shared, "purity")
    vectors, y_true = blobs(case)
    found = purity(y_true, k_means(vectors, 10, seed=0, starts=2).labels_)
    # K-means may converge differently in another version of scikit-learn.
    assert found == pytest.approx(case["expected"]["kmeans"]["10"], abs=0.08)


def as_task(case: dict[str, Any]) -> tuple[dict[str, str], Vectors]:
    vectors, labels = blobs(case)
    ids = [f"p{row:03}" for row in range(len(labels))]
    return dict(zip(ids, map(str, labels), strict=True)), Vectors(ids, vectors)


def test_purity_task_averages_several_seeds(shared: Path) -> None:
    case = golden(shared, "purity")
    labels, vectors = as_task(case)
    labels, vectors = dict([*labels.items()][:45]), Vectors(vectors.ids[:45], vectors.matrix[:45])
    outcome = Purity(labels, ks=(10, 20, 50), runs=3, starts=1)(vectors, None, 0)
    codes = [*labels.values()]
    expected = {
        k: [purity(codes, k_means(vectors.matrix, k, seed=s, starts=1).labels_) for s in range(3)]
        for k in (10, 20)
    }
    for score in outcome.scores:
        pure = expected[int(score.metric.removeprefix("purity@"))]
        assert score.seeds == 3
        assert score.value == pytest.approx(np.mean(pure))
        assert score.spread == pytest.approx(np.std(pure, ddof=1))
    assert expected[10] != [expected[10][0]] * 3
    assert len(outcome.scores) == 2
    assert outcome.excluded == {"numbers of clusters above the number of papers": 1}
    assert set(outcome.pictures["places"].labels) == set(labels.values())


def test_k_means_gives_the_same_clusters_for_sparse_vectors(shared: Path) -> None:
    vectors, _ = blobs(golden(shared, "purity"))
    dense, sparse = (k_means(kind(vectors), 5, seed=0) for kind in (np.asarray, csr_array))
    assert v_measure(dense.labels_, sparse.labels_).v == pytest.approx(1)


def test_v_measure_task_has_one_item_per_fold(shared: Path) -> None:
    labels, vectors = as_task(golden(shared, "v_measure"))
    outcome = FoldedVMeasure(labels | {"rare": "9"}, per_fold=1, starts=2)(
        Vectors([*vectors.ids, "rare"], np.vstack([vectors.matrix, vectors.matrix[:1]])), None, 0
    )
    assert outcome.value("v_measure") == pytest.approx(0.96, abs=0.03)
    assert len(outcome.items["v_measure"].ids) == 10
    assert outcome.excluded == {"papers with a label that fewer than 10 papers have": 1}


def test_v_measure_task_excludes_rare_labels() -> None:
    ids = [f"p{row}" for row in range(220)]
    labels = {
        name: "ab"[row % 2] if row < 100 else f"rare {row % 12}" for row, name in enumerate(ids)
    }
    vectors = Vectors(ids, np.random.default_rng(1).normal(size=(220, 8)))
    outcome = FoldedVMeasure(labels, starts=1)(vectors, None, 0)
    assert outcome.excluded == {"papers with a label that fewer than 50 papers have": 120}
    assert outcome.value("v_measure") < 0.3
    assert FoldedVMeasure(labels, per_fold=1, starts=1)(vectors, None, 0).value("v_measure") > 0.5


def test_folds_of_different_papers_are_different_items() -> None:
    ids = [f"p{row}" for row in range(8)]
    labels = dict(zip(ids, "xxxxyyyy", strict=True))
    every = Vectors(ids, np.eye(8)[:, :3] + np.arange(8)[:, None])
    fewer = Vectors(ids[1:], every.matrix[1:])
    measure = FoldedVMeasure(labels, folds=2, per_fold=1, starts=1)
    one, again, other = (
        set(measure(some, None, 0).items["v_measure"].ids) for some in (every, every, fewer)
    )
    assert one == again and len(one) == 2
    assert not one & other


def test_too_few_papers_for_clusters_raise_an_error() -> None:
    vectors = Vectors(list("abcd"), np.eye(4))
    with pytest.raises(TrainerError, match="too few for 10 clusters"):
        Purity(dict(zip("abcd", "xxyy", strict=True)))(vectors, None, 0)
