"""The verdict of a model comparison claims no more than the numbers support."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sciread_app.errors import TrainerFailed
from sciread_app.services.evaluation.leaderboard import StoredReport
from sciread_app.services.evaluation.model_comparison import (
    ComparisonOutcome,
    ModelComparer,
    verdict,
)
from sciread_app.tasks import Task
from tests.support.generate.report import items, report, result, score, subject
from tests.support.ui.fakes.evaluation import START, TRAINED, compared, measured
from trainer.evaluations.metrics.significance import write_items

A, B = (
    StoredReport(Path("a"), measured(START, 0.7)),
    StoredReport(Path("b"), measured(TRAINED, 0.8)),
)


def verdict_of(*differences, **more):
    answer = {"compared": list(differences), "refused": [], "notes": []} | more
    return verdict(A, B, answer)


def test_verdict_is_better_when_better_in_some_tasks_and_worse_in_none():
    found = verdict_of(compared("cite", "map", 0.06), compared("mag", "macro_f1", 0.01, real=False))
    assert found.answer is ComparisonOutcome.yes
    assert found.sentence.startswith("SPECTER on 900 papers is better than Starter: ")
    assert "1 of 2 tasks" in found.sentence
    assert "MAP 56.00 vs. 50.00 (95%" in found.support[0]
    assert "4.00 to 8.00" in found.support[0]
    assert "Not significant on: Fields." in found.support


def test_verdict_of_worse_model_names_the_better_model_first():
    found = verdict_of(compared("cite", "map", -0.06))
    assert found.answer is ComparisonOutcome.no
    assert found.sentence.startswith("Starter is better than SPECTER on 900 papers: ")
    assert "1 of 1 task " in found.sentence


def test_verdict_is_mixed_when_better_and_worse():
    found = verdict_of(compared("cite", "map", 0.06), compared("mag", "macro_f1", -0.05))
    assert found.answer is ComparisonOutcome.both
    assert "1 of 2 tasks" in found.sentence and "worse on 1" in found.sentence
    assert found.support[0].startswith("SPECTER") and found.support[1].startswith("Starter")


def test_metrics_of_one_task_count_as_one_finding():
    found = verdict_of(compared("cite", "map", 0.06), compared("cite", "ndcg", 0.05))
    assert "1 of 1 task " in found.sentence
    split = verdict_of(
        compared("cite", "map", 0.06), compared("cite", "ndcg", -0.05),
        compared("mag", "macro_f1", 0.04),
    )  # fmt: skip
    assert split.answer is ComparisonOutcome.both
    assert split.sentence.endswith("The metrics disagree on 1 task.")


def test_verdict_is_unknown_when_no_difference_is_significant():
    found = verdict_of(compared("cite", "map", 0.01, real=False), compared("mag", "accuracy", -0.02,
                                                                     real=False))  # fmt: skip
    assert found.answer is ComparisonOutcome.unknown
    assert found.sentence.startswith("Inconclusive: ") and "2 tasks" in found.sentence
    [blur] = found.support
    assert "2.0 percentage points" in blur


def test_verdict_reports_too_few_papers():
    same = compared("cite", "map", 0.0, real=False, n=10)
    found = verdict_of(same)
    assert found.answer is ComparisonOutcome.unknown and found.evidence[0].too_few
    assert "Not enough data" in found.sentence and "10 items" in found.sentence
    some = verdict_of(same, compared("mag", "macro_f1", 0.06))
    assert some.answer is ComparisonOutcome.yes
    assert any("Not enough data" in one and "Citations" in one for one in some.support)
    enough = verdict_of(compared("cite", "map", 0.0, real=False))
    assert "Not enough data" not in enough.sentence


def test_vector_health_is_shown_but_does_not_affect_verdict():
    found = verdict_of(
        compared("cite", "map", 0.01, real=False),
        compared("health", "title_finds@10", 0.3),
    )
    assert found.answer is ComparisonOutcome.unknown
    assert [each.counts for each in found.evidence] == [True, False]
    assert found.evidence[1].winner == 1


@pytest.mark.parametrize(("task", "few"), [("health", True), ("speed", False)])
def test_diagnostics_of_few_papers_say_so_unlike_speed(task, few):
    found = verdict_of(compared(task, "any", 0.3, real=False, n=5))
    assert found.evidence[0].too_few is few and not found.evidence[0].counts


def test_lower_is_better_metric_favours_smaller_value():
    better = compared("cite", "map", -0.05) | {"second_is_better": True}
    found = verdict_of(better)
    assert found.answer is ComparisonOutcome.yes and "45.00 vs. 50.00" in found.support[0]


def test_refused_comparisons_are_grouped_by_reason():
    refused = [{"what": what, "why": "the data differ"} for what in ("Speed", "Fields")]
    found = verdict_of(compared("cite", "map", 0.06, unpaired=3), refused=refused)
    assert [(each.what, each.reason) for each in found.refused] == [
        (("Speed", "Fields"), "the data differ")
    ]
    assert any(note.startswith("3 items are excluded") for note in found.notes)


def test_malformed_comparison_raises_trainer_failed():
    with pytest.raises(TrainerFailed, match="unexpected"):
        verdict(A, B, {"compared": [{"task": "cite"}], "refused": [], "notes": []})


# These tests use the trainer itself.


def save_report(folder: Path, values, **of) -> StoredReport:
    found = items(values)
    tested = result(scores=(score("map", found),))
    made = report(tested, subject=subject(**of))
    made.write(folder)
    write_items(folder, {"cite": {"map": found}})
    return StoredReport(folder, made)


def test_comparison_is_cached_until_a_report_changes(tmp_path, monkeypatch):
    ease = np.random.default_rng(1).random(200)
    one = save_report(tmp_path / "a", ease, id="a", title="Start", space="aa")
    other = save_report(tmp_path / "b", ease + 0.05, id="b", title="Ours", space="bb")
    judge = ModelComparer(tmp_path)
    messages = []
    found = judge.compare(one, other, Task(lambda done, total, note: messages.append(note)))
    assert found.answer is ComparisonOutcome.yes and found.evidence[0].n == 200
    assert found.evidence[0].shown_p_value.startswith("< 0.001")
    monkeypatch.setattr(
        "sciread_app.services.evaluation.model_comparison.ask", None
    )  # the trainer is not called again
    assert judge.compare(one, other, Task()) == found
    renamed = replace(other.report.subject, title="Renamed")
    again = judge.compare(
        one, other._replace(report=replace(other.report, subject=renamed)), Task()
    )
    assert again.second == "Renamed" and "Renamed" in again.sentence
    (other.folder / "report.json").touch()
    with pytest.raises(TypeError):
        judge.compare(one, other, Task())
