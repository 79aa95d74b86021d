"""Per-class metrics, checked against numbers computed independently."""

from __future__ import annotations

import pytest

from sciread_app.services.evaluation.per_class_metrics import (
    comparable,
    mistakes,
    per_class,
    wilson,
)
from trainer.contract.plots import Confusion

THREE = Confusion(
    "Predicted labels", ["Physics", "Biology", "Law"], [[8, 2, 0], [1, 4, 0], [0, 0, 0]]
)


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (0, 20, 0.0, 0.1611), (5, 5, 0.5655, 1.0), (50, 100, 0.4038, 0.5962)],
)
def test_wilson_interval_matches_statsmodels(hits, n, low, high):
    """Reference values are from statsmodels' proportion_confint."""
    assert wilson(hits, n) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_per_class_gives_recall_and_precision():
    physics, biology = per_class(THREE)  # no paper belongs to law
    assert (physics.label, physics.n, physics.recall) == ("Physics", 10, 0.8)
    assert physics.precision == pytest.approx(8 / 9) and biology.precision == pytest.approx(4 / 6)


def test_precision_of_never_predicted_class_is_none():
    silent = Confusion("", ["A", "B"], [[0, 3], [0, 2]])
    assert per_class(silent)[0].precision is None


def test_mistakes_are_sorted_by_frequency():
    assert [(m.truth, m.predicted, m.papers) for m in mistakes(THREE)] == [
        ("Physics", "Biology", 2), ("Biology", "Physics", 1),
    ]  # fmt: skip


def test_confusions_over_different_papers_are_not_comparable():
    other = Confusion("", ["Biology", "Physics"], [[5, 0], [10, 0]])
    assert comparable(THREE, other)
    assert not comparable(THREE, Confusion("", ["Biology", "Physics"], [[5, 0], [9, 0]]))
