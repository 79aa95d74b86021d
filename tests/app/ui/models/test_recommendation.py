"""The sentence on a trained model accounts for every score of the table below it."""

from __future__ import annotations

from dataclasses import replace

from sciread_app.services.models.model_card import CardScore
from sciread_app.ui.models.recommendation import recommendation

RANKING = CardScore("", "Ranking", "MAP", "90.00", before="80.00", better=True, n=50, task="cite")
NEIGHBORS = replace(RANKING, title="Neighbors", metric="P@10", task="neighbors")
EQUAL = replace(NEIGHBORS, better=None, chance=True)


def test_recommendation_with_several_metrics_of_a_task_counts_both():
    scores = [RANKING, replace(RANKING, metric="nDCG"), NEIGHBORS]
    sentence, use = recommendation(scores, base_in_use=True)
    assert use and "2 of 2 tasks" in sentence and "3 metrics" in sentence


def test_recommendation_with_one_metric_of_each_task_counts_tasks_alone():
    sentence, _ = recommendation([RANKING, NEIGHBORS], base_in_use=True)
    assert "2 of 2 tasks" in sentence and "metric" not in sentence


def test_recommendation_counts_tasks_without_significant_difference():
    sentence, use = recommendation([RANKING, EQUAL], base_in_use=False)
    assert not use and "1 of 2 tasks" in sentence and "significant difference on 1" in sentence


def test_recommendation_counts_tasks_with_too_few_papers_and_untested_ones():
    few, untested = replace(EQUAL, too_few=True), replace(RANKING, better=None, task="other")
    sentence, _ = recommendation([RANKING, few, untested], base_in_use=True)
    assert "1 of 1 task;" in sentence
    assert "few papers to tell on 1" in sentence and "1 other task has no test" in sentence
