"""Comparison of two models: the verdict in a sentence, and the evidence for it.

The trainer compares two reports item by item. Tasks are counted here, not metrics: those of one
task depend on the same results, and would count one finding twice.
"""

from __future__ import annotations

import enum
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sciread_app.errors import TrainerFailed
from sciread_app.language import tr, trn
from sciread_app.services.evaluation.leaderboard import StoredReport, names
from sciread_app.services.subprocess.trainer import ask
from sciread_app.tasks import Task
from trainer.contract.evaluations import NO_QUALITY, Metric, evaluation_spec, has_too_few
from trainer.contract.report import REPORT

_TINY = 0.001


class ComparisonOutcome(enum.Enum):
    """Whether the second model is better than the first."""

    yes = "yes"
    no = "no"  # the first one is
    both = "both"  # each is, in something
    unknown = "unknown"  # no difference is significant


class MetricDifference(NamedTuple):
    """The difference of two models in a metric of a task, over the items that both have.

    `low` to `high` is the 95 % confidence interval; None if there are too few items. `p_value` is
    adjusted for the number of comparisons. `winner` is 0 or 1, None if the difference is not
    significant. `counts`: whether it contributes to the verdict. `too_few`: whether it has too few
    items for a significant difference.
    """

    task: str
    metric: Metric
    n: int
    first: float
    second: float
    low: float | None
    high: float | None
    p_value: float
    significant: bool
    winner: int | None
    counts: bool
    too_few: bool

    @property
    def difference(self) -> float:
        return self.second - self.first

    @property
    def shown_p_value(self) -> str:
        return f"< {_TINY}" if self.p_value < _TINY else f"{self.p_value:.3f}"


class NotComparable(NamedTuple):
    """Results that cannot be compared, and the reason."""

    what: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class ComparisonVerdict:
    """The outcome of a comparison: `sentence` sums it up, `support` gives the reasons, the most
    important first."""

    first: str
    second: str
    answer: ComparisonOutcome
    sentence: str
    support: Sequence[str]
    evidence: Sequence[MetricDifference]
    refused: Sequence[NotComparable]
    notes: Sequence[str]


class ModelComparer:
    """Compares models through the trainer, whose answers are cached until a report changes."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._known: dict[tuple[object, ...], Mapping[str, Any]] = {}

    def compare(self, first: StoredReport, second: StoredReport, task: Task) -> ComparisonVerdict:
        """Compare two reports. Raises TrainerFailed if nothing is comparable, and Cancelled."""
        sides = first, second
        key = tuple((one.folder, _changed(one.folder)) for one in sides)
        if key not in self._known:
            folders = [str(one.folder.absolute()) for one in sides]
            self._known[key] = ask(["compare", *folders], self._home, task)
        # Models may have been renamed since.
        return verdict(first, second, self._known[key])


def verdict(
    first: StoredReport, second: StoredReport, answer: Mapping[str, Any]
) -> ComparisonVerdict:
    """The verdict from the trainer's response. Raises TrainerFailed if that is invalid."""
    called = names([first, second])
    one, other = called[first.model], called[second.model]
    if first.model == second.model:
        one, other = f"{one} (A)", f"{other} (B)"
    try:
        evidence = [_evidence(first, each) for each in answer["compared"]]
        refused = [(str(each["what"]), str(each["why"])) for each in answer["refused"]]
        notes = [str(note) for note in answer["notes"]]
        unpaired = sum({each["task"]: each["unpaired"] for each in answer["compared"]}.values())
    except (KeyError, TypeError, AttributeError) as error:
        raise TrainerFailed(tr("The trainer sent an unexpected response."), str(error)) from error
    if unpaired:
        notes.append(
            trn(
                "{n:,} item is excluded because only one model has a score for it.",
                "{n:,} items are excluded because only one model has a score for them.",
                unpaired,
            )
        )
    tasks = _tasks(evidence)
    found = _answer(tasks.values())
    return ComparisonVerdict(
        one,
        other,
        found,
        _too_few(one, other, evidence)
        if found is ComparisonOutcome.unknown and _all_too_few(evidence)
        else _sentence(found, one, other, tasks),
        (
            *_support(found, one, other, evidence),
            *(
                [tr("Some results cannot be compared. The reasons are listed below.")]
                if refused
                else []
            ),
        ),
        evidence,
        [
            NotComparable(tuple(what for what, of in refused if of == why), why)
            for why in dict.fromkeys(why for _, why in refused)
        ],
        notes,
    )


def _evidence(first: StoredReport, compared: Mapping[str, Any]) -> MetricDifference:
    spec = evaluation_spec(str(compared["evaluation"]))
    result = first.report.result(str(compared["task"]))
    better, n = compared["second_is_better"], int(compared["n"])
    return MetricDifference(
        task=result.title if result else str(compared["task"]),
        metric=spec.metric(str(compared["metric"])),
        n=n,
        first=float(compared["first"]),
        second=float(compared["second"]),
        low=None if compared["low"] is None else float(compared["low"]),
        high=None if compared["high"] is None else float(compared["high"]),
        p_value=float(compared["adjusted"]),
        significant=bool(compared["real"]),
        winner=None if better is None else int(better),
        counts=spec.key not in NO_QUALITY,
        too_few=better is None and has_too_few(spec.key, n),
    )


def _tasks(evidence: Sequence[MetricDifference]) -> dict[str, set[int]]:
    """For each task that counts and has enough items, the models significantly better in one of
    its metrics."""
    found: dict[str, set[int]] = {}
    for each in evidence:
        if each.counts and not each.too_few:
            winners = found.setdefault(each.task, set())
            if each.winner is not None:
                winners.add(each.winner)
    return found


def _answer(tasks: Iterable[set[int]]) -> ComparisonOutcome:
    winners = set().union(*tasks)
    known = {
        (1,): ComparisonOutcome.yes,
        (0,): ComparisonOutcome.no,
        (0, 1): ComparisonOutcome.both,
    }
    return known.get(tuple(sorted(winners)), ComparisonOutcome.unknown)


def _all_too_few(evidence: Sequence[MetricDifference]) -> bool:
    counted = [each for each in evidence if each.counts]
    return bool(counted) and all(each.too_few for each in counted)


def _too_few(one: str, other: str, evidence: Sequence[MetricDifference]) -> str:
    most = max(each.n for each in evidence if each.counts)
    return trn(
        "Not enough data to compare {first} and {second}: no task has more than {n} item.",
        "Not enough data to compare {first} and {second}: no task has more than {n} items.",
        most,
        first=one,
        second=other,
    )


def _sentence(
    answer: ComparisonOutcome, one: str, other: str, tasks: Mapping[str, set[int]]
) -> str:
    better = sum(winners == {1} for winners in tasks.values())
    worse = sum(winners == {0} for winners in tasks.values())
    split, all_ = sum(len(winners) == 2 for winners in tasks.values()), len(tasks)
    if answer is ComparisonOutcome.unknown:
        return trn(
            "Inconclusive: {first} and {second} do not differ significantly on {n} task.",
            "Inconclusive: {first} and {second} do not differ significantly on any of {n} tasks.",
            all_,
            first=one,
            second=other,
        )
    if answer is ComparisonOutcome.both:
        mixed = trn(
            "Mixed results: {second} is significantly better than {first} on {better} of {n} "
            "task and significantly worse on {worse}.",
            "Mixed results: {second} is significantly better than {first} on {better} of {n} "
            "tasks and significantly worse on {worse}.",
            all_,
            first=one,
            second=other,
            better=better,
            worse=worse,
        )
        if not split:
            return mixed
        within = trn(
            "The metrics disagree on {n} task.", "The metrics disagree on {n} tasks.", split
        )
        return f"{mixed} {within}"
    if answer is ComparisonOutcome.no:
        one, other, better = other, one, worse
    return trn(
        "{second} is better than {first}: significantly better on {better} of {n} task and "
        "significantly worse on none.",
        "{second} is better than {first}: significantly better on {better} of {n} tasks and "
        "significantly worse on none.",
        all_,
        first=one,
        second=other,
        better=better,
    )


def _support(
    answer: ComparisonOutcome, one: str, other: str, evidence: Sequence[MetricDifference]
) -> Iterable[str]:
    counted = [each for each in evidence if each.counts]
    for winner, name in ((1, other), (0, one)):
        won = [each for each in counted if each.winner == winner]
        if won:
            yield _most(max(won, key=_weight), name, winner)
    doubtful = {each.task for each in counted} - {
        each.task for each in counted if each.winner is not None
    }
    few = {each.task for each in counted if each.too_few} & doubtful
    if few and not _all_too_few(evidence):
        titles = ", ".join(dict.fromkeys(each.task for each in counted if each.task in few))
        yield tr("Not enough data on: {tasks}.", tasks=titles)
    if (doubtful := doubtful - few) and answer is not ComparisonOutcome.unknown:
        titles = ", ".join(dict.fromkeys(e.task for e in counted if e.task in doubtful))
        yield tr("Not significant on: {tasks}.", tasks=titles)
    if answer is ComparisonOutcome.unknown and (least := _min_detectable_difference(counted)):
        yield tr(
            "With so few items, differences below about {blur} percentage points cannot be "
            "detected.",
            blur=f"{100 * least:.1f}",
        )


def _most(each: MetricDifference, name: str, winner: int) -> str:
    """The strongest evidence for a model, with its numbers."""
    values = each.first, each.second
    its, others = (each.metric.shown(values[at]) for at in (winner, 1 - winner))
    if each.low is not None and each.high is not None and each.low * each.high > 0:
        low, high = sorted(abs(end) for end in (each.low, each.high))
        return tr(
            "{name} gains most on {task}: {metric} {its} vs. {others} (95% confidence interval "
            "of the difference: {low} to {high}), n = {n}.",
            name=name,
            task=each.task,
            metric=each.metric.title,
            its=its,
            others=others,
            low=each.metric.shown(low),
            high=each.metric.shown(high),
            n=f"{each.n:,}",
        )
    return tr(
        "{name} gains most on {task}: {metric} {its} vs. {others}, n = {n}.",
        name=name,
        task=each.task,
        metric=each.metric.title,
        its=its,
        others=others,
        n=f"{each.n:,}",
    )


def _weight(each: MetricDifference) -> float:
    """Percentages weigh by their difference; other units, which are not comparable, come last."""
    return abs(each.difference) if each.metric.unit == "percent" else 0.0


def _min_detectable_difference(counted: Sequence[MetricDifference]) -> float:
    """The median half-width of the confidence intervals of all metrics, as a share."""
    halves = [
        (each.high - each.low) / 2
        for each in counted
        if each.low is not None and each.high is not None and each.metric.unit == "percent"
    ]
    return statistics.median(halves) if halves else 0.0


def _changed(folder: Path) -> int:
    try:
        return (folder / REPORT).stat().st_mtime_ns
    except OSError:
        return 0
