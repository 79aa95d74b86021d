"""What the page of measurements asks for, and what it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

from sciread_app.domain.paper import PaperId
from sciread_app.domain.training import Data
from sciread_app.language import tr
from sciread_app.services.atlas import Drawing
from sciread_app.services.evaluating import Candidate, Evaluated
from sciread_app.services.following import Story
from sciread_app.services.model_cards import Scored
from sciread_app.services.runs import Training
from sciread_app.services.scores import Board, Kept, Row, names, rows
from sciread_app.services.verdict import Verdict
from sciread_app.tasks import Task
from sciread_app.ui.compare.values import CompareSource
from trainer.contract.evaluations import Metric, evaluation_spec
from trainer.contract.pictures import Picture


class Corpus(NamedTuple):
    """Papers that can be measured on, in words, and what they are."""

    name: str
    data: Data


@dataclass(frozen=True)
class Found:
    """All that was measured. `called` says what the data of a board are, by its key."""

    boards: Sequence[Board] = ()
    called: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def names(self) -> dict[str, str]:
        """Of all models, in the order in which they stand beside one another."""
        return names(kept for board in self.boards for kept in board.reports)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """What gives each its colour, the same on every chart."""
        return {model: number for number, model in enumerate(self.names)}

    @cached_property
    def rows(self) -> list[Row]:
        return [row for board in self.boards for row in rows(board)]

    @property
    def suites(self) -> list[str]:
        return list(dict.fromkeys(board.suite for board in self.boards))

    def only(self, suite: str, board: str) -> Found:
        """What is of this suite and this board; of all where one is empty."""
        kept = [one for one in self.boards if suite in ("", one.suite) and board in ("", one.key)]
        return Found(kept, self.called)

    @property
    def usual_pair(self) -> tuple[str, str]:
        """Who is compared if nobody says: what was made of another model with that one; else what
        was measured last."""
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

    def pair(self, first: str, second: str) -> tuple[Board, Kept, Kept] | None:
        """A board on which both were measured, the latest; None where there is none."""
        for board in self.boards:
            here = {kept.model: kept for kept in board.reports}
            if first in here and second in here:
                return board, here[first], here[second]
        return None


class Dashboard(Protocol):
    """Every verb blocks, and may be called from any thread. What cannot be done is raised with a
    hint."""

    def look(self) -> Found: ...

    def compare(self, first: Kept, second: Kept, task: Task) -> Verdict: ...

    def pictures(self, kept: Kept) -> Mapping[str, Mapping[str, Picture]]:
        """What a report draws, by task and name."""
        ...

    def trainings(self) -> Sequence[Training]: ...

    def story(self, training: str, task: Task) -> Story: ...

    def after(self, training: str) -> Sequence[Scored]:
        """What was measured of the model that came out, beside what it was made from."""
        ...

    def candidates(self) -> Sequence[Candidate]: ...

    def corpora(self) -> Sequence[Corpus]:
        """What a model can be measured on here: the library, collections, what was put aside."""
        ...

    def evaluate(
        self, names: Sequence[str], suite: str, data: Data | Path, task: Task
    ) -> Evaluated: ...

    def write_csv(self, boards: Sequence[Board], file: Path) -> int:
        """How many numbers there are in it."""
        ...

    def write_page(self, boards: Sequence[Board], file: Path, task: Task) -> None:
        """One page that needs nothing else."""
        ...

    def known_papers(self) -> Sequence[PaperId]:
        """Papers that somebody knows well: rated, annotated, read."""
        ...

    def find(self, words: str, task: Task) -> Sequence[PaperId]:
        """Papers by their words alone."""
        ...

    def drawing(self, model: str) -> Drawing | None:
        """The map of what this model has read, as it was drawn last."""
        ...

    def draw(self, model: str, task: Task) -> Drawing | None: ...


class DashboardSource(CompareSource, Protocol):
    @property
    def dashboard(self) -> Dashboard: ...


def data_words(row: Row, called: Mapping[str, str]) -> str:
    """Of what data a number is, so that somebody else could say whether his is of the same."""
    result = row.result
    return tr(
        "{data}, {split} part, data {hash}, seed {seed}",
        data=called.get(row.board.key, row.board.data),
        split=result.split,
        hash=result.sha256[:8],
        seed=result.seed,
    )


def interval_words(row: Row, model: str) -> str:
    """Where 95 % lie, and how far repetitions do; empty where neither is known."""
    score, metric = row.cells[model].score, row.metric
    found = []
    if score.low is not None and score.high is not None:
        found.append(f"{metric.shown(score.low)}–{metric.shown(score.high)}")
    if score.spread is not None and score.seeds > 1:
        found.append(tr("± {spread} ({n} seeds)", spread=metric.shown(score.spread), n=score.seeds))
    return ", ".join(found)


def how_read(metric: Metric) -> str:
    """Which way is better, and from where to where numbers go; may be empty."""
    better = {True: tr("higher is better"), False: tr("lower is better"), None: ""}
    span = tr("0 to 100") if metric.unit == "percent" else ""
    return " · ".join(filter(None, (better[metric.higher_is_better], span)))


def tip(metric: Metric) -> str:
    """What a number is, for who points at it."""
    return "\n".join(filter(None, (metric.title, metric.about, how_read(metric))))


def spoken(row: Row, model: str, name: str) -> str:
    """A number as a screen reader says it."""
    cell = row.cells.get(model)
    if cell is None:
        return tr("{name}: not measured", name=name)
    parts = [f"{name}: {row.metric.shown(cell.score.value)}"]
    if between := interval_words(row, model):
        parts.append(between)
    if cell.best:
        parts.append(tr("highest of the row") if row.metric.higher_is_better else tr("lowest"))
    return ", ".join(parts)


def about(row: Row) -> str:
    """What the evaluation is, in the words of the trainer's catalogue."""
    return evaluation_spec(row.result.evaluation).summary
