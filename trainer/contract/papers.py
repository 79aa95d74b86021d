"""What the papers print, for the place beside our own numbers: of the same method and measure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from trainer.contract.evaluations import AVERAGE, evaluation_spec
from trainer.contract.report import WITHOUT_ABSTRACT, WITHOUT_TITLES, Report, Result, Subject

_NUMBERS = "paper_numbers.json"
# A number of items that a paper rounds is met where ours is as near as that.
_ABOUT = 0.1


@dataclass(frozen=True)
class PaperNumber:
    """A cell of a table, as in our scores 0 to 1. `model` is named as the paper names it.

    `same_data`: the published papers and judgements, as many as published, none left out but by
    the paper's own rules, nor drawn where the paper does not say how. `same_model`: the published
    weights, and not only the same method.
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
        """What differs, the weightiest first: to sort by."""
        return not self.same_model, not self.same_data, not self.same_suite, not self.own_paper

    @property
    def where(self) -> str:
        return f"{self.source}, {self.table}: {self.model}, {self.setting}"


def beside(report: Report, result: Result, metric: str) -> list[PaperNumber]:
    """The papers' numbers of the report's model or its method, by the same evaluation of a task
    of the same name, in the same metric. First come those of the same weights and data, and of
    the paper that the method is from."""
    found = [
        _number(cell, report)
        for cell in _cells()
        if cell.ours[1:] == (result.task, result.evaluation, metric)
        and _may_stand_beside(cell.row, report.subject)
        and evaluation_spec(result.evaluation).metric(metric).unit == "percent"
    ]
    return sorted(found, key=lambda number: number.differences)


@dataclass(frozen=True)
class _Cell:
    ours: tuple[str, ...]
    column: dict[str, Any]
    value: float
    spread: float | None
    row: dict[str, Any]
    table: dict[str, Any]


@cache
def _cells() -> tuple[_Cell, ...]:
    tables = json.loads(_file().read_text("utf-8"))["tables"]
    return tuple(cell for table in tables for cell in _cells_of(table))


def _cells_of(table: dict[str, Any]) -> Iterator[_Cell]:
    for row in table["rows"]:
        spreads = row.get("spread", [None] * len(row["values"]))
        for column, value, spread in zip(table["columns"], row["values"], spreads, strict=True):
            if "ours" in column and value is not None:
                ours = tuple(column["ours"])
                yield _Cell(ours, column, value, spread, row, table)


def _file() -> Path:
    """It comes with the trainer; in a checkout it lies among the resources of the whole."""
    installed = Path(__file__).parents[1] / "resources" / _NUMBERS
    return installed if installed.exists() else Path(__file__).parents[2] / "resources" / _NUMBERS


def _may_stand_beside(row: dict[str, Any], subject: Subject) -> bool:
    return _is_published(row, subject) or (
        bool(subject.method) and row.get("method") == subject.method
    )


def _is_published(row: dict[str, Any], subject: Subject) -> bool:
    names = {name.replace("/", "--") for name in (subject.id, subject.found)}
    return any(model.replace("/", "--") in names for model in row.get("models", ()))


def _is_of_all(cell: _Cell, report: Report) -> bool:
    """Whether the report's number is of all that the paper's is of, and of nothing else; an
    average, where each of the numbers that it is of is."""
    columns = [cell.column]
    if cell.ours[1] == AVERAGE:
        columns = [c for c in cell.table["columns"] if c.get("ours", cell.ours)[1] != AVERAGE]
    parts = [(column, report.result(column["ours"][1])) for column in columns]
    return all(part and _is_whole(cell, column, part) for column, part in parts)


def _is_whole(cell: _Cell, column: dict[str, Any], result: Result) -> bool:
    if column.get("drawn") or column.get("split", result.split) != result.split:
        return False
    left_out = set(result.excluded)
    if cell.table["paper"] == "miread":
        # Its code passes over bare papers, and feeds titles to no model but these.
        left_out ^= set() if "method" in cell.row else {WITHOUT_TITLES}
        left_out.discard(WITHOUT_ABSTRACT)
    if left_out:
        return False
    score = result.score(column["ours"][-1])
    n = score.n if score else 0
    about = column.get("n_about", n)
    return bool(column.get("n", n) == n and abs(n - about) <= _ABOUT * about)


def _number(cell: _Cell, report: Report) -> PaperNumber:
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
