"""The average score of a suite, as in its paper."""

from __future__ import annotations

import pytest

from tests.support.generate.report import result
from trainer.contract.report import Result, Score
from trainer.evaluate import average

TASKS = {
    **dict.fromkeys(("mag", "mesh"), ("macro_f1", "accuracy")),
    **dict.fromkeys(("co-view", "co-read", "cite", "co-cite"), ("map", "ndcg")),
    "recomm": ("adj_ndcg", "adj_p@1"),
}
# The rows of SPECTER's paper, and the average that it gives.
SPECTERS = [82.0, 0.0, 86.4, 0.0, 83.6, 91.5, 84.5, 92.4, 88.3, 94.9, 88.1, 94.8, 53.9, 20.0]


def results() -> dict[str, Result]:
    values = iter(SPECTERS)
    return {
        task: result(task, scores=tuple(Score(name, next(values) / 100, 9) for name in metrics))
        for task, metrics in TASKS.items()
    }


def test_average_equals_that_of_the_paper() -> None:
    found = average("scidocs", results())
    assert found
    (score,) = found.scores
    assert (round(100 * score.value, 1), score.n) == (80.0, 12)


@pytest.mark.parametrize("task", TASKS)
def test_average_requires_all_tasks(task: str) -> None:
    known = results()
    del known[task]
    assert average("scidocs", known) is None
    assert average("scidocs", known | {task: result(task, scores=())}) is None


def test_average_requires_scores_of_one_split_and_suite() -> None:
    known = results()
    assert average("scidocs", known | {"cite": result("cite", split="validation")}) is None
    assert average("local", known) is None


def test_averages_of_different_data_are_incomparable() -> None:
    one, other = results(), results()
    other["cite"] = result("cite", sha256="77" * 32)
    found = [average("scidocs", some) for some in (one, other)]
    assert found[0] and found[1] and "data differ" in found[0].incomparable_reason(found[1])
