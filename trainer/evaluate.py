"""Evaluation: the tasks of a suite, one after the other, into a report that grows with each."""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from trainer.contract.errors import TrainerError
from trainer.contract.evaluations import AVERAGE, Metric, evaluation_spec
from trainer.contract.pictures import Picture, read_pictures
from trainer.contract.report import REPORT, Report, Result, Score, Subject
from trainer.data.split import may_have_learned
from trainer.distributed import Ranks
from trainer.evaluations.averages import average
from trainer.evaluations.base import Outcome, Task
from trainer.evaluations.intervals import Items
from trainer.evaluations.items import read_items
from trainer.evaluations.shared import run_shared
from trainer.reports.report import save
from trainer.subjects.makers import Cost, Made, Maker
from trainer.suites.suite import Planned, Suite
from trainer.version import trainer_version

SPEED = "speed"


class Progress(Protocol):
    """Whom an evaluation tells of itself."""

    def begin(self, subject: Subject, tasks: int) -> None:
        """A subject is next, with so many tasks."""

    def begin_task(self, title: str) -> None:
        """This task is being worked on."""

    def done(self, title: str, said: str = "") -> None:
        """It is finished; `said` is what a person should know of how."""


@dataclass(frozen=True)
class Evaluated:
    """A report in its folder, and why tasks have no part in it, by title.

    `failed` ones should have one. `absent` ones are of data that are not there, or of no use for
    this subject.
    """

    report: Report
    folder: Path
    absent: dict[str, str]
    failed: dict[str, str]


class _Timed(NamedTuple):
    outcome: Outcome
    seconds: float


class _Work(NamedTuple):
    planned: Planned
    task: Task
    made: Made


def open_tasks(suite: Suite) -> tuple[list[tuple[Planned, Task]], dict[str, str]]:
    """The tasks whose data are there, and why the others are not, by title."""
    found, absent = [], {}
    for planned in suite.planned:
        try:
            found.append((planned, planned.make()))
        except TrainerError as error:
            absent[planned.title] = _told(error)
    return found, absent


def evaluate(
    maker: Maker,
    suite: str,
    tasks: Sequence[tuple[Planned, Task]],
    folder: Path,
    ranks: Ranks,
    *,
    progress: Progress,
    seed: int = 0,
) -> Evaluated:
    """Measure a subject by these tasks. What `folder` has of them already is not done again.

    A report is whole after every task. Ranks share vectors and tasks; the first one writes. Raises
    TrainerError where the folder has the report of another suite or subject, or vectors cannot be
    made at all.
    """
    progress.begin(maker.subject, len(tasks))
    book = _Book.open(folder, maker.subject, suite)
    absent: dict[str, str] = {}
    failed: dict[str, str] = {}
    left: list[tuple[Planned, Task]] = []
    for planned, task in tasks:
        if why := maker.why_not(task):
            absent[planned.title] = why
            progress.done(planned.title, f"left out: {why}")
        elif book.has(task, seed):
            progress.done(planned.title, "known already")
        else:
            left.append((planned, task))
    ranks.barrier()  # nobody writes before all have read what there is
    for start in range(0, len(left), ranks.world):
        failed |= _together(maker, left[start : start + ranks.world], book, ranks, seed, progress)
    if not book.results and failed:
        raise TrainerError(*_first(failed))
    if ranks.main:
        book.save()
    return Evaluated(book.report, folder, absent, failed)


def _together(
    maker: Maker,
    tasks: Sequence[tuple[Planned, Task]],
    book: _Book,
    ranks: Ranks,
    seed: int,
    progress: Progress,
) -> dict[str, str]:
    """As many tasks as there are ranks: all make the vectors, then each runs one."""
    failed = {}
    works = []
    for planned, task in tasks:
        progress.begin_task(planned.title)
        try:
            works.append(_Work(planned, task, maker.vectors(task.papers, task.queries)))
        except TrainerError as error:
            failed[planned.title] = _told(error)
            progress.done(planned.title, f"failed: {_told(error)}")
    found = run_shared(ranks, [partial(_run, work, seed) for work in works])
    for work, timed in zip(works, found, strict=True):
        title = work.planned.title
        if isinstance(timed, TrainerError):
            failed[title] = _told(timed)
            progress.done(title, f"failed: {_told(timed)}")
            continue
        book.add(work, timed, seed)
        progress.done(title, "; ".join(_caution(work.task, maker.subject)))
    if ranks.main and book.results:
        book.save()
    return failed


def _run(work: _Work, seed: int) -> _Timed:
    begun = time.perf_counter()
    outcome = work.task.run(work.made.papers, work.made.queries, seed=seed)
    return _Timed(outcome, time.perf_counter() - begun)


def _first(failed: dict[str, str]) -> tuple[str, str]:
    title, why = next(iter(failed.items()))
    rest = len(failed) - 1
    more = f"{rest:,} more task{'s' if rest > 1 else ''} failed, too." if rest else ""
    return f"{title}: {why}", more


def _told(error: TrainerError) -> str:
    return f"{error} {error.hint}".strip()


class _Book:
    """A report as it grows: results in the order of the suite, items and pictures beside them."""

    def __init__(self, folder: Path, subject: Subject, suite: str) -> None:
        self._folder, self._subject, self._suite = folder, subject, suite
        self.results: dict[str, Result] = {}
        self._items: dict[str, dict[str, Items]] = {}
        self._pictures: dict[str, dict[str, Picture]] = {}

    @classmethod
    def open(cls, folder: Path, subject: Subject, suite: str) -> _Book:
        """What the folder has of this subject and suite. Raises TrainerError for another one."""
        book = cls(folder, subject, suite)
        if not (folder / REPORT).exists():
            return book
        old = Report.read(folder)
        if old.suite != suite or not _same(old.subject, subject):
            differ = "" if old.suite != suite else ", of other files or in another precision"
            raise TrainerError(
                f"{folder} holds a report of {old.subject.title} on {old.suite}{differ}.",
                "Name another folder with --output, or move that one away.",
            )
        book.results = {result.task: result for result in old.results}
        book._items = read_items(folder)
        book._pictures = read_pictures(folder)
        return book

    def has(self, task: Task, seed: int) -> bool:
        """Whether it was measured: on the same data, in the same way, as often."""
        old = self.results.get(task.name)
        if old is None or max((score.seeds for score in old.scores), default=0) != task.runs:
            return False
        return (old.sha256, old.split, old.seed, old.protocol) == (
            task.sha256,
            task.split,
            seed,
            evaluation_spec(task.evaluation).protocol,
        )

    def add(self, work: _Work, timed: _Timed, seed: int) -> None:
        task, outcome = work.task, timed.outcome
        spec = evaluation_spec(task.evaluation)
        scores = [_bounded(score, spec.metric(score.metric)) for score in outcome.scores]
        self.results[task.name] = Result(
            task=task.name,
            title=work.planned.title,
            evaluation=task.evaluation,
            protocol=spec.protocol,
            split=task.split,
            sha256=task.sha256,
            seed=seed,
            seconds=timed.seconds,
            scores=(*scores, *_truncated(task, work.made.cost)),
            excluded=outcome.excluded,
            notes=_caution(task, self._subject),
        )
        self._items[task.name] = dict(outcome.items)
        self._pictures[task.name] = dict(outcome.pictures)
        if work.made.cost:
            self._add_speed(work, work.made.cost)

    def _add_speed(self, work: _Work, cost: Cost) -> None:
        """Of the task with the most texts: few are no measure."""
        old = self.results.get(SPEED)
        if not cost.seconds or (old and old.scores[0].n >= cost.texts):
            return
        spec = evaluation_spec("speed")
        self.results[SPEED] = Result(
            task=SPEED,
            title=spec.title,
            evaluation=spec.key,
            protocol=spec.protocol,
            split=work.task.split,
            sha256=work.task.sha256,
            seed=0,
            seconds=cost.seconds,
            scores=_speeds(cost, self._subject),
            notes=(
                f"measured with the {cost.texts:,} texts of {work.planned.title}; "
                f"{cost.cut:,} of its papers were cut short",
            ),
        )

    @property
    def report(self) -> Report:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        machine = f"{platform.system()} {platform.machine()}"
        results = [each for name, each in self.results.items() if name not in (AVERAGE, SPEED)]
        results += filter(None, (average(self._suite, self.results), self.results.get(SPEED)))
        return Report(
            subject=self._subject,
            suite=self._suite,
            results=tuple(results),
            created=now,
            trainer=trainer_version(),
            machine=machine,
        )

    def save(self) -> None:
        save(self.report, self._folder, self._items, self._pictures)


def _caution(task: Task, subject: Subject) -> tuple[str, ...]:
    """That papers of the task may be among those that the model learned from, where they may."""
    learned, rule = (str(subject.about.get(f"corpus_{name}", "")) for name in ("sha256", "split"))
    sha256, split = task.corpus
    if not (learned and sha256) or learned == sha256 or not may_have_learned(rule, split):
        return ()
    return (
        "measured on papers that the model may have been trained on: it learned from a corpus "
        f"split {rule}, and these are test papers of one split {split}",
    )


def _bounded(score: Score, metric: Metric) -> Score:
    """What items add to a share may lead beyond 0 and 1, where no share is."""
    if metric.unit != "percent" or score.low is None or score.high is None:
        return score
    return replace(score, low=max(0.0, score.low), high=min(1.0, score.high))


def _speeds(cost: Cost, subject: Subject) -> tuple[Score, ...]:
    about = subject.about
    found = {
        "papers_per_second": (cost.texts_per_second, cost.texts),
        "tokens_per_second": (cost.tokens_per_second, cost.texts),
        "parameters": (float(about.get("parameters", 0)), 1),
        "megabytes": (float(about.get("bytes", 0)) / 1e6, 1),
        "dim": (float(subject.dim), 1),
    }
    return tuple(Score(name, value, n) for name, (value, n) in found.items() if value)


def _truncated(task: Task, cost: Cost | None) -> tuple[Score, ...]:
    """What share of the papers was not read to the end, where it belongs to the task to say so."""
    if not cost or task.evaluation != "health":
        return ()
    return (Score("truncated", cost.cut / len(task.papers), len(task.papers)),)


def is_free(folder: Path, subject: Subject) -> bool:
    """Whether the folder has no report, or one of this very subject, which may be gone on with."""
    return not (folder / REPORT).exists() or _same(Report.read(folder).subject, subject)


def _same(old: Subject, new: Subject) -> bool:
    """Whether both have the same vectors, whatever they are called and where they were made."""
    if any(old.about.get(what) != new.about.get(what) for what in ("files", "precision")):
        return False
    one, other = (replace(subject, title="", found="", about={}) for subject in (old, new))
    return one == other
