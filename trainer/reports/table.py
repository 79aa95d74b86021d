"""Tables of reports side by side, for console and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from trainer.contract.evaluations import NO_QUALITY, Metric, evaluation_spec
from trainer.contract.paper_numbers import PaperNumber, beside
from trainer.contract.report import EvaluatedModel, Report, Result, Score

OTHER_DATA, OTHER_TRAINING = "*", "†"
LEGEND = (
    f"The papers' scores are for the same method, evaluation and metric. {OTHER_DATA} "
    f"other data, or only part of these data. {OTHER_TRAINING} other weights, trained on "
    "other papers."
)


@dataclass(frozen=True)
class ReportCell:
    """A score of one report; `best` if no other score of the row is better."""

    score: Score
    text: str
    best: bool
    papers: Sequence[PaperNumber]


@dataclass(frozen=True)
class ReportRow:
    """One metric of one task on the same data: a cell per report, None if it has no score."""

    result: Result
    metric: Metric
    cells: Sequence[ReportCell | None]
    task: str  # its title, with data and protocol if they differ between the rows of the task

    @property
    def n(self) -> str:
        """Number of items; empty if it differs between models, and is then in each cell."""
        found = {cell.score.n for cell in self.cells if cell}
        return f"{found.pop():,}" if len(found) == 1 else ""

    def own_n(self, cell: ReportCell) -> str:
        """Number of items of a cell, if the row has no common number."""
        return "" if self.n else f"n {cell.score.n:,}"


def rows(reports: Sequence[Report]) -> list[ReportRow]:
    """Build the rows: only comparable scores share a row."""
    kinds: list[Result] = []
    for report in reports:
        for result in report.results:
            if not any(_alike(result, known) for known in kinds):
                kinds.append(result)
    # Keep rows of the same task together, whatever its data.
    tasks = list(dict.fromkeys(kind.task for kind in kinds))
    kinds.sort(key=lambda kind: tasks.index(kind.task))
    found: list[ReportRow] = []
    for kind in kinds:
        alike = [other for other in kinds if other.task == kind.task]
        found += _rows_of(kind, reports, _task_title(kind, alike))
    return found


def interval_text(score: Score, metric: Metric) -> str:
    """Format the 95 % interval and the spread over seeds; empty if neither is known."""
    found = []
    if score.low is not None and score.high is not None:
        found.append(f"{metric.shown(score.low)} to {metric.shown(score.high)}")
    if score.spread is not None and score.seeds > 1:
        found.append(f"± {metric.shown(score.spread)} ({score.seeds} seeds)")
    return ", ".join(found)


def paper_text(number: PaperNumber, metric: Metric) -> str:
    """Format a paper's number with marks for other data and other weights."""
    marks = ("" if number.same_data else OTHER_DATA) + ("" if number.same_model else OTHER_TRAINING)
    return metric.shown(number.value) + marks


def names(reports: Sequence[Report]) -> list[str]:
    """Column titles: the model's title, with the facts that tell reports with equal titles
    apart."""
    alike: dict[str, list[Report]] = {}
    for report in reports:
        alike.setdefault(report.subject.title, []).append(report)
    apart = {title: _distinct_facts(of_title) for title, of_title in alike.items()}
    found = []
    for report in reports:
        title = report.subject.title
        facts = ", ".join(filter(None, (_facts(report)[at] for at in apart[title])))
        found.append(f"{title} ({facts})" if facts else title)
    return found


def _facts(report: Report) -> tuple[str, ...]:
    """Facts that may tell two reports of models with the same title apart, most telling first."""
    return (
        report.subject.id,
        str(report.subject.about.get("precision", "")),
        report.suite,
        f"data {report.results[0].sha256[:6]}" if report.results else "",
        report.created,
    )


def _distinct_facts(reports: Sequence[Report]) -> list[int]:
    """Indices of the facts, as few as needed, in which all of these reports differ."""
    facts = [_facts(report) for report in reports]
    chosen: list[int] = []
    for at, values in enumerate(zip(*facts, strict=True)):
        if len({tuple(fact[one] for one in chosen) for fact in facts}) == len(facts):
            break
        if len(set(values)) > 1:
            chosen.append(at)
    return chosen


def terminal(reports: Sequence[Report]) -> Table:
    """Console table: a line per task, followed by its metrics; the best of a row is bold.

    A single report has a column of intervals as well.
    """
    found = rows(reports)
    papers = any(_first_papers(row) for row in found)
    table = Table("", box=None, pad_edge=False, collapse_padding=True)
    table.add_column("n", justify="right", no_wrap=True)
    for name in names(reports):
        table.add_column(escape(name), justify="right", overflow="fold")
    if alone := len(reports) == 1:
        table.add_column("95% CI", style="dim")
    if papers:
        table.add_column("papers", justify="right", style="dim")
    for task, of_task in groupby(found, lambda row: row.task):
        table.add_row(f"[bold]{escape(task)}[/]")
        for row in of_task:
            cells = [_terminal_cell(cell, row) for cell in row.cells]
            between = [
                interval_text(cell.score, row.metric) for cell in row.cells if cell and alone
            ]
            beside_it = [_first_papers(row)] if papers else []
            # Without an arrow, which not every terminal can show.
            spelled = row.metric.title
            if row.metric.higher_is_better is False:
                spelled += " (lower is better)"
            title = Padding(escape(spelled), (0, 0, 0, 2))
            table.add_row(title, row.n, *cells, *between, *beside_it)
    return table


def _terminal_cell(cell: ReportCell | None, row: ReportRow) -> str:
    if cell is None:
        return "-"
    text = f"[bold]{cell.text}[/]" if cell.best else cell.text
    own = row.own_n(cell)
    return f"{text} ({own})" if own else text


def markdown(reports: Sequence[Report]) -> str:
    """Markdown table with intervals, sources and exclusions."""
    found = rows(reports)
    papers = any(_first_papers(row) for row in found)
    head = ["task", "metric", "n", *names(reports), *(["papers"] if papers else [])]
    lines = [line(head), line(["---", "---", *["---:"] * (len(head) - 2)])]
    for row in found:
        cells = [_markdown_cell(cell, row) for cell in row.cells]
        beside_it = [_first_papers(row)] if papers else []
        title = f"{row.metric.title} {row.metric.arrow}".strip()
        lines.append(line([row.task, title, row.n, *cells, *beside_it]))
    lines += [
        "",
        "↑ higher is better, ↓ lower is better. Proportions are in percent. Brackets: 95% "
        "confidence intervals (bootstrap over items); ±: standard deviation over seeds.",
    ]
    if sources := used_sources(reports):
        lines += ["", LEGEND, "", *(f"- {safe(source)}" for source in sources)]
    if excluded := [*left_out(reports)]:
        lines += ["", "Excluded data:", "", *(f"- {safe(one)}" for one in excluded)]
    abouts = {row.metric.title: row.metric.about for row in found if row.metric.about}
    if abouts:
        explained = (f"- {safe(f'{title}: {about}')}" for title, about in abouts.items())
        lines += ["", "Metrics:", "", *explained]
    lines += ["", "Reproducibility:", "", *(f"- {safe(one)}" for one in provenance(reports))]
    return "\n".join(lines) + "\n"


def used_sources(reports: Sequence[Report]) -> list[str]:
    """Sources of the papers' numbers in the table, each once."""
    found = (
        number.where + (f" ({number.note})" if number.note else "")
        for row in rows(reports)
        for cell in row.cells
        if cell
        for number in cell.papers[:1]
    )
    return list(dict.fromkeys(found))


def left_out(reports: Sequence[Report]) -> Iterator[str]:
    """Exclusions by report and task, one sentence each."""
    for name, report in zip(names(reports), reports, strict=True):
        for result in report.results:
            text = ", ".join(f"{count:,} {why}" for why, count in result.excluded.items())
            text = "; ".join(filter(None, [text, *result.notes]))
            if text:
                yield f"{name}, {result.title}: {text}."


def provenance(reports: Sequence[Report]) -> Iterator[str]:
    """Model, software and date of each report, one sentence each."""
    for name, report in zip(names(reports), reports, strict=True):
        space = f", model ID {report.subject.space}" if report.subject.space else ""
        bits = report.subject.about.get("precision")
        computed = f", computed in {bits}" if bits else ""
        what = f"{report.subject.kind} {given_as(report.subject) or report.subject.id}"
        yield (
            f"{name}: {what}{space}{computed}; "
            f"suite {report.suite}, {report.created}, {report.trainer}"
        )


def given_as(subject: EvaluatedModel) -> str:
    """The name the user gave; for a path only its last part, since reports are shared."""
    path = Path(subject.found)
    return path.name if path.is_absolute() else subject.found


def _alike(one: Result, other: Result) -> bool:
    return one.task == other.task and not one.incomparable_reason(other)


def _task_title(kind: Result, alike: Sequence[Result]) -> str:
    """The title of a task, with what tells `alike`, the kinds of results of this task, apart."""
    if len(alike) == 1:
        return kind.title
    protocols = {other.protocol for other in alike}
    protocol = f", protocol {kind.protocol}" if len(protocols) > 1 else ""
    return f"{kind.title} ({kind.split}, data {kind.sha256[:6]}{protocol})"


def _rows_of(kind: Result, reports: Sequence[Report], title: str) -> Iterator[ReportRow]:
    results = [
        next((result for result in report.results if _alike(result, kind)), None)
        for report in reports
    ]
    spec = evaluation_spec(kind.evaluation)
    metrics = dict.fromkeys(score.metric for result in results if result for score in result.scores)
    for name in metrics:
        metric = spec.metric(name)
        scores = [result.score(name) if result else None for result in results]
        known = [score for score in scores if score]
        # Scores over different numbers of items are not ranked.
        same = len({score.n for score in known}) == 1
        compares = same and kind.evaluation not in NO_QUALITY
        best = _best([score.value for score in known], metric) if compares else None
        cells = [
            ReportCell(
                score, metric.shown(score.value), score.value == best, beside(report, result, name)
            )
            if score and result
            else None
            for score, result, report in zip(scores, results, reports, strict=True)
        ]
        yield ReportRow(kind, metric, cells, title)


def _best(values: Sequence[float], metric: Metric) -> float | None:
    """The best value; None if the metric has no direction or all values look equal."""
    if metric.higher_is_better is None or len(set(map(metric.shown, values))) < 2:
        return None
    return max(values) if metric.higher_is_better else min(values)


def _first_papers(row: ReportRow) -> str:
    """The first paper number of each report, without duplicates."""
    found = [paper_text(cell.papers[0], row.metric) for cell in row.cells if cell and cell.papers]
    return " ".join(dict.fromkeys(found))


def _markdown_cell(cell: ReportCell | None, row: ReportRow) -> str:
    if cell is None:
        return "-"
    between = ", ".join(filter(None, [interval_text(cell.score, row.metric), row.own_n(cell)]))
    text = f"**{cell.text}**" if cell.best else cell.text
    return f"{text} [{between}]" if between else text


def line(cells: Sequence[str]) -> str:
    """Format a row of a Markdown table."""
    return "| " + " | ".join(safe(cell) for cell in cells) + " |"


def safe(text: str) -> str:
    """Escape text for a Markdown cell, on one line."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
