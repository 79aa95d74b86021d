"""Retrieval of relevant documents among all documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR, NOTHING_RELEVANT, QUERY_WITHOUT_VECTOR
from trainer.evaluations.base import Vectors
from trainer.evaluations.metrics import matrices
from trainer.evaluations.metrics.retrieval import JudgedQueries, ndcg_at, recall_at, relevant_ranks


def some_vectors(count: int, seed: int) -> np.ndarray:
    """Vectors along the axes, so that similarities are exact, and many tie."""
    return np.eye(3, dtype=np.float32)[np.random.default_rng(seed).integers(0, 3, count)]


def test_ndcg_at_10_matches_reference_values(shared: Path) -> None:
    case = json.loads((shared / "golden" / "physbert_ndcg_at_10.json").read_text())
    inputs, expected = case["inputs"], case["expected"]
    relevant = [[int(name[1:]) for name in names] for names in inputs["relevant"].values()]
    ranks = relevant_ranks(
        np.array(inputs["query_embeddings"]), np.array(inputs["doc_embeddings"]), relevant
    )
    found = ndcg_at(ranks, 10)
    slack = case["tolerance_abs"]
    assert found == pytest.approx(list(expected["per_query"].values()), abs=slack)
    assert found.mean() == pytest.approx(expected["mean"], abs=slack)


@pytest.mark.parametrize("at_once", [1, 70, 10_000])
def test_relevant_ranks_equal_sorting_for_any_block_size(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(matrices, "_AT_ONCE", at_once)
    queries, documents = some_vectors(11, 1), some_vectors(30, 2)
    rng = np.random.default_rng(3)
    relevant = [rng.choice(30, size=count % 4, replace=False) for count in range(11)]
    found = relevant_ranks(queries, documents, relevant)
    scores = matrices.l2_normalize(queries) @ matrices.l2_normalize(documents).T
    for query, rows in enumerate(relevant):
        best_first = np.lexsort([-np.arange(30), -scores[query]]).tolist()
        assert found[query].tolist() == [best_first.index(row) + 1 for row in rows]


def test_tied_documents_are_ranked_by_descending_row() -> None:
    documents = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    (ranks,) = relevant_ranks(np.array([[1.0, 0.0]]), documents, [[0, 1, 2]])
    assert ranks.tolist() == [2, 1, 3]


def test_recall_counts_documents_within_depth() -> None:
    ranks = [np.array([1, 5, 200]), np.array([], np.int64)]
    assert recall_at(ranks, 100).tolist() == pytest.approx([2 / 3, 0])
    assert ndcg_at(ranks, 10)[1] == 0


def test_ndcg_weighs_grades_and_counts_missing_documents() -> None:
    ranks = [np.array([2, 1, 2**62])]
    expected = (3 / np.log2(3) + 1) / (3 + 2 / np.log2(3) + 1 / 2)
    assert ndcg_at(ranks, 10, [[3, 1, 2]]) == pytest.approx(expected)
    assert recall_at(ranks, 100) == pytest.approx(2 / 3)


def test_dot_product_ranking_depends_on_document_length() -> None:
    documents, query = np.array([[1.0, 0.0], [3.0, 3.0]]), np.array([[1.0, 0.0]])
    assert relevant_ranks(query, documents, [[0]])[0].tolist() == [1]
    assert relevant_ranks(query, documents, [[0]], by="dot")[0].tolist() == [2]
    sparse = relevant_ranks(csr_array(query), csr_array(documents), [[0, 1]], by="dot")
    assert sparse[0].tolist() == [2, 1]


def golden_task(case: dict[str, Any]) -> tuple[JudgedQueries, Vectors, Vectors]:
    documents = [f"d{row:02}" for row in range(len(case["inputs"]["doc_embeddings"]))]
    judged = {
        query: dict.fromkeys(relevant, 1) for query, relevant in case["inputs"]["relevant"].items()
    }
    return (
        JudgedQueries(judged, documents[::-1]),
        Vectors(documents, np.array(case["inputs"]["doc_embeddings"])),
        Vectors(list(judged), np.array(case["inputs"]["query_embeddings"])),
    )


def test_retrieval_task_matches_reference_values(shared: Path) -> None:
    case = json.loads((shared / "golden" / "physbert_ndcg_at_10.json").read_text())
    task, documents, queries = golden_task(case)
    outcome = task(documents, queries, 0)
    assert outcome.value("ndcg@10") == pytest.approx(case["expected"]["mean"], abs=1e-6)
    per_query = dict(
        zip(outcome.items["ndcg@10"].ids, outcome.items["ndcg@10"].values, strict=True)
    )
    assert per_query == pytest.approx(case["expected"]["per_query"], abs=1e-6)
    assert outcome.value("recall@100") == 1
    assert not outcome.excluded


def test_retrieval_task_counts_unusable_queries(shared: Path) -> None:
    case = json.loads((shared / "golden" / "physbert_ndcg_at_10.json").read_text())
    task, documents, queries = golden_task(case)
    judged = {**task.judged, "unasked": {"d00": 1}, "idle": {"d00": 0}, "q2": {"lost": 1}}
    more = JudgedQueries(judged, [*task.documents, "lost"])
    outcome = more(documents, queries, 0)
    assert outcome.excluded == {NOTHING_RELEVANT: 1, QUERY_WITHOUT_VECTOR: 1, NO_VECTOR: 1}
    assert outcome.value("recall@100") == pytest.approx(5 / 6)
    with pytest.raises(TrainerError, match="None of the 1 queries"):
        JudgedQueries({"unasked": {"d00": 1}}, task.documents)(documents, queries, 0)
