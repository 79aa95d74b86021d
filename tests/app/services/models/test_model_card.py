"""The balance of a model's scores counts only what is significant."""

from __future__ import annotations

from dataclasses import replace

from sciread_app.services.models.model_card import CardScore, balance

BETTER = CardScore("", "Ranking", "MAP", "90.00", before="80.00", better=True, n=50, task="cite")
WORSE = replace(BETTER, value="70.00", better=False)
CHANCE = replace(BETTER, better=None, chance=True)


def on(task, score):
    return replace(score, task=task)


def test_balance_counts_significant_differences():
    found = balance([on("a", BETTER), on("b", BETTER), on("c", WORSE), on("d", CHANCE)])
    assert (found.tasks, found.better, found.worse) == (4, 2, 1)


def test_balance_counts_metrics_of_one_task_once():
    both = balance([BETTER, replace(BETTER, metric="nDCG")])
    assert (both.tasks, both.better, both.metrics) == (1, 1, 2)
    disagree = balance([BETTER, replace(WORSE, metric="nDCG")])
    assert (disagree.tasks, disagree.better, disagree.worse) == (1, 0, 1)


def test_balance_counts_tasks_with_too_few_papers_apart():
    found = balance([on("a", BETTER), on("b", replace(CHANCE, n=10, too_few=True))])
    assert (found.tasks, found.better, found.too_few, found.metrics) == (1, 1, 1, 1)


def test_balance_counts_untested_tasks_apart_and_no_diagnostics():
    untested = replace(BETTER, better=None)
    alone = replace(BETTER, before="", better=None)
    found = balance([untested, alone, replace(BETTER, quality=False)])
    assert (found.tasks, found.untested, found.metrics) == (0, 1, 0)
