"""SciDocs' linear SVM: without intercept, and with C chosen by accuracy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from trainer.contract.errors import TrainerError
from trainer.evaluations.base import Matrix, Vectors
from trainer.evaluations.metrics.linear_svm import LinearSvm, fit
from trainer.evaluations.metrics.significance import Items, weighted_mean
from trainer.evaluations.svm_probe import CS, SvmProbe, choose_c


@pytest.fixture(scope="module")
def case(shared: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (shared / "golden" / "scidocs_svm_macro_f1.json").read_text()
    )
    return found


def arrays(case: dict[str, Any]) -> list[np.ndarray]:
    return [np.array(case["inputs"][name]) for name in ("X_train", "y_train", "X_test", "y_test")]


def noisy_labels(papers: int, dim: int, labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels partly predictable from the vectors; features of different scale are hard to fit."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, labels, papers)
    vectors = rng.normal(size=(papers, dim)) + rng.normal(size=(labels, dim))[codes]
    return vectors * np.logspace(0, 2, dim), codes


def macro_f1_x100(y_true: np.ndarray, predicted: np.ndarray) -> float:
    return round(
        100 * weighted_mean(Items.of_macro_f1([""] * len(predicted), y_true, predicted)), 2
    )


def test_svm_matches_reference_values(case: dict[str, Any]) -> None:
    learn, labels, test, y_true = arrays(case)
    expected = case["expected"]["no_intercept"]
    found = choose_c(learn, labels, case["inputs"]["Cs"])
    assert found.c == expected["best_C"]
    assert found.accuracies == pytest.approx(expected["cv_mean_accuracy"], abs=1e-9)
    predicted = found.machine.predict(test)
    assert predicted.tolist() == expected["pred"]
    assert macro_f1_x100(y_true, predicted) == expected["macro_f1_x100"]
    accuracy = np.mean(y_true == predicted)
    assert accuracy == pytest.approx(expected["accuracy"], abs=case["tolerance_abs"])


def test_svm_with_intercept_gives_another_score(case: dict[str, Any]) -> None:
    learn, labels, test, y_true = arrays(case)
    column = np.ones((len(learn), 1)), np.ones((len(test), 1))
    found = choose_c(np.hstack([learn, column[0]]), labels)
    predicted = found.machine.predict(np.hstack([test, column[1]]))
    assert macro_f1_x100(y_true, predicted) != case["expected"]["no_intercept"]["macro_f1_x100"]


def test_choose_c_prefers_highest_accuracy_then_lowest_c() -> None:
    vectors = np.repeat(np.eye(2), 9, axis=0)
    found = choose_c(vectors, np.repeat([0, 1], 9))
    assert found.accuracies.tolist() == [1] * len(CS)
    assert found.c == CS[0]


def words(papers: int, labels: int) -> tuple[csr_array, np.ndarray]:
    """Sparse rows of unit length, in which a label's own words are among many others."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, labels, papers)
    counts = rng.poisson(0.02, (papers, 600)).astype(np.float32)
    counts[np.arange(papers), codes * 20 + rng.integers(0, 20, papers)] += 1
    return csr_array(counts / np.linalg.norm(counts, axis=1, keepdims=True)), codes


@pytest.mark.parametrize("labels", [2, 5])
@pytest.mark.parametrize("sparse", [False, True])
def test_svm_weights_equal_converged_scikit_learn(labels: int, sparse: bool) -> None:
    vectors, codes = words(120, labels) if sparse else noisy_labels(120, 6, labels)
    cs = (1e-4, 1e-2, 1.0)
    for c, machine in zip(cs, fit(vectors, codes, cs), strict=True):
        other = LinearSVC(C=c, dual=False, fit_intercept=False, tol=1e-10, max_iter=100_000)
        weight = other.fit(vectors, codes).coef_
        weight = np.concatenate([-weight, weight]) if labels == 2 else weight
        np.testing.assert_allclose(machine.weight, weight, rtol=1e-3, atol=1e-6)
        assert np.array_equal(machine.predict(vectors), other.predict(vectors))


def gradient_norm(machine: LinearSvm, vectors: Matrix, codes: np.ndarray, c: float) -> float:
    """Return the largest gradient of a label's loss, except where weights are at zero."""
    signs = np.where(codes[:, None] == machine.labels, 1.0, -1.0)
    short = np.maximum(0, 1 - signs * (vectors @ machine.weight.T))
    left = machine.weight.T - 2 * c * vectors.T @ (signs * short)
    return float(
        (np.linalg.norm(left, axis=0) / (2 * c * np.linalg.norm(vectors.T @ signs, axis=0))).max()
    )


def hard(papers: int, dim: int, labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Vectors like those of models: far from zero, most of their variance in few directions, and
    features that are duplicates or constant zero."""
    vectors, codes = noisy_labels(papers, dim, labels)
    vectors += 300
    vectors[:, 0], vectors[:, 1] = 0, vectors[:, 2]
    return vectors, codes


@pytest.mark.parametrize("size", [1e-3, 1, 1e3])
def test_svm_is_optimal_for_any_vector_length(size: float) -> None:
    vectors, codes = hard(300, 40, 4)
    vectors *= size
    for c, machine in zip(CS, fit(vectors, codes, CS), strict=True):
        assert gradient_norm(machine, vectors, codes, c) < 1e-10


def test_svm_of_sparse_words_is_optimal() -> None:
    vectors, codes = words(300, 4)
    for c, machine in zip(CS, fit(vectors, codes, CS), strict=True):
        assert gradient_norm(machine, vectors.astype(np.float64), codes, c) < 1e-6


def test_svm_is_independent_of_the_other_values_of_c() -> None:
    vectors, codes = hard(300, 40, 4)
    for c, machine in zip(CS, fit(vectors, codes, CS), strict=True):
        (alone,) = fit(vectors, codes, [c])
        np.testing.assert_allclose(machine.weight, alone.weight, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_svm_with_one_label_predicts_it(kind: type) -> None:
    (machine,) = fit(kind(np.eye(3)), np.array([4, 4, 4]), [1.0])
    assert machine.predict(np.eye(3)).tolist() == [4, 4, 4]


def test_svm_predicts_only_training_labels() -> None:
    vectors, codes = noisy_labels(30, 4, 3)
    (machine,) = fit(vectors, np.where(codes == 1, 7, codes), [1.0])
    assert set(machine.predict(vectors)) <= {0, 2, 7}


def as_task(case: dict[str, Any]) -> tuple[SvmProbe, Vectors]:
    learn, labels, test, y_true = arrays(case)
    ids = [f"p{row:03}" for row in range(len(learn) + len(test))]
    parts = [[str(label) for label in part] for part in (labels, y_true)]
    probe = SvmProbe(
        dict(zip(ids, parts[0], strict=False)), dict(zip(ids[len(learn) :], parts[1], strict=True))
    )
    return probe, Vectors(ids, np.concatenate([learn, test]))


def test_svm_probe_matches_reference_score(case: dict[str, Any]) -> None:
    probe, vectors = as_task(case)
    outcome = probe(vectors, None, 0)
    expected = case["expected"]["no_intercept"]
    assert round(100 * outcome.value("macro_f1"), 2) == expected["macro_f1_x100"]
    assert outcome.value("accuracy") == pytest.approx(expected["accuracy"])
    assert list(outcome.items["macro_f1"].ids) == list(probe.test)
    assert all(score.low < score.value < score.high for score in outcome.scores)
    assert sum(map(sum, outcome.pictures["confusion"].counts)) == len(probe.test)


def test_paper_without_vector_counts_as_zeros(case: dict[str, Any]) -> None:
    probe, vectors = as_task(case)
    lost = [*list(probe.train)[:3], *list(probe.test)[:2]]
    kept = np.flatnonzero(~np.isin(vectors.ids, lost))
    some = Vectors([vectors.ids[row] for row in kept.tolist()], vectors.matrix[kept])
    zeroed = vectors.matrix.copy()
    zeroed[vectors.rows(lost)] = 0
    outcome, same = probe(some, None, 0), probe(Vectors(vectors.ids, zeroed), None, 0)
    assert outcome.scores == same.scores
    assert outcome.excluded == {"papers without a vector, replaced by zeros": 5}


@pytest.mark.filterwarnings("error")
def test_svm_probe_label_of_one_paper_raises_no_warning() -> None:
    vectors, codes = noisy_labels(30, 4, 2)
    ids = [f"p{row}" for row in range(31)]
    train = dict(zip(ids, [str(code) for code in codes] + ["rare"], strict=True))
    found = Vectors(ids, np.vstack([vectors, [[0, 0, 0, 1e4]]]))
    outcome = SvmProbe(train, train)(found, None, 0)
    assert "rare" in outcome.pictures["confusion"].labels
    assert outcome.items["accuracy"].values[-1] == 1


def test_svm_probe_with_one_label_or_no_vector_raises_an_error() -> None:
    vectors = Vectors(list("abcd"), np.eye(4))
    with pytest.raises(TrainerError, match="the same label"):
        SvmProbe(dict.fromkeys("abc", "x"), {"d": "x"})(vectors, None, 0)
    with pytest.raises(TrainerError, match="has a vector"):
        SvmProbe({"a": "x", "b": "x", "c": "x", "d": "y"}, {"lost": "x"})(vectors, None, 0)
