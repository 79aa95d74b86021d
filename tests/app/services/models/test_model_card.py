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
    assert found == (4, 2, 1, 0)


def test_balance_counts_metrics_of_one_task_once():
    assert balance([BETTER, replace(BETTER, metric="nDCG")]) == (1, 1, 0, 0)
    assert balance([BETTER, replace(WORSE, metric="nDCG")]) == (1, 0, 1, 0)


def test_balance_leaves_out_measures_with_too_few_papers():
    few = replace(CHANCE, n=10, too_few=True)
    assert balance([on("a", BETTER), on("b", few)]) == (1, 1, 0, 1)


def test_balance_leaves_out_untested_and_diagnostic_scores():
    untested = replace(BETTER, better=None)
    alone = replace(BETTER, before="", better=None)
    assert balance([untested, alone, replace(BETTER, quality=False)]) == (0, 0, 0, 0)
