"""Scores published in papers, for comparison with our own of the same method and metric."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from trainer.contract.evaluations import AVERAGE, evaluation_spec
from trainer.contract.report import WITHOUT_ABSTRACT, WITHOUT_TITLES, EvaluatedModel, Report, Result

_NUMBERS = "paper_numbers.json"
# Relative tolerance between our number of items and one that a paper rounds.
_ABOUT = 0.1


@dataclass(frozen=True)
class PaperNumber:
    """A cell of a published table, scaled to 0 to 1 as our scores. `model` is the paper's name for
    it.

    `same_data`: the same papers and judgements as published and as many of them; nothing is omitted
    other than by the paper's own rules, and nothing sampled in a way that the paper leaves open.
    `same_model`: the published weights, not only the same method.
    """

    value: float
    spread: float | None
    model: str
    source: str
    table: str
    setting: str
    note: str
    same_data: bool
    same_model: bool
    same_suite: bool
    own_paper: bool

    @property
    def differences(self) -> tuple[bool, ...]:
        """Sort key: the differences in setting, the most important first."""
        return not self.same_model, not self.same_data, not self.same_suite, not self.own_paper

    @property
    def where(self) -> str:
        return f"{self.source}, {self.table}: {self.model}, {self.setting}"


def beside(report: Report, result: Result, metric: str) -> list[PaperNumber]:
    """Return published scores for the report's model or method: same evaluation, task name and
    metric.

    Numbers of the same weights and data, and of the method's own paper, come first.
    """
    found = [
        _number(cell, report)
        for cell in _cells()
        if cell.ours[1:] == (result.task, result.evaluation, metric)
        and (
            _is_published(cell.row, report.subject)
            or (report.subject.method and cell.row.get("method") == report.subject.method)
        )
        and evaluation_spec(result.evaluation).metric(metric).unit == "percent"
    ]
    return sorted(found, key=lambda number: number.differences)


@dataclass(frozen=True)
class _TableCell:
    ours: tuple[str, ...]
    column: dict[str, Any]
    value: float
    spread: float | None
    row: dict[str, Any]
    table: dict[str, Any]


@cache
def _cells() -> tuple[_TableCell, ...]:
    # Inside the trainer, or in a checkout in the resource folder.
    files = (Path(__file__).parents[up] / "resources" / _NUMBERS for up in (1, 2))
    text = next(file for file in files if file.exists()).read_text("utf-8")
    found = []
    for table in json.loads(text)["tables"]:
        for row in table["rows"]:
            spreads = row.get("spread", [None] * len(row["values"]))
            for column, value, spread in zip(table["columns"], row["values"], spreads, strict=True):
                if "ours" in column and value is not None:
                    found.append(
                        _TableCell(tuple(column["ours"]), column, value, spread, row, table)
                    )
    return tuple(found)


def _is_published(row: dict[str, Any], subject: EvaluatedModel) -> bool:
    names = {name.replace("/", "--") for name in (subject.id, subject.found)}
    return any(model.replace("/", "--") in names for model in row.get("models", ()))


def _is_of_all(cell: _TableCell, report: Report) -> bool:
    """Whether our number covers exactly the data that the paper's covers; an average, if each of
    its components does."""
    columns = [cell.column]
    if cell.ours[1] == AVERAGE:
        columns = [c for c in cell.table["columns"] if c.get("ours", cell.ours)[1] != AVERAGE]
    parts = [(column, report.result(column["ours"][1])) for column in columns]
    return all(part and _is_whole(cell, column, part) for column, part in parts)


def _is_whole(cell: _TableCell, column: dict[str, Any], result: Result) -> bool:
    if column.get("drawn") or column.get("split", result.split) != result.split:
        return False
    left_out = set(result.excluded)
    if cell.table["paper"] == "miread":
        # MIReAD's code skips papers without an abstract, and gives titles to no model but these.
        left_out ^= set() if "method" in cell.row else {WITHOUT_TITLES}
        left_out.discard(WITHOUT_ABSTRACT)
    if left_out:
        return False
    score = result.score(column["ours"][-1])
    n = score.n if score else 0
    about = column.get("n_about", n)
    return bool(column.get("n", n) == n and abs(n - about) <= _ABOUT * about)


def _number(cell: _TableCell, report: Report) -> PaperNumber:
    same_suite = report.suite == cell.ours[0]
    return PaperNumber(
        value=cell.value / 100,
        spread=None if cell.spread is None else cell.spread / 100,
        model=cell.row["model"],
        source=cell.table["source"],
        table=cell.table["table"],
        setting=cell.table["setting"],
        note=cell.row.get("note", ""),
        same_data=same_suite and _is_of_all(cell, report),
        same_model=_is_published(cell.row, report.subject),
        same_suite=same_suite,
        own_paper=cell.table["paper"] == cell.row.get("method"),
    )
