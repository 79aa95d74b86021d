"""View models of the evaluation page."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from sciread_app.domain.training import TrainingData
from sciread_app.language import tr
from sciread_app.services.evaluation.leaderboard import (
    Leaderboard,
    ScoreRow,
    StoredReport,
    names,
    rows,
)
from trainer.contract.evaluations import Metric, evaluation_spec


class EvaluationCorpus(NamedTuple):
    """A set of papers to evaluate on, with its title."""

    name: str
    data: TrainingData


class ModelToUse(NamedTuple):
    """A model that can be used for search; `recommended` if it is better than the active one."""

    name: str
    title: str
    recommended: bool


@dataclass(frozen=True)
class EvaluationResults:
    """All evaluation results, or some of them. `called` has the names of data sets by the key of
    their board, `colors` the color numbers of models if these are some of the results."""

    boards: Sequence[Leaderboard] = ()
    called: Mapping[str, str] = field(default_factory=dict)
    colors: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def names(self) -> dict[str, str]:
        """Names of all models, in display order."""
        return names(kept for board in self.boards for kept in board.reports)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The color number of each model, the same in all charts."""
        return self.colors or {model: number for number, model in enumerate(self.names)}

    @cached_property
    def rows(self) -> list[ScoreRow]:
        return [row for board in self.boards for row in rows(board)]

    @property
    def suites(self) -> list[str]:
        return list(dict.fromkeys(board.suite for board in self.boards))

    def only(self, suite: str, board: str, without: Container[str] = ()) -> EvaluationResults:
        """The results of this suite and board, without these models; an empty one includes all."""
        kept = [
            replace(
                one, reports=tuple(stored for stored in one.reports if stored.model not in without)
            )
            for one in self.boards
            if suite in ("", one.suite) and board in ("", one.key)
        ]
        return EvaluationResults(kept, self.called, self.numbers)

    @property
    def usual_pair(self) -> tuple[str, str]:
        """The default pair: a base model and the one trained from it, else the two latest."""
        for board in self.boards:
            models = [kept for kept in board.reports if not kept.is_baseline] or board.reports
            models = sorted(models, key=lambda kept: kept.report.created, reverse=True)
            ids = {kept.report.subject.id: kept for kept in models}
            for kept in models:
                if (made_from := ids.get(kept.report.subject.base)) and made_from is not kept:
                    return made_from.model, kept.model
            if len(models) > 1:
                return models[1].model, models[0].model
        return "", ""

    def pair(
        self, first: str, second: str
    ) -> tuple[Leaderboard, StoredReport, StoredReport] | None:
        """The latest board on which both were evaluated; None if there is none."""
        for board in self.boards:
            here = {kept.model: kept for kept in board.reports}
            if first in here and second in here:
                return board, here[first], here[second]
        return None


def data_words(row: ScoreRow, called: Mapping[str, str]) -> str:
    """A description of the data, precise enough to check whether two numbers are comparable."""
    result = row.result
    return tr(
        "{data}, {split} split, SHA-256 {hash}, seed {seed}",
        data=called.get(row.board.key, row.board.data),
        split=result.split,
        hash=result.sha256[:8],
        seed=result.seed,
    )


def interval_words(row: ScoreRow, model: str) -> str:
    """The 95% confidence interval and the spread over repetitions; empty if neither is known."""
    score, metric = row.cells[model].score, row.metric
    found = []
    if score.low is not None and score.high is not None:
        found.append(f"{metric.shown(score.low)}–{metric.shown(score.high)}")
    if score.spread is not None and score.seeds > 1:
        found.append(tr("± {spread} ({n} seeds)", spread=metric.shown(score.spread), n=score.seeds))
    return ", ".join(found)


def how_read(metric: Metric) -> str:
    """Direction and range of a metric; may be empty."""
    better = {True: tr("Higher is better"), False: tr("Lower is better"), None: ""}
    span = tr("0 to 100") if metric.unit == "percent" else ""
    return " · ".join(filter(None, (better[metric.higher_is_better], span)))


def tip(metric: Metric) -> str:
    """The tooltip of a number."""
    return "\n".join(filter(None, (metric.title, metric.about, how_read(metric))))


def accessible_score(row: ScoreRow, model: str, name: str) -> str:
    """The text of a number for screen readers."""
    cell = row.cells.get(model)
    if cell is None:
        return tr("{name}: not evaluated", name=name)
    if row.too_few:
        return tr("{name}: too few papers to tell", name=name)
    parts = [f"{name}: {row.metric.shown(cell.score.value)}"]
    if between := interval_words(row, model):
        parts.append(between)
    if cell.best:
        parts.append(
            tr("highest in the row") if row.metric.higher_is_better else tr("lowest in the row")
        )
    return ", ".join(parts)


def about(row: ScoreRow) -> str:
    """The description of an evaluation from the trainer's catalog."""
    return evaluation_spec(row.result.evaluation).summary
