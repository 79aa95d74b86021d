"""Is one model better than another? A sentence, and what it rests on.

The trainer compares two reports item by item. Tasks are counted here, not metrics: those of one
task look at the same answers, and would count one finding twice.
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
from sciread_app.services.scores import Kept, names
from sciread_app.services.trainer_process import ask
from sciread_app.tasks import Task
from trainer.contract.evaluations import NO_QUALITY, Metric, evaluation_spec
from trainer.contract.report import REPORT

_TINY = 0.001
# With fewer items than this, no difference that models usually have can be told from chance.
FEW = 30


class Answer(enum.Enum):
    """To whether the second model is better than the first."""

    yes = "yes"
    no = "no"  # the first one is
    both = "both"  # each is, in something
    unknown = "unknown"  # chance could have made all differences there are


class Evidence(NamedTuple):
    """A metric of a task by which both models were measured, over the items that both have.

    `low` to `high` hold the difference in 95 of 100 draws; None where items are too few to say.
    `chance` is that of so great a difference where there is none, raised for how many differences
    are looked at. `winner` is 0 or 1, None where neither is known to be better. `counts`: whether
    it has a part in the verdict.
    """

    task: str
    metric: Metric
    n: int
    first: float
    second: float
    low: float | None
    high: float | None
    chance: float
    real: bool
    winner: int | None
    counts: bool

    @property
    def difference(self) -> float:
        return self.second - self.first

    @property
    def too_few(self) -> bool:
        """Whether it has too few items to tell which model is better."""
        return self.counts and self.winner is None and self.n < FEW

    @property
    def shown_chance(self) -> str:
        return f"< {_TINY}" if self.chance < _TINY else f"{self.chance:.3f}"


class Refused(NamedTuple):
    """What cannot be compared, and why."""

    what: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Verdict:
    """`sentence` answers; `support` are the sentences that it rests on, the weightiest first."""

    first: str
    second: str
    answer: Answer
    sentence: str
    support: Sequence[str]
    evidence: Sequence[Evidence]
    refused: Sequence[Refused]
    notes: Sequence[str]


class Judge:
    """Has the trainer compare. What was compared once is remembered till a report changes."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._known: dict[tuple[object, ...], Verdict] = {}

    def compare(self, first: Kept, second: Kept, task: Task) -> Verdict:
        """Raises TrainerFailed where nothing of both can be compared, and Cancelled."""
        sides = first, second
        key = tuple((one.folder, _changed(one.folder)) for one in sides)
        if key not in self._known:
            folders = [str(one.folder.absolute()) for one in sides]
            answer = ask(["compare", *folders], self._home, task)
            self._known[key] = verdict(first, second, answer)
        return self._known[key]


def verdict(first: Kept, second: Kept, answer: Mapping[str, Any]) -> Verdict:
    """Of what the trainer answered. Raises TrainerFailed for what is no answer."""
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
        raise TrainerFailed(tr("The trainer's answer is not understood."), str(error)) from error
    if unpaired:
        notes.append(
            trn(
                "{n:,} item that only one model has a score of is left out.",
                "{n:,} items that only one model has a score of are left out.",
                unpaired,
            )
        )
    tasks = _tasks(evidence)
    found = _answer(tasks.values())
    return Verdict(
        one,
        other,
        found,
        _too_few(one, other, evidence)
        if found is Answer.unknown and _all_too_few(evidence)
        else _sentence(found, one, other, tasks),
        (
            *_support(found, one, other, evidence),
            *([tr("What could not be compared, and why, stands below.")] if refused else []),
        ),
        evidence,
        [
            Refused(tuple(what for what, of in refused if of == why), why)
            for why in dict.fromkeys(why for _, why in refused)
        ],
        notes,
    )


def _evidence(first: Kept, told: Mapping[str, Any]) -> Evidence:
    spec = evaluation_spec(str(told["evaluation"]))
    result = first.report.result(str(told["task"]))
    better = told["second_is_better"]
    return Evidence(
        task=result.title if result else str(told["task"]),
        metric=spec.metric(str(told["metric"])),
        n=int(told["n"]),
        first=float(told["first"]),
        second=float(told["second"]),
        low=None if told["low"] is None else float(told["low"]),
        high=None if told["high"] is None else float(told["high"]),
        chance=float(told["adjusted"]),
        real=bool(told["real"]),
        winner=None if better is None else int(better),
        counts=spec.key not in NO_QUALITY,
    )


def _tasks(evidence: Sequence[Evidence]) -> dict[str, set[int]]:
    """Of each task that counts, who is really better in a metric of it."""
    found: dict[str, set[int]] = {}
    for each in evidence:
        if each.counts:
            winners = found.setdefault(each.task, set())
            if each.winner is not None:
                winners.add(each.winner)
    return found


def _answer(tasks: Iterable[set[int]]) -> Answer:
    winners = set().union(*tasks)
    known = {(1,): Answer.yes, (0,): Answer.no, (0, 1): Answer.both}
    return known.get(tuple(sorted(winners)), Answer.unknown)


def _all_too_few(evidence: Sequence[Evidence]) -> bool:
    counted = [each for each in evidence if each.counts]
    return bool(counted) and all(each.too_few for each in counted)


def _too_few(one: str, other: str, evidence: Sequence[Evidence]) -> str:
    most = max(each.n for each in evidence if each.counts)
    return trn(
        "There are too few papers to tell whether {first} or {second} is better: no task has more "
        "than {n} item.",
        "There are too few papers to tell whether {first} or {second} is better: no task has more "
        "than {n} items.",
        most,
        first=one,
        second=other,
    )


def _sentence(answer: Answer, one: str, other: str, tasks: Mapping[str, set[int]]) -> str:
    better = sum(winners == {1} for winners in tasks.values())
    worse = sum(winners == {0} for winners in tasks.values())
    split, all_ = sum(len(winners) == 2 for winners in tasks.values()), len(tasks)
    if answer is Answer.unknown:
        return trn(
            "Nobody can tell from these data: in the {n} task, chance alone could make the "
            "difference between {first} and {second}.",
            "Nobody can tell from these data: in all {n} tasks, chance alone could make the "
            "difference between {first} and {second}.",
            all_,
            first=one,
            second=other,
        )
    if answer is Answer.both:
        said = trn(
            "{second} is better than {first} at some things and worse at others: better in "
            "{better} of {n} task, worse in {worse}.",
            "{second} is better than {first} at some things and worse at others: better in "
            "{better} of {n} tasks, worse in {worse}.",
            all_,
            first=one,
            second=other,
            better=better,
            worse=worse,
        )
        if not split:
            return said
        within = trn(
            "Within {n} more, metrics disagree.", "Within {n} more, metrics disagree.", split
        )
        return f"{said} {within}"
    if answer is Answer.no:
        one, other, better = other, one, worse
    return trn(
        "{second} is better than {first}: really so in {better} of {n} task, and worse in none.",
        "{second} is better than {first}: really so in {better} of {n} tasks, and worse in none.",
        all_,
        first=one,
        second=other,
        better=better,
    )


def _support(answer: Answer, one: str, other: str, evidence: Sequence[Evidence]) -> Iterable[str]:
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
        yield tr("Too few papers to tell in: {tasks}.", tasks=titles)
    if (doubtful := doubtful - few) and answer is not Answer.unknown:
        titles = ", ".join(dict.fromkeys(e.task for e in counted if e.task in doubtful))
        yield tr("Chance alone could make the difference in: {tasks}.", tasks=titles)
    if answer is Answer.unknown and (blur := _blur(counted)):
        yield tr(
            "Differences of less than about {blur} of a hundred would not show with so few items.",
            blur=f"{100 * blur:.1f}",
        )


def _most(each: Evidence, name: str, winner: int) -> str:
    """What speaks most for a model, with its numbers."""
    values = each.first, each.second
    between = ""
    if each.low is not None and each.high is not None and each.low * each.high > 0:
        low, high = sorted(abs(end) for end in (each.low, each.high))
        between = tr(
            ", {low} to {high} apart (95 %)",
            low=each.metric.shown(low),
            high=each.metric.shown(high),
        )
    return tr(
        "{name} gains most in {task}: {metric} {its} instead of {others}{between}, n = {n}.",
        name=name,
        task=each.task,
        metric=each.metric.title,
        its=each.metric.shown(values[winner]),
        others=each.metric.shown(values[1 - winner]),
        between=between,
        n=f"{each.n:,}",
    )


def _weight(each: Evidence) -> float:
    """Shares weigh by their difference; other numbers, whose size says nothing, come after."""
    return abs(each.difference) if each.metric.unit == "percent" else 0.0


def _blur(counted: Sequence[Evidence]) -> float:
    """How far a difference may be from what was found, in the middle of all metrics."""
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
