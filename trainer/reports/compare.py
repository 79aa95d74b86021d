"""Is one model better than another? Item by item, and only where both did the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from trainer.contract.errors import TrainerError
from trainer.contract.evaluations import Metric, evaluation_spec
from trainer.contract.report import NO_VECTOR, Report, Result
from trainer.evaluations.intervals import Difference, Items, difference
from trainer.evaluations.items import read_items

LEVEL = 0.05
# Where what is left out of one model's papers makes the task of the others another one: there is
# less to find them among, or to learn from. Elsewhere such papers count as found last.
_HELD_TOGETHER = frozenset(
    ("retrieval", "neighbours", "pearson_pairs", "probe", "purity", "v_measure", "subdomain")
)
_SEED = 1


@dataclass(frozen=True)
class Compared:
    """A metric of a task that both models were measured by, over the items that both have.

    `adjusted` is the chance of so great a difference where there is none, raised for the number
    of differences that are looked at (Holm, 1979). `unpaired` counts items that only one has.
    """

    result: Result
    metric: Metric
    found: Difference
    unpaired: int
    adjusted: float = 1.0

    @property
    def is_real(self) -> bool:
        return self.adjusted < LEVEL

    @property
    def second_is_better(self) -> bool | None:
        """None where neither is known to be."""
        if not self.is_real or self.metric.higher_is_better is None:
            return None
        return (self.found.value > 0) == self.metric.higher_is_better


@dataclass(frozen=True)
class Refused:
    """What cannot be compared, and why."""

    what: str
    why: str


@dataclass(frozen=True)
class Comparison:
    """What of two reports can be compared, and what cannot; `notes` are what else differs."""

    first: Report
    second: Report
    compared: Sequence[Compared]
    refused: Sequence[Refused]
    notes: Sequence[str] = ()


def compare(
    first: Path, second: Path, at: Callable[[str, float], None] = lambda title, share: None
) -> Comparison:
    """The second report against the first, from their folders. `at` is told which task is next.

    Raises TrainerError where they are of different suites or nothing of them can be compared.
    """
    one, other = Report.read(first), Report.read(second)
    if one.suite != other.suite:
        raise TrainerError(
            f"These reports are of different suites: {one.suite} and {other.suite}.",
            "Evaluate both models with one suite.",
        )
    items = read_items(_folder(first)), read_items(_folder(second))
    compared: list[Compared] = []
    refused = [*_only_in_one(one, other)]
    for number, result in enumerate(one.results):
        at(result.title, number / len(one.results))
        match = other.result(result.task)
        if match is None:
            continue
        if why := result.why_not(match) or _why_not_paired(result, match):
            refused.append(Refused(result.title, why))
            continue
        for metric in _metrics(result, match):
            made = _compared(result, match, metric, *(each.get(result.task, {}) for each in items))
            if isinstance(made, Refused):
                refused.append(made)
            else:
                compared.append(made)
    if not compared:
        reasons = "; ".join(f"{each.what}: {each.why}" for each in refused) or "both are empty"
        raise TrainerError(
            f"Nothing of these reports can be compared. {reasons}.",
            "Evaluate both models with the same data and the same version of SciRead.",
        )
    notes = [*_precisions(one, other), *_left_out(one, other, {c.result.task for c in compared})]
    return Comparison(one, other, _adjusted(compared), refused, notes)


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _only_in_one(one: Report, other: Report) -> Iterator[Refused]:
    for report, against in ((one, other), (other, one)):
        for result in report.results:
            if against.result(result.task) is None:
                yield Refused(result.title, f"only {report.subject.title} was measured by it")


def _precisions(one: Report, other: Report) -> list[str]:
    """Two models are compared as they are used, so that one may compute in fewer bits. Told all
    the same: where it is one model, the bits are all that is compared."""
    first, second = (str(report.subject.about.get("precision", "")) for report in (one, other))
    if not first or not second or first == second:
        return []
    same = one.subject.space and one.subject.space == other.subject.space
    which = "Both are the same model, but " if same else ""
    return [f"{which}A was computed in {first}, B in {second}."]


def _left_out(one: Report, other: Report, tasks: Collection[str]) -> Iterator[str]:
    """Of what was compared all the same."""
    for result in one.results:
        match = other.result(result.task)
        if match and result.task in tasks and result.excluded != match.excluded:
            first, second = (_counts(each) for each in (result, match))
            yield f"{result.title}: A leaves out {first}, B {second}."


def _counts(result: Result) -> str:
    return ", ".join(f"{count:,} {why}" for why, count in result.excluded.items()) or "nothing"


def _why_not_paired(one: Result, other: Result) -> str:
    """Folds and clusters of another seed are other ones, and so are those of fewer papers."""
    if one.seed != other.seed:
        return f"one was run with seed {one.seed}, the other with {other.seed}"
    first, second = (each.excluded.get(NO_VECTOR, 0) for each in (one, other))
    if one.evaluation in _HELD_TOGETHER and first != second:
        return f"one leaves out {first:,} {NO_VECTOR}, the other {second:,}"
    return ""


def _metrics(one: Result, other: Result) -> list[Metric]:
    spec = evaluation_spec(one.evaluation)
    return [spec.metric(score.metric) for score in one.scores if other.score(score.metric)]


def _compared(
    result: Result,
    match: Result,
    metric: Metric,
    first: dict[str, Items],
    second: dict[str, Items],
) -> Compared | Refused:
    what = f"{result.title}, {metric.title}"
    runs = [score.seeds for each in (result, match) if (score := each.score(metric.name))]
    if len(set(runs)) > 1:
        return Refused(
            what, f"one is the mean of {runs[0]:,} repetitions, the other of {runs[1]:,}"
        )
    if metric.name not in first or metric.name not in second:
        return Refused(what, "it is one number, without items to compare")
    one, other = first[metric.name], second[metric.name]
    shared, at, there = np.intersect1d(one.ids, other.ids, return_indices=True)
    if not len(shared):
        return Refused(what, "no item has a score of both")
    try:
        found = difference(one.at(at), other.at(there), _SEED, noise=_noise(metric, result, match))
    except ValueError as error:
        return Refused(what, str(error))
    return Compared(result, metric, found, len(one.ids) + len(other.ids) - 2 * len(shared))


def _noise(metric: Metric, *results: Result) -> float:
    """The standard error of the difference that repetitions with other seeds leave in it."""
    scores = [score for result in results if (score := result.score(metric.name))]
    return float(np.sqrt(sum((score.spread or 0.0) ** 2 / score.seeds for score in scores)))


def _adjusted(compared: Sequence[Compared]) -> list[Compared]:
    """Holm's step-down: the least chance counts as often as there are differences, and so on."""
    order = sorted(range(len(compared)), key=lambda at: compared[at].found.chance)
    found, highest = list(compared), 0.0
    for step, at in enumerate(order):
        raised = compared[at].found.chance * (len(compared) - step)
        highest = min(1.0, max(highest, raised))
        found[at] = replace(compared[at], adjusted=highest)
    return found
