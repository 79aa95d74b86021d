"""Ranking metrics, equal to those of trec_eval."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.support.generate.vectors import vectors_of
from tests.support.golden import golden
from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_CANDIDATES, QUERY_WITHOUT_VECTOR
from trainer.evaluations.base import Vectors
from trainer.evaluations.metrics.ranking import (
    UNSEEN,
    RankedLists,
    Ranking,
    average_precision,
    ndcg,
    rank_by_distance,
    rank_by_score,
    trec_order,
)


def ranked(case: dict[str, Any]) -> Ranking:
    return rank_by_distance(vectors_of(case["inputs"]["embeddings"]), case["inputs"]["qrels"])


@pytest.mark.parametrize(
    "name", ["scidocs_ranking_basic", "scidocs_ranking_edge_cases", "multi_scidocs_ranking"]
)
def test_rank_by_distance_matches_reference_values(shared: Path, name: str) -> None:
    case = golden(shared, name)
    found = ranked(case)
    slack = case["tolerance_abs"]
    expected = {
        query: pytest.approx((scores["map"], scores["ndcg"]), abs=slack)
        for query, scores in case["expected"]["per_query"].items()
    }
    assert found.queries == expected
    in_all = case["expected"]
    aggregate = in_all.get("aggregate") or in_all["aggregate_over_queries_in_run"]
    assert found.mean == pytest.approx((aggregate["map"], aggregate["ndcg"]), abs=slack)
    assert list(found.dropped) == case["expected"].get("queries_dropped", [])


def test_mean_is_rounded_as_in_the_papers(shared: Path) -> None:
    case = golden(shared, "scidocs_ranking_basic")
    mean = ranked(case).mean
    reported = case["expected"]["reported"]
    assert [round(100 * score, 2) for score in mean] == [reported["map"], reported["ndcg"]]


def test_tied_scores_are_ordered_as_in_trec_eval(shared: Path) -> None:
    case = golden(shared, "scidocs_ranking_edge_cases")
    for query, scores in case["expected"]["run"].items():
        scores = {paper: float(score) for paper, score in scores.items()}
        assert trec_order(scores) == case["expected"]["trec_order"][query]


def test_scores_equal_in_single_precision_are_tied() -> None:
    assert trec_order({"a": -200.00001, "b": -200.00002}) == ["b", "a"]
    assert trec_order({"a": -2.00001, "b": -2.00002}) == ["a", "b"]


def test_unlisted_relevant_paper_lowers_the_score() -> None:
    listed = rank_by_score({"a": 1.0, "b": 0.5}, {"a": 1, "b": 0, "c": 1})
    assert listed.average_precision == pytest.approx(1 / 2)
    assert listed.ndcg == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_average_precision_without_relevant_papers_is_zero() -> None:
    assert average_precision([0, 0], 0) == 0
    assert average_precision([0, 1, 0, 1], 2) == pytest.approx((1 / 2 + 2 / 4) / 2)


def test_ndcg_uses_grades_and_depth() -> None:
    assert ndcg([1, 2], [2, 1]) == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))
    assert ndcg([0, 1], [1], depth=1) == 0
    assert ndcg([1, 0], [1, 1, 1], depth=1) == 1


def test_mean_of_no_queries_is_nan() -> None:
    found = rank_by_distance(vectors_of({"q": [1.0]}), {"q": [("p", 1)], "r": [("q", 1)]})
    assert found.dropped == {"q": NO_CANDIDATES, "r": QUERY_WITHOUT_VECTOR}
    assert math.isnan(found.mean.average_precision)


def test_query_without_candidates_is_excluded_from_the_mean(shared: Path) -> None:
    """As in SciDocs, whose run has no line for it; trec_eval averages the given queries."""
    case = golden(shared, "scidocs_ranking_basic")
    alone = ranked(case)
    case["inputs"]["qrels"]["q1"] = [["nowhere", 1], ["nor here", 0]]
    found = ranked(case)
    assert found.dropped == {"q1": NO_CANDIDATES}
    assert found.mean.ndcg == pytest.approx(
        np.mean([alone.queries[query].ndcg for query in ("q0", "q2", "q3")])
    )


def test_distances_use_unnormalised_vectors(shared: Path) -> None:
    case = golden(shared, "scidocs_ranking_basic")
    as_made = ranked(case).mean
    vectors = case["inputs"]["embeddings"]
    for paper, vector in vectors.items():
        vectors[paper] = (np.array(vector) / np.linalg.norm(vector)).tolist()
    assert abs(ranked(case).mean.average_precision - as_made.average_precision) > 0.01


def test_sparse_vectors_rank_like_dense_ones(shared: Path) -> None:
    case = golden(shared, "scidocs_ranking_basic")
    filled = vectors_of(case["inputs"]["embeddings"])
    sparse = Vectors(filled.ids, csr_array(filled.matrix))
    assert rank_by_distance(sparse, case["inputs"]["qrels"]).mean == ranked(case).mean


def test_ranking_task_scores_queries_and_counts_exclusions(shared: Path) -> None:
    case = golden(shared, "scidocs_ranking_edge_cases")
    vectors = vectors_of(case["inputs"]["embeddings"])
    outcome = RankedLists(case["inputs"]["qrels"])(vectors, None, 0)
    expected = case["expected"]["aggregate_over_queries_in_run"]
    assert outcome.value("map") == pytest.approx(expected["map"], abs=case["tolerance_abs"])
    assert outcome.value("ndcg") == pytest.approx(expected["ndcg"], abs=case["tolerance_abs"])
    assert list(outcome.items["map"].ids) == ["q", "q2", "q5_norel"]
    assert outcome.excluded == {QUERY_WITHOUT_VECTOR: 2, UNSEEN: 2}
    assert all(0 <= score.low < score.value < score.high <= 1 for score in outcome.scores)


def test_no_rankable_query_raises_an_error() -> None:
    with pytest.raises(TrainerError, match="None of the 1 queries"):
        RankedLists({"q": [("p", 1)]})(vectors_of({"p": [1.0]}), None, 0)
