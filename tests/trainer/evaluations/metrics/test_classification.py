"""The linear probe and macro F1, checked against values computed by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold

from tests.support.golden import golden
from trainer.contract.errors import TrainerError
from trainer.evaluations.base import Matrix, TaskResult, Vectors
from trainer.evaluations.metrics.classification import (
    MIREADS_PLAN,
    LinearProbe,
    ProbePlan,
    SplitProbe,
    fit_probe,
    probe_folds,
)
from trainer.evaluations.metrics.significance import Items, label_f1, weighted_mean


def clouds(papers: int, apart: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three labels, with vectors around centres at distance `apart`."""
    rng = np.random.default_rng(seed)
    labels = np.arange(papers) % 3
    return rng.normal(size=(papers, 8)) + apart * np.eye(8)[labels], labels


def macro_f1(y_true: ArrayLike, expected: ArrayLike) -> float:
    y_true, expected = np.asarray(y_true), np.asarray(expected)
    return weighted_mean(Items.of_macro_f1([""] * len(y_true), y_true, expected))


def test_macro_f1_matches_reference_values(shared: Path) -> None:
    case = golden(shared, "macro_f1_basic")
    y_true, predicted = (np.array(case["inputs"][name]) for name in ("y_true", "y_pred"))
    expected, slack = case["expected"], case["tolerance_abs"]
    by_label, _ = label_f1(y_true, predicted)
    assert by_label == pytest.approx(expected["per_class_f1"], abs=slack)
    assert macro_f1(y_true, predicted) == pytest.approx(expected["macro_f1"], abs=slack)


def test_macro_f1_includes_labels_only_predicted() -> None:
    assert macro_f1(["a", "a"], ["a", "b"]) == pytest.approx(1 / 3)


def test_probe_matches_reference_values(shared: Path) -> None:
    case = golden(shared, "miread_logreg_probe")
    vectors, labels = np.array(case["inputs"]["X"]), np.array(case["inputs"]["y"])
    probe = fit_probe(vectors, labels, 3, seed=None)
    expected, slack = case["expected"], case["tolerance_abs"]
    np.testing.assert_allclose(probe.weight, expected["W"], rtol=0, atol=slack)
    np.testing.assert_allclose(probe.bias, expected["b"], rtol=0, atol=slack)
    assert probe.losses == pytest.approx(expected["batch_losses"], abs=slack)
    right = np.mean(probe.predict(vectors) == labels)
    assert right == pytest.approx(expected["train_accuracy"], abs=slack)


def test_fit_probe_returns_epoch_of_best_held_out_accuracy() -> None:
    vectors, labels = clouds(300, 1.0)
    held_out = clouds(60, 1.0, seed=1)
    plan = MIREADS_PLAN._replace(learning_rate=0.5, epochs=12)

    def after(epochs: int) -> float:
        probe = fit_probe(vectors, labels, 3, seed=4, plan=plan._replace(epochs=epochs))
        return float(np.mean(probe.predict(held_out[0]) == held_out[1]))

    kept = fit_probe(vectors, labels, 3, seed=4, held_out=held_out, plan=plan)
    each = [after(epochs) for epochs in range(1, 13)]
    assert np.mean(kept.predict(held_out[0]) == held_out[1]) == max(each) > each[-1]


def as_task(vectors: Matrix, codes: np.ndarray) -> tuple[dict[str, str], Vectors]:
    ids = [f"p{row:03}" for row in range(len(codes))]
    return dict(zip(ids, np.array(["a", "b", "c"])[codes], strict=True)), Vectors(ids, vectors)


def probe_result(vectors: Matrix, codes: np.ndarray, plan: ProbePlan = MIREADS_PLAN) -> TaskResult:
    labels, given = as_task(vectors, codes)
    return LinearProbe(labels, runs=1, plan=plan)(given, None, 0)


def test_probe_separates_clusters_but_not_noise() -> None:
    assert probe_result(*clouds(600, 4.0)).value("accuracy") > 0.9
    noise = probe_result(*clouds(600, 0.0))
    assert noise.value("accuracy") == pytest.approx(1 / 3, abs=0.06)
    assert noise.value("macro_f1") < 0.4


def test_probe_is_tested_on_papers_not_fitted() -> None:
    vectors = np.random.default_rng(0).normal(size=(80, 400))
    plan = MIREADS_PLAN._replace(learning_rate=0.1, epochs=50)
    labels = np.arange(80) % 2
    learned = fit_probe(vectors, labels, 2, seed=0, plan=plan)
    assert np.array_equal(learned.predict(vectors), labels)
    assert probe_result(vectors, labels, plan).value("accuracy") < 0.75


def test_linear_probe_averages_runs_and_folds_over_all_papers() -> None:
    labels, vectors = as_task(*clouds(122, 1.0))
    plan = MIREADS_PLAN._replace(learning_rate=0.05)
    outcome = LinearProbe(labels, runs=2, plan=plan)(vectors, None, 5)
    codes = np.unique([*labels.values()], return_inverse=True)[1]
    each = [
        np.mean(
            [
                (np.mean(codes[rows] == result), macro_f1(codes[rows], result))
                for rows, result in folds
            ],
            axis=0,
        )
        for folds in (probe_folds(vectors.matrix, codes, seed=s, plan=plan) for s in (5, 6))
    ]
    accuracy, f1 = np.mean(each, axis=0)
    assert outcome.value("accuracy") == pytest.approx(accuracy)
    assert outcome.value("macro_f1") == pytest.approx(f1)
    found_f1, found = outcome.scores
    assert found_f1.spread == pytest.approx(np.std([run[1] for run in each], ddof=1))
    assert (found.seeds, found.n, list(outcome.items["accuracy"].ids)) == (2, 122, vectors.ids)


def test_sparse_and_dense_vectors_give_the_same_probe() -> None:
    vectors, labels = clouds(90, 2.0)
    dense, sparse = (probe_result(kind(vectors), labels) for kind in (np.asarray, csr_array))
    for name in ("accuracy", "macro_f1"):
        assert dense.value(name) == sparse.value(name)


def test_papers_without_vector_or_label_and_rare_labels_are_counted() -> None:
    labels, vectors = as_task(*clouds(60, 4.0))
    more = Vectors([*vectors.ids, "rare", "bare"], np.concatenate([vectors.matrix, np.eye(2, 8)]))
    outcome = LinearProbe(labels | {"lost": "a", "rare": "d", "bare": ""}, runs=1)(more, None, 0)
    assert outcome.excluded == {
        "papers without a vector": 1,
        "papers without a label": 1,
        "papers with a label that fewer than 4 papers have": 1,
    }
    assert outcome.scores == LinearProbe(labels, runs=1)(vectors, None, 0).scores


def test_single_label_raises_an_error() -> None:
    _, vectors = as_task(*clouds(30, 1.0))
    with pytest.raises(TrainerError, match="Only one label has 4 papers with vectors or more"):
        LinearProbe(dict.fromkeys(vectors.ids, "a"))(vectors, None, 0)


def split_clouds(apart: float = 3.0) -> tuple[dict[str, str], dict[str, str], Vectors]:
    vectors, labels = clouds(180, apart)
    ids = [f"p{row}" for row in range(180)]
    named = {paper: f"label {label}" for paper, label in zip(ids, labels.tolist(), strict=True)}
    train = {paper: named[paper] for paper in ids[:120]}
    test = {paper: named[paper] for paper in ids[120:]}
    return train, test, Vectors(ids, vectors)


def test_split_probe_averages_folds_over_the_same_papers() -> None:
    """Compared with the same protocol written out, with scikit-learn's macro F1."""
    train, test, vectors = split_clouds()
    found = SplitProbe(train, test, runs=2)(vectors, None, 5)
    learn, tell = (vectors.matrix[vectors.rows(list(part))] for part in (train, test))
    labels, y_true = (np.array([int(name[-1]) for name in p.values()]) for p in (train, test))
    f1, right = [], []
    for seed in (5, 6):
        folds = StratifiedKFold(4, shuffle=True, random_state=seed)
        for rest, stop in folds.split(learn, labels):
            held_out = (learn[stop], labels[stop])
            probe = fit_probe(learn[rest], labels[rest], 3, seed=seed, held_out=held_out)
            f1.append(f1_score(y_true, probe.predict(tell), average="macro"))
            right.append(accuracy_score(y_true, probe.predict(tell)))
    assert found.value("macro_f1") == pytest.approx(np.mean(f1))
    assert found.value("accuracy") == pytest.approx(np.mean(right))
    (spread,) = (score.spread for score in found.scores if score.metric == "accuracy")
    assert spread == pytest.approx(np.std([np.mean(right[:4]), np.mean(right[4:])], ddof=1))
    assert found.items["accuracy"].ids == list(test)


def test_split_probe_counts_unusable_papers() -> None:
    train, test, vectors = split_clouds()
    train |= {"rare": "label 9", "lost": "label 0"}
    test |= {"p999": "label 1", "p120": "label 9"}
    found = SplitProbe(train, test, runs=1)(vectors, None, 0)
    assert found.excluded == {
        "papers without a vector": 2,
        "test papers with a label not in the training papers": 1,
        "papers without a vector, test split": 1,
    }
    with pytest.raises(TrainerError, match="No test paper"):
        SplitProbe(train, {"p999": "label 1"}, runs=1)(vectors, None, 0)
