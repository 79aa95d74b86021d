"""Pearson correlation of all pairs of a field, scored as by scikit-learn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import average_precision_score, roc_auc_score

from tests.support.generate.vectors import vectors_of
from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR
from trainer.evaluations.base import Matrix, Vectors
from trainer.evaluations.metrics import pairs, pearson
from trainer.evaluations.metrics.pearson import (
    CONSTANT,
    NO_CATEGORY,
    AllPairs,
    PearsonPairs,
    inside_field,
)


@pytest.fixture
def case(shared: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (shared / "golden" / "miread_pearson_pairs.json").read_text()
    )
    return found


def papers(count: int, seed: int = 0) -> tuple[np.ndarray, list[set[str]]]:
    """Vectors of as many 1 as -1, so that correlations are exact, and many tie."""
    rng = np.random.default_rng(seed)
    categories = [set(rng.choice(list("abcde"), 1 + row % 2)) for row in range(count)]
    centres = {name: rng.permutation(np.repeat([1.0, -1.0], 8)) for name in "abcde"}
    vectors = np.stack([centres[max(some)] for some in categories])
    for vector in vectors:
        some = rng.choice(16, 6, replace=False)
        vector[some] = rng.permutation(vector[some])
    return vectors, categories


def separation(vectors: Matrix, categories: list[set[str]]) -> pairs.Separation:
    return pairs.separation_of_sorted(*AllPairs.of(vectors, categories).sorted_scores())


def by_scikit_learn(vectors: np.ndarray, categories: list[set[str]]) -> tuple[float, float]:
    pairs = np.triu_indices(len(vectors), 1)
    scores = np.corrcoef(vectors)[pairs].astype(np.float32)
    belongs = [bool(categories[i] & categories[j]) for i, j in zip(*pairs, strict=True)]
    return average_precision_score(belongs, scores), roc_auc_score(belongs, scores)


def test_all_pairs_match_reference_values(case: dict[str, Any]) -> None:
    vectors, categories = np.array(case["inputs"]["embeddings"]), case["inputs"]["categories"]
    expected, slack = case["expected"], case["tolerance_abs"]
    every = AllPairs.of(vectors, categories)
    belonging, others = every.sorted_scores()
    assert (len(belonging), len(belonging) + len(others)) == (
        expected["positives"],
        expected["n_pairs"],
    )
    predicted = np.array(expected["pair_labels"], bool)
    scores = np.array(expected["pair_scores"])
    assert belonging == pytest.approx(np.sort(scores[predicted]), abs=1e-6)
    assert others == pytest.approx(np.sort(scores[~predicted]), abs=1e-6)
    assert separation(vectors, categories) == pytest.approx(
        (expected["ap"], expected["auc"]), abs=slack
    )


def test_similarity_is_correlation_not_cosine(case: dict[str, Any]) -> None:
    """For vectors of mean zero, both are equal."""
    vectors, categories = np.array(case["inputs"]["embeddings"]), case["inputs"]["categories"]
    mirrored = np.hstack([vectors, -vectors])
    expected = case["expected"]
    assert separation(mirrored, categories) == pytest.approx(
        (expected["ap_if_cosine_by_mistake"], expected["auc_if_cosine_by_mistake"]), abs=1e-9
    )


@pytest.mark.parametrize("at_once", [7, 100, 1_000_000])
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_ties_and_block_size_do_not_change_the_score(
    monkeypatch: pytest.MonkeyPatch, at_once: int, kind: type
) -> None:
    monkeypatch.setattr(pearson, "_AT_ONCE", at_once)
    monkeypatch.setattr(pairs, "_MANY", at_once)
    vectors, categories = papers(40)
    found = separation(kind(vectors), categories)
    assert found == pytest.approx(by_scikit_learn(vectors, categories), abs=1e-6)


def test_pearson_influence_equals_change_of_score() -> None:
    """The mean of the items is the score, and they predict it without a paper."""
    vectors, categories = papers(120, seed=2)
    vectors = vectors + np.random.default_rng(3).normal(size=vectors.shape)
    ids = [f"p{row}" for row in range(120)]
    named = dict(zip(ids, categories, strict=True))
    outcome = PearsonPairs(named)(Vectors(ids, vectors), None, 0)
    in_all = separation(vectors, categories)
    assert outcome.value("ap") == pytest.approx(in_all.average_precision)
    assert outcome.value("auc") == pytest.approx(in_all.auc)
    without = np.array(
        [separation(np.delete(vectors, row, 0), np.delete(categories, row)) for row in range(120)]
    )
    adds = np.stack([outcome.items[name].values for name in ("ap", "auc")], 1) - in_all
    changes = 119 * (np.array(in_all) - without)
    for metric in (0, 1):
        assert np.corrcoef(adds[:, metric], changes[:, metric])[0, 1] > 0.999
        assert adds[:, metric].std() == pytest.approx(changes[:, metric].std(), rel=0.05)


def test_pearson_task_counts_excluded_papers(case: dict[str, Any]) -> None:
    ids = [f"p{row}" for row in range(len(case["inputs"]["embeddings"]))]
    categories = dict(zip(ids, case["inputs"]["categories"], strict=True))
    vectors = dict(zip(ids, case["inputs"]["embeddings"], strict=True))
    vectors |= {"flat": [0.3] * 8, "bare": [1.0, *range(7)]}
    more = {"lost": {"cs.LG"}, "flat": {"cs.LG"}, "bare": set()}
    outcome = PearsonPairs(categories | more)(vectors_of(vectors), None, 0)
    assert outcome.value("ap") == pytest.approx(case["expected"]["ap"])
    assert outcome.value("auc") == pytest.approx(case["expected"]["auc"])
    assert outcome.excluded == {NO_CATEGORY: 1, NO_VECTOR: 1, CONSTANT: 1}
    assert outcome.pictures["curves"].belongs == pytest.approx(45 / 91, abs=1e-6)


def test_papers_of_one_category_raise_an_error() -> None:
    vectors = Vectors(list("abc"), np.random.default_rng(0).normal(size=(3, 4)))
    with pytest.raises(TrainerError, match="all pairs share"):
        PearsonPairs({paper: {"cs.LG"} for paper in "abc"})(vectors, None, 0)
    with pytest.raises(TrainerError, match="no pair shares"):
        PearsonPairs({paper: {paper} for paper in "abc"})(vectors, None, 0)


def test_paper_is_inside_a_field_with_all_its_categories() -> None:
    categories = {"a": ["cs.LG", "cs.CV"], "b": ["cs.LG", "stat.ML"], "c": ["math.AG"], "d": []}
    assert list(inside_field(categories, "cs")) == ["a"]
