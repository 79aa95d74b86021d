"""Export of scores as CSV: one score per line, with everything it depends on."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import TextIO

from sciread_app.services.evaluation.leaderboard import (
    Leaderboard,
    ScoreRow,
    StoredReport,
    names,
    rows,
)
from trainer.contract.evaluations import Metric

COLUMNS = (
    *("suite", "data", "task", "metric", "unit", "better", "model", "model_id", "method"),
    *(
        "value",
        "low_95",
        "high_95",
        "spread",
        "seeds",
        "n",
        "split",
        "evaluation",
        "protocol",
        "seed",
    ),
    *("data_sha256", "excluded", "stands_apart", "measured", "trainer", "source"),
)
# Spreadsheets treat text that begins with these characters as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(boards: Iterable[Leaderboard], file: TextIO) -> int:
    """Write all scores of these boards, and the published numbers for them.

    Returns the number of lines written after the header. Shares are 0 to 1, as `unit` states.
    Published numbers have a `source`; measured ones have none.
    """
    out = csv.writer(file, lineterminator="\n")
    out.writerow(COLUMNS)
    lines = 0
    for board in boards:
        for line in _lines(board):
            out.writerow([_safe(value) for value in line])
            lines += 1
    return lines


def _lines(board: Leaderboard) -> Iterator[tuple[object, ...]]:
    called = names(board.reports)
    for row in rows(board):
        seen: set[tuple[str, str]] = set()
        for kept in board.reports:
            if kept.model in row.cells:
                yield _ours(row, kept, called[kept.model])
        for cell in row.cells.values():
            for number in cell.papers:
                if (number.where, number.note) not in seen:
                    seen.add((number.where, number.note))
                    note = f" ({number.note})" if number.note else ""
                    yield (
                        *(board.suite, board.data, row.result.task, row.metric.name),
                        *(*unit_and_better(row.metric), number.model, "", "", number.value),
                        *("", "", _number(number.spread), "", "", ""),
                        *(row.result.evaluation, "", "", "", "", "", "", ""),
                        number.where + note,
                    )


def _ours(row: ScoreRow, kept: StoredReport, name: str) -> tuple[object, ...]:
    score, report = row.cells[kept.model].score, kept.report
    result = report.result(row.result.task) or row.result
    left_out = "; ".join(f"{count} {why}" for why, count in result.excluded.items())
    return (
        *(
            row.board.suite,
            row.board.data,
            result.task,
            row.metric.name,
            *unit_and_better(row.metric),
        ),
        *(name, report.subject.id, report.subject.method, score.value),
        *(_number(score.low), _number(score.high), _number(score.spread), score.seeds, score.n),
        *(result.split, result.evaluation, result.protocol, result.seed, result.sha256),
        *(left_out, row.apart, report.created, report.trainer, ""),
    )


def unit_and_better(metric: Metric) -> tuple[str, str]:
    """Return the unit of a metric, and whether "higher" or "lower" is better; "" if neither is."""
    unit = "share (0 to 1)" if metric.unit == "percent" else metric.unit
    return unit, {True: "higher", False: "lower", None: ""}[metric.higher_is_better]


def _number(value: float | None) -> object:
    return "" if value is None else value


def _safe(value: object) -> object:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
