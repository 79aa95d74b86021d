"""Whether to use a model for search, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sciread_app.language import tr, trn
from sciread_app.services.models.model_card import Balance, CardScore, balance


class Recommendation(NamedTuple):
    """The result of an evaluation in a sentence, and whether it is to `use` the model."""

    sentence: str
    use: bool


def recommendation(scores: Sequence[CardScore], *, base_in_use: bool) -> Recommendation:
    """Compare a model with its base model.

    `base_in_use`: the base is the active model, so that the result tells whether to switch.
    Without a measure that both have, the sentence is empty.
    """
    found = balance(scores)
    other = tr("the model in use") if base_in_use else tr("its base model")
    use = bool(found.better) and not found.worse and base_in_use
    if found.tasks:
        parts = [_result(found, other, use=use), *_other_tasks(found)]
    elif found.too_few:
        parts = [
            tr("Too few papers to tell whether this model is better than {other}.", other=other)
        ]
    else:
        parts = []
    return Recommendation(" ".join(parts), use)


def _result(found: Balance, other: str, *, use: bool) -> str:
    """Return the sentence on the tasks that were compared."""
    # Translators: with the next, as in "Better than its base model on 2 of 2 tasks (3 metrics)"
    tasks = trn("{n} task", "{n} tasks", found.tasks)
    if found.metrics > found.tasks:
        metrics = trn("{n} metric", "{n} metrics", found.metrics)
        tasks = f"{tasks} ({metrics})"
    better, worse = found.better, found.worse
    if better and worse:
        return tr(
            "Better than {other} on {better} of {tasks}; worse on {worse}: not recommended.",
            other=other,
            better=better,
            tasks=tasks,
            worse=worse,
        )
    if worse:
        return tr(
            "Worse than {other} on {worse} of {tasks}: not recommended.",
            other=other,
            worse=worse,
            tasks=tasks,
        )
    if use:
        return tr(
            "Better than {other} on {better} of {tasks}; worse on none: use it for search.",
            other=other,
            better=better,
            tasks=tasks,
        )
    if better:
        return tr(
            "Better than {other} on {better} of {tasks}; worse on none.",
            other=other,
            better=better,
            tasks=tasks,
        )
    return tr("No significant difference from {other} on {tasks}.", other=other, tasks=tasks)


def _other_tasks(found: Balance) -> Iterator[str]:
    """Return a sentence on each kind of task that the result does not count."""
    equal = found.tasks - found.better - found.worse
    if equal < found.tasks and equal:
        yield trn("No significant difference on {n} task.",
                  "No significant difference on {n} tasks.", equal)  # fmt: skip
    if found.too_few:
        yield trn("Too few papers to tell on {n} other task.",
                  "Too few papers to tell on {n} other tasks.", found.too_few)  # fmt: skip
    if found.untested:
        yield trn("{n} other task has no test of significance.",
                  "{n} other tasks have no test of significance.", found.untested)  # fmt: skip
