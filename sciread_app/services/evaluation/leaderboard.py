"""Evaluation reports of all models, grouped so that only comparable scores share a leaderboard.

Stored as home/reports/BOARD/MODEL/report.json. A board is one suite on one folder of data, named in
its `board.json`. Reports may come from another machine and are read as untrusted files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from trainer.contract.errors import TrainerError
from trainer.contract.evaluations import (
    FEW_ITEMS,
    NO_QUALITY,
    Metric,
    evaluation_spec,
    has_too_few,
)
from trainer.contract.paper_numbers import PaperNumber, beside
from trainer.contract.plots import Picture, read_pictures
from trainer.contract.report import REPORT, EvaluatedModel, Report, Result, Score
from trainer.contract.run import write_atomically

BOARD = "board.json"
_BASELINE = "baseline"
_MOST_LETTERS = 120  # of a model's name


class StoredReport(NamedTuple):
    """A report and its folder. `model` identifies the model uniquely across all boards."""

    folder: Path
    report: Report

    @property
    def model(self) -> str:
        subject = self.report.subject
        return f"{subject.id}\n{subject.space}\n{subject.about.get('precision', '')}"

    @property
    def is_baseline(self) -> bool:
        return self.report.subject.kind == _BASELINE


@dataclass(frozen=True)
class Leaderboard:
    """The reports of one suite on one folder of data.

    `corpus` is the path of the data, relative to the home folder if inside, empty if unknown.
    `problems` has a sentence for each report that cannot be read.
    """

    folder: Path
    suite: str
    corpus: str
    reports: tuple[StoredReport, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.folder.name

    @property
    def data(self) -> str:
        """The display name of the data."""
        return Path(self.corpus).name if self.corpus else self.key


class ScoreCell(NamedTuple):
    """A score of a model. `best`: no other of its row is better; `papers` are published numbers."""

    score: Score
    best: bool
    papers: Sequence[PaperNumber]


@dataclass(frozen=True)
class ScoreRow:
    """One metric of one task on the same data, with the comparable scores by model.

    `apart` is the reason why these scores are not comparable to those of the same task in the rows
    above; empty for the first rows of a task.
    """

    board: Leaderboard
    result: Result
    metric: Metric
    cells: Mapping[str, ScoreCell]
    apart: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """A key that is stable when the reports are read again."""
        kind = f"{self.result.sha256} {self.result.split} {self.result.protocol}"
        return self.board.key, self.result.task, kind, self.metric.name

    @property
    def n(self) -> int | None:
        """The number of items; None if it differs between models."""
        found = {cell.score.n for cell in self.cells.values()}
        return found.pop() if len(found) == 1 else None

    @property
    def too_few(self) -> bool:
        """Whether all scores are of too few items to be meaningful."""
        evaluation = self.result.evaluation
        return all(has_too_few(evaluation, cell.score.n) for cell in self.cells.values())


class Scores:
    """The reports of a home folder; each file is read again only when it has changed."""

    def __init__(self, reports: Path, titles: Callable[[], Mapping[str, str]] = lambda: {}) -> None:
        """`titles` returns the current titles of models by embedding space; a model without one
        keeps the title in its report."""
        self.folder = reports
        self._titles = titles

    def boards(self) -> list[Leaderboard]:
        """Return the boards that have a report or a problem, the latest first."""
        folders = sorted(self.folder.iterdir()) if self.folder.is_dir() else []
        titles = self._titles() if folders else {}
        boards = [_board(folder, titles) for folder in folders if folder.is_dir()]
        found = [board for board in boards if board.reports or board.problems]
        return sorted(found, key=_latest, reverse=True)

    def place(self, suite: str, corpus: Path | None) -> Path:
        """Return the folder of the board of this suite on this data, created if missing."""
        where = corpus.absolute() if corpus else None
        home = self.folder.absolute().parent
        if where and where.is_relative_to(home):
            where = where.relative_to(home)  # a home folder may be moved
        description = {"suite": suite, "corpus": where.as_posix() if where else ""}
        name = _slug(f"{Path(suite).stem}-{corpus.name}" if corpus else Path(suite).stem)
        for number in range(1, 1_000):
            folder = self.folder / (name if number == 1 else f"{name}-{number}")
            if not folder.exists():
                folder.mkdir(parents=True)
                write_atomically(folder / BOARD, json.dumps(description, indent=1) + "\n")
            if _read_description(folder / BOARD) == description:
                return folder
        raise RuntimeError(f"there are a thousand boards called {name}")


def _board(folder: Path, titles: Mapping[str, str]) -> Leaderboard:
    stored, problems = [], []
    for file in sorted(folder.glob(f"*/{REPORT}")):
        try:
            report = _read(file, file.stat().st_mtime_ns)
        except TrainerError as error:
            problems.append(f"{error} {error.hint}".strip())
            continue
        except OSError:
            continue  # it has just been deleted
        subject = report.subject
        subject = replace(subject, title=titles.get(subject.space) or subject.title)
        stored.append(StoredReport(file.parent, replace(report, subject=subject)))
    stored.sort(key=_place)
    description = _read_description(folder / BOARD)
    suite = description.get("suite") or next((one.report.suite for one in stored), folder.name)
    corpus = description.get("corpus", "")
    return Leaderboard(folder, suite, corpus, tuple(stored), tuple(problems))


def rows(board: Leaderboard) -> list[ScoreRow]:
    """Return the rows of a board, in which only comparable scores share a row.

    Per task, the rows with the most models come first, followed by those that are not comparable
    to them, with the reason.
    """
    found: list[ScoreRow] = []
    tasks = dict.fromkeys(r.task for stored in board.reports for r in stored.report.results)
    for task in tasks:
        kinds = sorted(_kinds(board, task), key=lambda kind: -len(kind))
        for kind in kinds:
            why = "" if kind is kinds[0] else _first(kinds[0]).incomparable_reason(_first(kind))
            found += _rows_of(board, kind, why)
    return found


def pictures(stored: StoredReport, task: str) -> Mapping[str, Picture]:
    """Return the charts of a task in the report; empty if it has none. Raises TrainerError."""
    return read_pictures(stored.folder).get(task, {})


def names(reports: Iterable[StoredReport]) -> dict[str, str]:
    """The display name of each model; equal titles are made distinct."""
    subjects = {stored.model: stored.report.subject for stored in reports}
    titles = Counter(subject.title for subject in subjects.values())
    ids = Counter(subject.id for subject in subjects.values())

    def name(model: str, subject: EvaluatedModel) -> str:
        if titles[subject.title] == 1:
            return subject.title
        apart = subject.id if ids[subject.id] == 1 else ", ".join(filter(None, model.split("\n")))
        return f"{subject.title} ({apart})"

    return {model: _plain(name(model, subject)) for model, subject in subjects.items()}


_Kind = dict[str, tuple[StoredReport, Result]]


def _kinds(board: Leaderboard, task: str) -> list[_Kind]:
    """Group the results of a task by comparability."""
    found: list[_Kind] = []
    for stored in board.reports:
        result = stored.report.result(task)
        if result is None:
            continue
        for kind in found:
            if not _first(kind).incomparable_reason(result):
                kind[stored.model] = stored, result
                break
        else:
            found.append({stored.model: (stored, result)})
    return found


def _first(kind: _Kind) -> Result:
    return next(iter(kind.values()))[1]


def _rows_of(board: Leaderboard, kind: _Kind, apart: str) -> Iterator[ScoreRow]:
    result = _first(kind)
    spec = evaluation_spec(result.evaluation)
    metrics = dict.fromkeys(score.metric for _, each in kind.values() for score in each.scores)
    for name in metrics:
        metric = spec.metric(name)
        scores = {
            model: (score, beside(stored.report, each, name))
            for model, (stored, each) in kind.items()
            if (score := each.score(name))
        }
        found = [score for score, _ in scores.values()]
        best = None if result.evaluation in NO_QUALITY else _best(found, metric)
        cells = {
            model: ScoreCell(score, score.value == best, papers)
            for model, (score, papers) in scores.items()
        }
        yield ScoreRow(board, result, metric, cells, apart)


def _best(scores: Sequence[Score], metric: Metric) -> float | None:
    """Return the best value; None if all look equal, the metric has no better direction, or the
    scores are of different numbers of items or of too few."""
    values = [score.value for score in scores]
    alike = len({score.n for score in scores}) == 1 and scores[0].n >= FEW_ITEMS
    if metric.higher_is_better is None or len(set(map(metric.shown, values))) < 2 or not alike:
        return None
    return max(values) if metric.higher_is_better else min(values)


def _place(stored: StoredReport) -> tuple[bool, str]:
    """Sort key of a report: by title, baselines last."""
    return stored.is_baseline, stored.report.subject.title.casefold()


def _latest(board: Leaderboard) -> str:
    return max((stored.report.created for stored in board.reports), default="")


def _plain(name: str) -> str:
    """Return a name on one line, without unprintable characters and truncated."""
    text = "".join(letter for letter in " ".join(name.split()) if letter.isprintable())
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


@lru_cache(maxsize=512)
def _read(file: Path, changed: int) -> Report:
    return Report.read(file)


def _read_description(file: Path) -> dict[str, str]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _slug(name: str) -> str:
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)
    return safe.strip("-.") or "data"
