"""Health metrics: collapsed vectors, and retrieval of papers by title."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from trainer.contract.errors import TrainerError
from trainer.evaluations.base import Vectors
from trainer.evaluations.health import Health, effective_rank, random_pairs


def scattered(papers: int, dim: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(papers, dim))


def named(matrix: np.ndarray) -> Vectors:
    return Vectors([f"p{row}" for row in range(len(matrix))], matrix)


def test_effective_rank_equals_number_of_equal_directions() -> None:
    assert effective_rank(np.eye(4)[np.arange(400) % 4]) == pytest.approx(3)
    plane = scattered(500, 2) @ scattered(2, 30)
    assert 1 < effective_rank(plane) <= 2
    assert effective_rank(csr_array(plane)) == pytest.approx(effective_rank(plane))
    assert effective_rank(np.outer(np.linspace(0, 1, 50), np.ones(5))) == pytest.approx(1)
    assert effective_rank(np.ones((50, 5))) == 0


def test_collapsed_vectors_have_high_mean_cosine_and_low_rank() -> None:
    well = Health()(named(scattered(300, 40)), None, 0)
    ill = Health()(named(10 + scattered(300, 2) @ scattered(2, 40)), None, 0)
    assert well.value("mean_cosine") == pytest.approx(0, abs=0.02)
    assert well.value("effective_rank") == pytest.approx(40, rel=0.15)
    assert ill.value("mean_cosine") > 0.9
    assert ill.value("effective_rank") < 3


def test_random_pairs_are_of_different_papers() -> None:
    one, other = random_pairs(3, 500, 0)
    assert (one != other).all()
    assert set(one) == set(other) == {0, 1, 2}


def test_pair_items_are_unique_and_independent_of_order() -> None:
    vectors = named(scattered(20, 4))
    turned = Vectors(vectors.ids[::-1], vectors.matrix[::-1])
    one, other = (Health()(some, None, 0).items["mean_cosine"] for some in (vectors, turned))
    assert len(set(one.ids)) == len(one.ids)
    values = dict(zip(one.ids, one.values, strict=True))
    for name, cosine in zip(other.ids, other.values, strict=True):
        assert values.get(name, cosine) == pytest.approx(cosine)


def test_health_scores_titles_by_similarity_and_retrieval() -> None:
    papers = named(np.eye(30))
    near = Vectors(papers.ids[:20], (2 * np.eye(30) + 0.2)[:20])
    outcome = Health()(papers, near, 0)
    assert outcome.value("title_finds@10") == 1
    assert outcome.value("title_only") == pytest.approx(2.2 / np.sqrt(2.2**2 + 29 * 0.04))
    assert outcome.excluded == {"papers without a title search": 10}
    astray = Vectors(papers.ids, np.roll(np.eye(30), 1, axis=0) + 0.01 * np.arange(30, 0, -1))
    assert Health()(papers, astray, 0).value("title_finds@10") < 0.5


def test_health_titles_rank_by_the_similarity_of_their_vectors() -> None:
    papers = named((np.eye(30) + 0.2) * np.where(np.arange(30) < 12, 1000, 1)[:, None])
    titles = Vectors(papers.ids, np.eye(30))
    assert Health()(papers, titles, 0).value("title_finds@10") == 1
    by_dot = Vectors(papers.ids, papers.matrix, by="dot")
    assert Health()(by_dot, titles, 0).value("title_finds@10") < 0.5


def test_papers_and_titles_without_vector_are_counted() -> None:
    none = Vectors([], np.empty((0, 0)))
    outcome = Health(papers=32)(named(np.eye(30)), none, 0)
    assert outcome.excluded == {
        "papers without a vector": 2,
        "papers without a title search": 30,
    }
    assert "title_only" not in outcome.items


def test_fewer_than_three_papers_raise_an_error() -> None:
    with pytest.raises(TrainerError, match="three papers"):
        Health()(named(np.eye(2)), None, 0)
