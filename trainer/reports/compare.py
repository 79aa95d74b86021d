"""Paired comparison of two reports, item by item, where both measured the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from trainer.contract.errors import TrainerError
from trainer.contract.evaluations import Metric, evaluation_spec
from trainer.contract.report import NO_VECTOR, Report, Result
from trainer.evaluations.metrics.significance import (
    Items,
    PairedDifference,
    paired_difference,
    read_items,
)

SIGNIFICANCE_LEVEL = 0.05
# Evaluations in which missing papers change the task itself: there are fewer candidates or training
# papers. In the others a missing paper counts as ranked last.
_HELD_TOGETHER = frozenset(
    ("retrieval", "neighbours", "pearson_pairs", "probe", "purity", "v_measure", "subdomain")
)
_SEED = 1


@dataclass(frozen=True)
class MetricComparison:
    """One metric of one task, compared over the items that both models have.

    `adjusted_p_value` is the p-value corrected for the number of comparisons (Holm, 1979).
    `unpaired` counts the items that only one of the two models has.
    """

    result: Result
    metric: Metric
    difference: PairedDifference
    unpaired: int
    adjusted_p_value: float = 1.0

    @property
    def is_significant(self) -> bool:
        return self.adjusted_p_value < SIGNIFICANCE_LEVEL

    @property
    def second_is_better(self) -> bool | None:
        """Whether the second model is better; None if the difference is not significant."""
        if not self.is_significant or self.metric.higher_is_better is None:
            return None
        return (self.difference.value > 0) == self.metric.higher_is_better


@dataclass(frozen=True)
class RefusedComparison:
    """A task or metric that cannot be compared, and the reason."""

    what: str
    reason: str


@dataclass(frozen=True)
class ReportComparison:
    """Comparisons and refusals of two reports; `notes` lists other differences."""

    first: Report
    second: Report
    compared: Sequence[MetricComparison]
    refused: Sequence[RefusedComparison]
    notes: Sequence[str] = ()


def compare(
    first: Path, second: Path, at: Callable[[str, float], None] = lambda title, share: None
) -> ReportComparison:
    """Compare the second report with the first, read from their folders.

    `at` is called with the title of the next task and the share done. Raises TrainerError if the
    suites differ or nothing can be compared.
    """
    one, other = Report.read(first), Report.read(second)
    if one.suite != other.suite:
        raise TrainerError(
            f"The reports are from different suites: {one.suite} and {other.suite}.",
            "Evaluate both models with the same suite.",
        )
    items = read_items(_folder(first)), read_items(_folder(second))
    compared: list[MetricComparison] = []
    refused = [*_only_in_one(one, other)]
    for number, result in enumerate(one.results):
        at(result.title, number / len(one.results))
        match = other.result(result.task)
        if match is None:
            continue
        if why := result.incomparable_reason(match) or _unpaired_reason(result, match):
            refused.append(RefusedComparison(result.title, why))
            continue
        for metric in _metrics(result, match):
            made = _compared(result, match, metric, *(each.get(result.task, {}) for each in items))
            if isinstance(made, RefusedComparison):
                refused.append(made)
            else:
                compared.append(made)
    if not compared:
        reasons = (
            "; ".join(f"{each.what}: {each.reason}" for each in refused) or "both reports are empty"
        )
        raise TrainerError(
            f"The reports have nothing to compare: {reasons}.",
            "Evaluate both models on the same data and with the same version of SciRead.",
        )
    notes = [*_precisions(one, other), *_left_out(one, other, {c.result.task for c in compared})]
    return ReportComparison(one, other, _adjusted(compared), refused, notes)


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _only_in_one(one: Report, other: Report) -> Iterator[RefusedComparison]:
    for report, against in ((one, other), (other, one)):
        for result in report.results:
            if against.result(result.task) is None:
                yield RefusedComparison(
                    result.title, f"only {report.subject.title} was evaluated on the task"
                )


def _precisions(one: Report, other: Report) -> list[str]:
    """Note a difference in precision. It is allowed, since models are compared as they are used;
    for one and the same model it is all that is compared."""
    first, second = (str(report.subject.about.get("precision", "")) for report in (one, other))
    if not first or not second or first == second:
        return []
    same = one.subject.space and one.subject.space == other.subject.space
    which = "Both are the same model, but " if same else ""
    return [f"{which}A was computed in {first}, B in {second}."]


def _left_out(one: Report, other: Report, tasks: Collection[str]) -> Iterator[str]:
    """Note which items each model leaves out, for the tasks compared."""
    for result in one.results:
        match = other.result(result.task)
        if match and result.task in tasks and result.excluded != match.excluded:
            first, second = (_counts(each) for each in (result, match))
            yield f"{result.title}: A excludes {first}, B {second}."


def _counts(result: Result) -> str:
    return ", ".join(f"{count:,} {why}" for why, count in result.excluded.items()) or "nothing"


def _unpaired_reason(one: Result, other: Result) -> str:
    """Why items cannot be paired: folds and clusters depend on the seed and the papers."""
    if one.seed != other.seed:
        return f"the random seeds differ: {one.seed} and {other.seed}"
    first, second = (each.excluded.get(NO_VECTOR, 0) for each in (one, other))
    if one.evaluation in _HELD_TOGETHER and first != second:
        return f"the numbers of {NO_VECTOR} differ: {first:,} and {second:,}"
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
) -> MetricComparison | RefusedComparison:
    what = f"{result.title}, {metric.title}"
    runs = [score.seeds for each in (result, match) if (score := each.score(metric.name))]
    if len(set(runs)) > 1:
        return RefusedComparison(
            what, f"the numbers of repetitions differ: {runs[0]:,} and {runs[1]:,}"
        )
    if metric.name not in first or metric.name not in second:
        return RefusedComparison(what, "the metric has no values for individual items")
    one, other = first[metric.name], second[metric.name]
    shared, at, there = np.intersect1d(one.ids, other.ids, return_indices=True)
    if not len(shared):
        return RefusedComparison(what, "no item has a score of both models")
    try:
        found = paired_difference(
            one.at(at), other.at(there), _SEED, noise=_noise(metric, result, match)
        )
    except ValueError as error:
        return RefusedComparison(what, str(error))
    return MetricComparison(result, metric, found, len(one.ids) + len(other.ids) - 2 * len(shared))


def _noise(metric: Metric, *results: Result) -> float:
    """Standard error of the difference over repetitions with other seeds."""
    scores = [score for result in results if (score := result.score(metric.name))]
    return float(np.sqrt(sum((score.spread or 0.0) ** 2 / score.seeds for score in scores)))


def _adjusted(compared: Sequence[MetricComparison]) -> list[MetricComparison]:
    """Adjust p-values by Holm's step-down method."""
    order = sorted(range(len(compared)), key=lambda at: compared[at].difference.p_value)
    found, highest = list(compared), 0.0
    for step, at in enumerate(order):
        raised = compared[at].difference.p_value * (len(compared) - step)
        highest = min(1.0, max(highest, raised))
        found[at] = replace(compared[at], adjusted_p_value=highest)
    return found
