"""Precision of the nearest papers of a corpus."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR
from trainer.evaluations.base import Vectors
from trainer.evaluations.metrics import matrices
from trainer.evaluations.neighbours import NeighbourPrecision, nearest

# Papers on a circle, in this order.
ANGLES = {"a": 0.0, "b": 0.1, "c": 0.3, "d": 1.0, "e": 1.3}


def on_a_circle(angles: dict[str, float] = ANGLES) -> Vectors:
    place = np.array([*angles.values()])
    return Vectors(list(angles), np.stack([np.cos(place), np.sin(place)], axis=1) * 3)


@pytest.mark.parametrize("at_once", [1, 100])
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_nearest_are_sorted_without_the_paper_itself(
    monkeypatch: pytest.MonkeyPatch, at_once: int, kind: type
) -> None:
    monkeypatch.setattr(matrices, "_AT_ONCE", at_once)
    found = nearest(kind(on_a_circle().matrix), 3)
    assert found.tolist() == [[1, 2, 3], [0, 2, 3], [1, 0, 3], [4, 2, 1], [3, 2, 1]]


def test_nearest_with_few_rows_returns_all_others() -> None:
    assert nearest(np.eye(3), 10).shape == (3, 2)


def test_neighbours_of_a_shared_group_are_relevant() -> None:
    groups = {"a": {"cs", "math"}, "b": {"cs"}, "c": {"bio"}, "d": {"bio"}, "e": {"math"}}
    outcome = NeighbourPrecision(groups, depth=2)(on_a_circle(), None, 0)
    found = dict(zip("abcde", outcome.items["precision@2"].values, strict=True))
    assert found == {"a": 0.5, "b": 0.5, "c": 0, "d": 0.5, "e": 0}
    assert outcome.value("precision@2") == pytest.approx(0.3)


def test_papers_without_group_are_neither_queries_nor_results() -> None:
    groups = {"a": {"cs"}, "b": set(), "c": {"cs"}, "d": {"bio"}, "lost": {"cs"}}
    outcome = NeighbourPrecision(groups, depth=1)(on_a_circle(), None, 0)
    assert outcome.items["precision@1"].ids == ["a", "c", "d"]
    assert outcome.value("precision@1") == pytest.approx(2 / 3)
    assert outcome.excluded == {NO_VECTOR: 1, "papers without a journal, field or citation": 1}


def test_neighbours_of_links_search_all_papers() -> None:
    cites = {"a": {"b", "e", "elsewhere"}, "b": set(), "c": {"lost"}, "d": {"e", "d"}, "e": ()}
    outcome = NeighbourPrecision(cites | {"lost": ()}, relation="links", depth=1)(
        on_a_circle(), None, 0
    )
    assert outcome.items["precision@1"].ids == ["a", "d"]
    assert outcome.value("precision@1") == 1
    assert outcome.excluded == {NO_VECTOR: 1, "papers without a journal, field or citation": 3}


def test_neighbours_without_relations_raise_an_error() -> None:
    with pytest.raises(TrainerError, match="Too few"):
        NeighbourPrecision({"a": {"elsewhere"}, "b": set()}, relation="links")(
            on_a_circle(), None, 0
        )
