"""The list of evaluations: unique names, and metrics formatted as in papers."""

from __future__ import annotations

import pytest

from trainer.contract.evaluations import EVALUATIONS, evaluation_spec


def test_names_of_evaluations_and_metrics_are_unique():
    keys = [spec.key for spec in EVALUATIONS]
    assert len(set(keys)) == len(keys)
    for spec in EVALUATIONS:
        names = [metric.name for metric in spec.metrics]
        assert names and len(set(names)) == len(names), spec.key
        # Items of a score are stored under names joined by slashes.
        assert not any("/" in name for name in names)


def test_every_metric_has_an_explanation():
    for spec in EVALUATIONS:
        silent = [metric.name for metric in spec.metrics if not metric.about.endswith((".", "?"))]
        assert not silent, spec.key


def test_arrow_shows_which_direction_is_better():
    health = evaluation_spec("health")
    names = ("effective_rank", "mean_cosine", "title_only")
    assert [health.metric(name).arrow for name in names] == ["↑", "↓", ""]


@pytest.mark.parametrize(
    ("evaluation", "metric", "value", "shown"),
    [
        ("ranking", "map", 0.81954, "81.95"),
        ("health", "effective_rank", 121.44, "121.4"),
        ("health", "no_such", 0.30961, "0.310"),
    ],
)
def test_metric_values_are_formatted_as_in_papers(evaluation, metric, value, shown):
    assert evaluation_spec(evaluation).metric(metric).shown(value) == shown


def test_unknown_evaluation_is_shown_by_name():
    spec = evaluation_spec("telepathy")
    assert spec.title == "telepathy"
    assert spec.metric("guesses").title == "guesses"
    assert spec.metric("guesses").higher_is_better is None
