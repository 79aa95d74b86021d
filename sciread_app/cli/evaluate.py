"""Commands that evaluate models and show the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sciread_app.cli.command import DONE, FAILED
from sciread_app.cli.models import model_command
from sciread_app.console import Console
from sciread_app.domain.training import LIBRARY, TrainingData, TrainingDataKind
from sciread_app.language import tr, trn
from sciread_app.services.evaluation.csv_export import unit_and_better, write_csv
from sciread_app.services.evaluation.evaluation_service import LOCAL, EvaluationOutcome
from sciread_app.services.evaluation.leaderboard import (
    Leaderboard,
    ScoreCell,
    ScoreRow,
    StoredReport,
    names,
    rows,
)
from sciread_app.services.evaluation.model_comparison import ComparisonVerdict
from sciread_app.workspace import Workspace
from trainer.contract.evaluations import Metric

Suite = Annotated[
    str, typer.Option(help="Benchmark suite (see `sciread-trainer suites`), or your SUITE.toml.")
]
Corpus = Annotated[
    str,
    typer.Option(
        help="Data of the local suite: the name or folder of a saved dataset, or collection:NAME "
        "(default: the library). For other suites: the folder of their data."
    ),
]


@model_command
def evaluate(
    workspace: Workspace,
    console: Console,
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="ID...",
            help="Models, training runs, or the baselines tf-idf, bm25 and random. The last one "
            "is compared with each of the others.",
        ),
    ],
    suite: Suite = LOCAL,
    corpus: Corpus = "",
) -> int:
    """Evaluate models with published protocols on the same data, and compare them.

    Finished results are reused, and a stopped evaluation resumes when you run the command again.
    Tasks that cannot run are listed with the reason. Exit code 1 means that a model has no results
    at all.
    """
    with console.progress(tr("Evaluating")) as task:
        data = _data(suite, corpus)
        done = workspace.evaluation.evaluate(list(dict.fromkeys(models)), suite, data, task)
        board = next(b for b in workspace.scores.boards() if b.folder == done.board)
        kept = [one for one in board.reports if one.folder in done.reports.values()]
        kept.sort(key=lambda one: list(done.reports.values()).index(one.folder))
        verdicts = [workspace.comparer.compare(one, kept[-1], task) for one in kept[:-1]]
    console.print(_table(board, kept))
    for found in verdicts:
        _print_verdict(console, found)
    _print_missing(console, done)
    console.print_json(
        {
            "board": board.key,
            "reports": {key: str(folder) for key, folder in done.reports.items()},
            "failed": done.failed,
            "failed_tasks": [
                {"model": failed.model, "task": failed.task, "why": failed.reason}
                for failed in done.failed_tasks
            ],
            "absent": done.absent,
            "scores": _scores(board, kept),
            "verdicts": [_verdict_as_value(found) for found in verdicts],
        }
    )
    return FAILED if done.failed else DONE


@model_command
def scores(
    workspace: Workspace,
    console: Console,
    file: Annotated[
        Path | None, typer.Option("--csv", help="Write all scores to this CSV file, one per line.")
    ] = None,
) -> int:
    """Show the scores of all evaluated models."""
    boards = workspace.scores.boards()
    if file:
        with file.open("w", encoding="utf-8", newline="") as stream:
            lines = write_csv(boards, stream)
        console.print(
            trn("Wrote {n:,} score to {file}", "Wrote {n:,} scores to {file}", lines, file=file)
        )
    elif not boards:
        console.print(tr("No evaluations yet. Run `sciread model evaluate` to start one."))
    for board in boards if not file else ():
        console.print(f"[bold]{escape(board.suite)}[/] · {escape(board.data)}")
        console.print(_table(board, board.reports))
        for problem in board.problems:
            console.warn(problem)
    console.print_json([{"board": b.key, "scores": _scores(b, b.reports)} for b in boards])
    return FAILED if any(board.problems for board in boards) else DONE


def _data(suite: str, corpus: str) -> TrainingData | Path | None:
    if suite != LOCAL:
        return Path(corpus) if corpus else None
    if corpus.startswith("collection:"):
        return TrainingData(TrainingDataKind.collection, corpus.removeprefix("collection:"))
    return TrainingData(TrainingDataKind.corpus, corpus) if corpus else LIBRARY


def _table(board: Leaderboard, kept: Sequence[StoredReport]) -> Table:
    """Return a table with a heading for each task and a row for each metric, the best in bold.

    Confidence intervals are shown for a single model only; several would need too much width.
    """
    called = names(kept)
    shown = Table(box=None, pad_edge=False, header_style="dim")
    shown.add_column("")
    shown.add_column("n", justify="right", no_wrap=True)
    for name in called.values():
        shown.add_column(escape(name), justify="right", overflow="fold")
    found = [row for row in rows(board) if row.cells.keys() & called.keys()]
    for task, of_task in groupby(found, key=lambda row: (row.result.title, row.apart)):
        why = tr(" (not comparable with the rows above: {why})", why=task[1]) if task[1] else ""
        shown.add_row(Text(task[0] + why, style="bold"))
        for row in of_task:
            cells = [_cell(row, row.cells.get(model), len(called) == 1) for model in called]
            shown.add_row(f"  {_titled(row.metric)}", f"{row.n:,}" if row.n else "", *cells)
    return shown


def _titled(metric: Metric) -> str:
    """Return the title of a metric, and whether lower is better: in words, since some terminals
    cannot show an arrow."""
    lower = metric.higher_is_better is False
    return tr("{metric} (lower is better)", metric=metric.title) if lower else metric.title


def _cell(row: ScoreRow, cell: ScoreCell | None, alone: bool) -> Text:
    if cell is None:
        return Text("–", style="dim")
    if row.too_few:
        return Text(tr("too few papers"), style="dim")
    score = cell.score
    text = Text(row.metric.shown(score.value), style="bold" if cell.best else "")
    if alone and score.low is not None and score.high is not None:
        between = f"  {row.metric.shown(score.low)}–{row.metric.shown(score.high)}"
        text.append(between, style="dim")
    return text if row.n else text.append(f" n {score.n:,}", style="dim")


def _print_verdict(console: Console, found: ComparisonVerdict) -> None:
    console.print()
    console.print(Text(found.sentence, style="bold"))
    for sentence in found.support:
        console.print(Text(sentence))
    for refused in found.refused:
        what = ", ".join(refused.what)
        console.print(Text(tr("Not compared ({why}): {what}", why=refused.reason, what=what)))
    for note in found.notes:
        console.print(Text(note, style="dim"))


def _print_missing(console: Console, done: EvaluationOutcome) -> None:
    for what, why in done.absent.items():
        console.print(Text(tr("{what} was skipped: {why}", what=what, why=why), style="dim"))
    for remark in done.remarks():
        console.warn(remark)


def _scores(board: Leaderboard, kept: Sequence[StoredReport]) -> list[dict[str, Any]]:
    ids = {one.model: one.report.subject.id for one in kept}
    return [
        {
            "task": row.result.task,
            "metric": row.metric.name,
            "model": ids[model],
            "value": cell.score.value,
            "low": cell.score.low,
            "high": cell.score.high,
            "n": cell.score.n,
            "unit": unit_and_better(row.metric)[0],
            "better": unit_and_better(row.metric)[1],
            "data": row.result.sha256,
            "apart": row.apart,
        }
        for row in rows(board)
        for model, cell in row.cells.items()
        if model in ids
    ]


def _verdict_as_value(found: ComparisonVerdict) -> Mapping[str, Any]:
    return {
        "first": found.first,
        "second": found.second,
        "answer": found.answer.value,
        "sentence": found.sentence,
        "support": list(found.support),
        "evidence": [
            {
                "task": each.task,
                "metric": each.metric.name,
                "n": each.n,
                "first": each.first,
                "second": each.second,
                "low": each.low,
                "high": each.high,
                "chance": each.p_value,
                "real": each.significant,
                "winner": each.winner,
                "counts": each.counts,
                "too_few": each.too_few,
                "difference": each.difference,
            }
            for each in found.evidence
        ],
        "refused": [{"what": list(each.what), "why": each.reason} for each in found.refused],
    }
