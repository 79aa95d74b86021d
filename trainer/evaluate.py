"""Evaluation: runs the tasks of a suite one by one and saves the report after each."""

from __future__ import annotations

import hashlib
import platform
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import torch.distributed as dist

from trainer.contract.errors import TrainerError
from trainer.contract.evaluations import AVERAGE, Metric, evaluation_spec
from trainer.contract.plots import Picture, read_pictures
from trainer.contract.report import REPORT, EvaluatedModel, Report, Result, Score
from trainer.data.corpus.split import may_have_learned
from trainer.distributed import Ranks
from trainer.encoders.base import Cost, EncodedTask, TextEncoder
from trainer.evaluations.base import EvaluationTask, TaskResult
from trainer.evaluations.metrics.significance import Items, read_items
from trainer.reports.report import save
from trainer.suites.suite import Suite
from trainer.version import trainer_version

T = TypeVar("T")

SPEED = "speed"
_RANKED = ("map", "ndcg")
# By suite and task, the metrics that count: SciDocs' twelve numbers, Multi-SciDocs' five.
_COUNTED: Mapping[str, Mapping[str, Collection[str]]] = {
    "scidocs": {
        **dict.fromkeys(("mag", "mesh"), ("macro_f1",)),
        **dict.fromkeys(("co-view", "co-read", "cite", "co-cite"), _RANKED),
        "recomm": ("adj_ndcg", "adj_p@1"),
    },
    "multi-scidocs": {"mag": ("macro_f1",), **dict.fromkeys(("cite", "co-cite"), _RANKED)},
}


class ProgressReporter(Protocol):
    """Receiver of the progress of an evaluation."""

    def begin(self, subject: EvaluatedModel, tasks: int) -> None:
        """The evaluation of a model with this number of tasks starts."""

    def begin_task(self, title: str) -> None:
        """A task starts."""

    def done(self, title: str, remark: str = "") -> None:
        """A task is finished; `remark` is a remark for the user."""


@dataclass(frozen=True)
class EvaluationResult:
    """A report in its folder, and the reasons for missing tasks, by title.

    `failed` tasks raised an error. `absent` tasks lack their data, or do not apply to the model.
    """

    report: Report
    folder: Path
    absent: dict[str, str]
    failed: dict[str, str]


class _Timed(NamedTuple):
    outcome: TaskResult
    seconds: float


def open_tasks(suite: Suite) -> tuple[list[EvaluationTask], dict[str, str]]:
    """Return the tasks whose data exist, and why the others are missing, by title."""
    found, absent = [], {}
    for planned in suite.planned:
        try:
            found.append(replace(planned.make(), title=planned.title))
        except TrainerError as error:
            absent[planned.title] = _sentence(error)
    return found, absent


def evaluate(
    maker: TextEncoder,
    suite: str,
    tasks: Sequence[EvaluationTask],
    folder: Path,
    ranks: Ranks,
    *,
    progress: ProgressReporter,
    seed: int = 0,
) -> EvaluationResult:
    """Evaluate a model on these tasks. Results that `folder` already has are not computed again.

    The report is saved after every task. Ranks share encoding and tasks; the first one writes.
    Raises TrainerError if the folder has the report of another suite or model, or if encoding
    fails.
    """
    progress.begin(maker.subject, len(tasks))
    book = _Book.open(folder, maker.subject, suite)
    absent: dict[str, str] = {}
    failed: dict[str, str] = {}
    left: list[EvaluationTask] = []
    for task in tasks:
        if why := maker.unsupported_reason(task):
            absent[task.title] = why
            progress.done(task.title, f"skipped: {why}")
        elif book.has(task, seed):
            progress.done(task.title, "already evaluated")
        else:
            left.append(task)
    ranks.barrier()  # no rank may write before all have read the folder
    for start in range(0, len(left), ranks.world):
        failed |= _together(maker, left[start : start + ranks.world], book, ranks, seed, progress)
    if not book.results and failed:
        raise TrainerError(*_first(failed))
    if ranks.main:
        book.save()
    return EvaluationResult(book.report, folder, absent, failed)


def _together(
    maker: TextEncoder,
    tasks: Sequence[EvaluationTask],
    book: _Book,
    ranks: Ranks,
    seed: int,
    progress: ProgressReporter,
) -> dict[str, str]:
    """Run as many tasks at once as there are ranks: all encode together, then each runs one
    task."""
    failed = {}

    def fail(title: str, error: TrainerError) -> None:
        failed[title] = _sentence(error)
        progress.done(title, f"failed: {failed[title]}")

    works: list[tuple[EvaluationTask, EncodedTask]] = []
    for task in tasks:
        progress.begin_task(task.title)
        try:
            works.append((task, maker.encode(task.papers, task.queries)))
        except TrainerError as error:
            fail(task.title, error)
    found = run_shared(ranks, [partial(_run, *work, seed) for work in works])
    for (task, made), timed in zip(works, found, strict=True):
        if isinstance(timed, TrainerError):
            fail(task.title, timed)
        else:
            book.add(task, made.cost, timed, seed)
            progress.done(task.title, "; ".join(_caution(task, maker.subject)))
    if ranks.main and book.results:
        book.save()
    return failed


def _run(task: EvaluationTask, made: EncodedTask, seed: int) -> _Timed:
    begun = time.perf_counter()
    outcome = task.run(made.papers, made.queries, seed=seed)
    return _Timed(outcome, time.perf_counter() - begun)


def _first(failed: dict[str, str]) -> tuple[str, str]:
    title, why = next(iter(failed.items()))
    rest = len(failed) - 1
    more = f"{rest:,} more task{'s' if rest > 1 else ''} failed." if rest else ""
    return f"{title}: {why}", more


def _sentence(error: TrainerError) -> str:
    return f"{error} {error.hint}".strip()


class _Book:
    """A report in progress: results in the order of the suite, with items and plots."""

    def __init__(self, folder: Path, subject: EvaluatedModel, suite: str) -> None:
        self._folder, self._subject, self._suite = folder, subject, suite
        self.results: dict[str, Result] = {}
        self._items: dict[str, dict[str, Items]] = {}
        self._pictures: dict[str, dict[str, Picture]] = {}

    @classmethod
    def open(cls, folder: Path, subject: EvaluatedModel, suite: str) -> _Book:
        """Open the folder's results of this model and suite. Raises TrainerError for another
        one."""
        book = cls(folder, subject, suite)
        if not (folder / REPORT).exists():
            return book
        old = Report.read(folder)
        if old.suite != suite or not _same(old.subject, subject):
            differ = "" if old.suite != suite else ", for other files or with another precision"
            raise TrainerError(
                f"{folder} already contains a report on {old.subject.title} for "
                f"{old.suite}{differ}.",
                "Specify another folder with --output, or move the existing report.",
            )
        book.results = {result.task: result for result in old.results}
        book._items = read_items(folder)
        book._pictures = read_pictures(folder)
        return book

    def has(self, task: EvaluationTask, seed: int) -> bool:
        """Whether the task was evaluated on the same data, with the same protocol and
        repetitions."""
        old = self.results.get(task.name)
        if old is None or max((score.seeds for score in old.scores), default=0) != task.runs:
            return False
        return (old.sha256, old.split, old.seed, old.protocol) == (
            task.sha256,
            task.split,
            seed,
            evaluation_spec(task.evaluation).protocol,
        )

    def add(self, task: EvaluationTask, cost: Cost | None, timed: _Timed, seed: int) -> None:
        """Add the results of a task, in place of those of an earlier evaluation of it. `cost` is
        None if nothing was encoded for the task."""
        outcome = timed.outcome
        spec = evaluation_spec(task.evaluation)
        scores = [_bounded(score, spec.metric(score.metric)) for score in outcome.scores]
        self.results[task.name] = Result(
            task=task.name,
            title=task.title,
            evaluation=task.evaluation,
            protocol=spec.protocol,
            split=task.split,
            sha256=task.sha256,
            seed=seed,
            seconds=timed.seconds,
            scores=(*scores, *_truncated(task, cost)),
            excluded=outcome.excluded,
            notes=_caution(task, self._subject),
        )
        self._items[task.name] = dict(outcome.items)
        self._pictures[task.name] = dict(outcome.pictures)
        if cost:
            self._add_speed(task, cost)

    def _add_speed(self, task: EvaluationTask, cost: Cost) -> None:
        """Add the speed, measured on the task with the most texts: few texts are no reliable
        measure."""
        old = self.results.get(SPEED)
        if not cost.seconds or (old and old.scores[0].n >= cost.texts):
            return
        spec = evaluation_spec("speed")
        self.results[SPEED] = Result(
            task=SPEED,
            title=spec.title,
            evaluation=spec.key,
            protocol=spec.protocol,
            split=task.split,
            sha256=task.sha256,
            seed=0,
            seconds=cost.seconds,
            scores=_speeds(cost, self._subject),
            notes=(
                f"measured on the {cost.texts:,} texts of {task.title}; {cost.cut:,} of its "
                "papers were truncated",
            ),
        )

    @property
    def report(self) -> Report:
        """The report so far, with the average and the encoding speed as its last results."""
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


def _caution(task: EvaluationTask, subject: EvaluatedModel) -> tuple[str, ...]:
    """Return a note if papers of the task may be among the model's training papers."""
    learned, rule = (str(subject.about.get(f"corpus_{name}", "")) for name in ("sha256", "split"))
    sha256, split = task.corpus
    if not (learned and sha256) or learned == sha256 or not may_have_learned(rule, split):
        return ()
    return (
        "the model may have been trained on these papers: its training corpus was split "
        f"{rule}, and these are test papers of a corpus split {split}",
    )


def _bounded(score: Score, metric: Metric) -> Score:
    """Clip the confidence interval of a proportion to 0 and 1, which bootstrap may exceed."""
    if metric.unit != "percent" or score.low is None or score.high is None:
        return score
    return replace(score, low=max(0.0, score.low), high=min(1.0, score.high))


def _speeds(cost: Cost, subject: EvaluatedModel) -> tuple[Score, ...]:
    about = subject.about
    found = {
        "papers_per_second": (cost.texts_per_second, cost.texts),
        "tokens_per_second": (cost.tokens_per_second, cost.texts),
        "parameters": (float(about.get("parameters", 0)), 1),
        "megabytes": (float(about.get("bytes", 0)) / 1e6, 1),
        "dim": (float(subject.dim), 1),
    }
    return tuple(Score(name, value, n) for name, (value, n) in found.items() if value)


def _truncated(task: EvaluationTask, cost: Cost | None) -> tuple[Score, ...]:
    """Return the fraction of truncated papers, for tasks that report it."""
    if not cost or task.evaluation != "health":
        return ()
    return (Score("truncated", cost.cut / len(task.papers), len(task.papers)),)


def is_free(folder: Path, subject: EvaluatedModel) -> bool:
    """Whether the folder has no report, or one of this model, which can be continued."""
    return not (folder / REPORT).exists() or _same(Report.read(folder).subject, subject)


def _same(old: EvaluatedModel, new: EvaluatedModel) -> bool:
    """Whether both have the same vectors, regardless of their names and locations."""
    if any(old.about.get(what) != new.about.get(what) for what in ("files", "precision")):
        return False
    one, other = (replace(subject, title="", found="", about={}) for subject in (old, new))
    return one == other


def run_shared(ranks: Ranks, jobs: Sequence[Callable[[], T]]) -> list[T | TrainerError]:
    """Run jobs on all ranks and return every result in order; a failed job yields its error.

    All ranks must pass the same jobs with the data they need: ranks do not communicate while jobs
    run. Results are pickled between processes, so they must be plain values and arrays.
    """
    mine = [_attempt(job) for job in jobs[ranks.rank :: ranks.world]]
    if ranks.world == 1:
        return mine
    found: list[list[T | TrainerError]] = [[] for _ in range(ranks.world)]
    dist.all_gather_object(found, mine)
    return [found[at % ranks.world][at // ranks.world] for at in range(len(jobs))]


def _attempt(job: Callable[[], T]) -> T | TrainerError:
    try:
        return job()
    except TrainerError as error:
        return error


def average(suite: str, results: Mapping[str, Result]) -> Result | None:
    """Average the metrics that the suite's paper averages.

    None if one is missing, or if they were measured with several splits or seeds.
    """
    counted = _COUNTED.get(suite, {})
    parts = [results[task] for task in counted if task in results]
    scores = [part.score(metric) for part in parts for metric in counted[part.task]]
    values = [score.value for score in scores if score]
    whole = counted and len(parts) == len(counted) and len(values) == len(scores)
    if not whole or len({(part.split, part.seed) for part in parts}) > 1:
        return None
    spec = evaluation_spec(AVERAGE)
    known = [f"{part.sha256} {part.protocol}" for part in parts]
    excluded = sorted({why for part in parts for why in part.excluded})
    return Result(
        task=AVERAGE,
        title=spec.title,
        evaluation=spec.key,
        protocol=spec.protocol,
        split=parts[0].split,
        sha256=hashlib.sha256("\n".join(known).encode()).hexdigest(),
        seed=parts[0].seed,
        seconds=0.0,
        scores=(Score(AVERAGE, sum(values) / len(values), len(values)),),
        excluded={why: sum(part.excluded.get(why, 0) for part in parts) for why in excluded},
    )
