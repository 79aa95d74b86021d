"""Classification of pairs by similarity."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.metrics import average_precision_score, roc_auc_score

from tests.support.generate.vectors import vectors_of
from tests.support.golden import golden
from trainer.contract.errors import TrainerError
from trainer.evaluations.base import Vectors
from trainer.evaluations.metrics.pairs import (
    CosineAccuracy,
    LabelledPair,
    Separation,
    best_threshold,
    cosine,
    separation_of_sorted,
)


def test_cosine_matches_reference_values(shared: Path) -> None:
    case = golden(shared, "cosine_accuracy_best_threshold")
    found = cosine(case["inputs"]["emb1"], case["inputs"]["emb2"])
    assert found == pytest.approx(case["expected"]["cosine"], abs=case["tolerance_abs"])


@pytest.mark.parametrize("name", ["random", "all_tied", "ties_at_boundary", "inverted"])
def test_best_threshold_matches_reference_value(shared: Path, name: str) -> None:
    case = golden(shared, "cosine_accuracy_best_threshold")
    inputs, expected = case["inputs"]["cases"][name], case["expected"]["results"][name]
    found = best_threshold(inputs["scores"], inputs["labels"])
    assert found.accuracy == pytest.approx(expected["exact_accuracy"], abs=case["tolerance_abs"])
    assert found.threshold == pytest.approx(float(expected["exact_threshold"]))


def test_best_threshold_without_positives_is_infinite() -> None:
    assert best_threshold([0.1, 0.9], [0, 0]) == (1.0, math.inf)


def separation(scores: ArrayLike, belongs: ArrayLike) -> Separation:
    scores, belongs = np.asarray(scores), np.asarray(belongs, bool)
    return separation_of_sorted(np.sort(scores[belongs]), np.sort(scores[~belongs]))


def test_average_precision_counts_ties_together(shared: Path) -> None:
    case = golden(shared, "average_precision_ties")
    found = separation(case["inputs"]["s"], case["inputs"]["y"])
    expected = (case["expected"]["ap"], case["expected"]["auc"])
    assert found == pytest.approx(expected, abs=case["tolerance_abs"])


def test_separation_equals_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    scores, belongs = rng.integers(0, 20, 500) / 7, rng.integers(0, 2, 500)
    expected = average_precision_score(belongs, scores), roc_auc_score(belongs, scores)
    assert separation(scores.astype(np.float32), belongs) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("belongs", [0, 1])
def test_separation_of_one_class_is_nan(belongs: int) -> None:
    assert all(math.isnan(score) for score in separation([0.3, 0.4], [belongs, belongs]))


def test_empty_pairs_raise_an_error() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        best_threshold([], [])


def test_cosine_accuracy_counts_pairs_without_vectors() -> None:
    vectors = vectors_of({"a": [1.0, 0], "b": [2.0, 0.1], "c": [0, 1.0], "d": [0.1, 3.0]})
    pairs = [
        LabelledPair("a", "b", True),
        LabelledPair("c", "d", True),
        LabelledPair("a", "c", False),
        LabelledPair("b", "d", 0),
    ]
    outcome = CosineAccuracy([*pairs, LabelledPair("a", "lost", True)])(vectors, None, 0)
    assert outcome.value("cosine_accuracy") == 1
    assert outcome.excluded == {"pairs without two vectors": 1}
    assert list(outcome.items["cosine_accuracy"].ids) == [*("0 a b", "1 c d", "2 a c", "3 b d")]
    assert outcome.pictures["curves"].belongs == 0.5
    assert set(outcome.pictures["distributions"].series) == {"related", "unrelated"}


def test_repeated_pair_is_two_items() -> None:
    vectors = vectors_of({"a": [1.0, 0], "b": [2.0, 0.1], "c": [0, 1.0]})
    pairs = [
        LabelledPair("a", "b", True),
        LabelledPair("a", "b", True),
        LabelledPair("a", "c", False),
    ]
    items = CosineAccuracy(pairs)(vectors, None, 0).items["cosine_accuracy"]
    assert len(set(items.ids)) == 3


def test_cosine_accuracy_items_use_the_best_threshold(shared: Path) -> None:
    case = golden(shared, "cosine_accuracy_best_threshold")
    one, other = (np.array(case["inputs"][side]) for side in ("emb1", "emb2"))
    ids = [f"p{row}" for row in range(2 * len(one))]
    vectors = Vectors(ids, np.concatenate([one, other]))
    for wrong in (0, 1, 5):
        belongs = np.random.default_rng(wrong).integers(0, 2, len(one)).astype(bool)
        pairs = [LabelledPair(*three) for three in zip(ids, ids[len(one) :], belongs, strict=False)]
        outcome = CosineAccuracy(pairs)(vectors, None, 0)
        expected = best_threshold(cosine(one, other), belongs).accuracy
        assert outcome.value("cosine_accuracy") == pytest.approx(expected)


def test_pairs_of_one_class_raise_an_error() -> None:
    vectors = vectors_of({"a": [1.0], "b": [1.0]})
    with pytest.raises(TrainerError, match="all of these belong to one class"):
        CosineAccuracy([LabelledPair("a", "b", True)] * 3)(vectors, None, 0)


def test_sparse_cosine_equals_dense_cosine() -> None:
    one, other = np.random.default_rng(0).integers(0, 3, (2, 5, 4)).astype(float)
    one[2] = 0
    assert cosine(csr_array(one), csr_array(other)) == pytest.approx(cosine(one, other))
    assert cosine(one, other)[2] == 0
