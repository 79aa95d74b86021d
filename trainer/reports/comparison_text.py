"""A comparison of two models as console table, Markdown and HTML section."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from trainer.contract.evaluations import Metric
from trainer.reports import charts, table
from trainer.reports.compare import SIGNIFICANCE_LEVEL, MetricComparison, ReportComparison
from trainer.reports.markup import Markup, join, tag

TITLE = "Significant differences"
# A difference that is not significant does not prove that models are equal.
LEGEND = (
    f"Significant: adjusted p-value below {SIGNIFICANCE_LEVEL:.0%} (paired bootstrap over "
    "items; Holm correction for multiple comparisons). The confidence intervals are not "
    "adjusted."
)


def summary(comparison: ReportComparison) -> str:
    """One sentence: the number of significant differences, by the better model."""
    first, second = names(comparison)
    real = [each for each in comparison.compared if each.is_significant]
    better = [sum(each.second_is_better is side for each in real) for side in (False, True)]
    message = f"{len(real):,} of {len(comparison.compared):,} differences are significant"
    parts = [
        f"{name} is better in {count:,}"
        for name, count in zip((first, second), better, strict=True)
        if count
    ]
    if neither := len(real) - sum(better):
        parts.append(f"{neither:,} {'is' if neither == 1 else 'are'} neither better nor worse")
    return f"{message}: {', '.join(parts)}." if parts else f"{message}."


def names(comparison: ReportComparison) -> list[str]:
    return table.names([comparison.first, comparison.second])


def notes(comparison: ReportComparison) -> list[str]:
    """Further remarks for the reader, one sentence each."""
    lines = list(comparison.notes)
    by_task = {each.result.task: each.unpaired for each in comparison.compared}
    if unpaired := sum(by_task.values()):
        lines.append(f"{unpaired:,} items with a score of only one model are excluded.")
    for why in dict.fromkeys(each.reason for each in comparison.refused):
        what = "; ".join(each.what for each in comparison.refused if each.reason == why)
        lines.append(f"Not compared, because {why}: {what}.")
    return lines


def signed(metric: Metric, value: float) -> str:
    """Format a difference with its sign, unless it rounds to zero."""
    text = metric.shown(value)
    return "+" + text if value > 0 and text != metric.shown(0.0) else text


def between(each: MetricComparison) -> str:
    """Format the 95 % interval; empty if there are too few items."""
    low, high = each.difference.low, each.difference.high
    if low is None or high is None:
        return ""
    return f"{signed(each.metric, low)} to {signed(each.metric, high)}"


def p_value_text(each: MetricComparison) -> str:
    """Format the adjusted p-value."""
    return "<0.001" if each.adjusted_p_value < 0.001 else f"{each.adjusted_p_value:.3f}"


def terminal(comparison: ReportComparison) -> Table:
    """Narrow console table: models are A and B, and each task has its own line."""
    shown = Table("", box=None, pad_edge=False, collapse_padding=True)
    for name in ("n", "A", "B", "B − A", "95% CI"):
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("better", no_wrap=True)
    for task, of_task in _by_task(comparison):
        shown.add_row(f"[bold]{escape(task)}[/]")
        for each in of_task:
            title = Padding(escape(each.metric.title), (0, 0, 0, 2))
            shown.add_row(title, *_numbers(each), _verdict(each))
    return shown


def _by_task(comparison: ReportComparison) -> list[tuple[str, list[MetricComparison]]]:
    return [(t, list(group)) for t, group in groupby(comparison.compared, lambda c: c.result.title)]


def _numbers(each: MetricComparison) -> list[str]:
    at, metric = each.difference, each.metric
    values = (metric.shown(at.first), metric.shown(at.second), signed(metric, at.value))
    return [f"{at.n:,}", *values, between(each)]


def _verdict(each: MetricComparison) -> str:
    if each.second_is_better is None:
        return "[bold]different[/]" if each.is_significant else "[dim]n.s.[/]"
    return "[bold green]B[/]" if each.second_is_better else "[bold red]A[/]"


def markdown(comparison: ReportComparison) -> str:
    """Markdown table with summary, legend and notes."""
    first, second = names(comparison)
    head = ["task", "metric", "n", first, second, "difference", "95% CI", "p", "better"]
    lines = [f"## {TITLE}", "", table.safe(summary(comparison)), ""]
    lines += [table.line(head), table.line([*["---"] * 2, *["---:"] * 6, "---"])]
    for each in comparison.compared:
        cells = [
            each.result.title,
            f"{each.metric.title} {each.metric.arrow}".strip(),
            *_numbers(each),
            p_value_text(each),
            _named(comparison, each),
        ]
        lines.append(table.line(cells))
    lines += ["", LEGEND, "", *(f"- {table.safe(note)}" for note in notes(comparison))]
    return "\n".join(lines) + "\n"


def _named(comparison: ReportComparison, each: MetricComparison) -> str:
    if each.second_is_better is None:
        return "different" if each.is_significant else "not significant"
    return names(comparison)[each.second_is_better]


def section(comparison: ReportComparison) -> Markup:
    """HTML section: table, chart of the shares for which higher is better, and notes."""
    first, second = names(comparison)
    columns = [
        *(tag("th", name) for name in ("task", "metric")),
        tag("th", "n", class_="number"),
        *(
            tag("th", tag("span", class_=f"key b{at}"), name, class_="number", scope="col")
            for at, name in enumerate((first, second))
        ),
        *(tag("th", name, class_="number") for name in ("difference", "95% CI", "p")),
        tag("th", "better", class_="verdict"),
    ]
    body = [
        row for task, of_task in _by_task(comparison) for row in _rows(comparison, task, of_task)
    ]
    shown = tag("table", tag("thead", tag("tr", columns)), tag("tbody", body), class_="scores")
    return tag(
        "section",
        tag("h2", TITLE),
        tag("p", summary(comparison)),
        tag("div", shown, class_="wide"),
        tag("p", LEGEND, class_="soft"),
        _chart(comparison, first, second),
        tag("ul", (tag("li", note) for note in notes(comparison)), class_="soft"),
    )


def _rows(
    comparison: ReportComparison, task: str, of_task: Sequence[MetricComparison]
) -> list[Markup]:
    rows = []
    for at, each in enumerate(of_task):
        head = [] if at else [tag("th", task, rowspan=str(len(of_task)), scope="rowgroup")]
        numbers = [
            tag("td", text, class_="number") for text in (*_numbers(each), p_value_text(each))
        ]
        verdict = tag("strong" if each.is_significant else "span", _named(comparison, each))
        soft = "verdict" if each.is_significant else "verdict soft"
        metric = tag(
            "td", each.metric.title, "\u00a0", tag("span", each.metric.arrow, class_="soft")
        )
        cells = (metric, numbers, tag("td", verdict, class_=soft))
        rows.append(tag("tr", head, *cells, class_=None if at else "begins"))
    return rows


def _chart(comparison: ReportComparison, first: str, second: str) -> Markup:
    gaps = [
        charts.Gap(
            f"{each.result.title}: {each.metric.title}",
            each.difference.value,
            each.difference.low,
            each.difference.high,
            None if each.second_is_better is None else int(each.second_is_better),
        )
        for each in comparison.compared
        if each.metric.unit == "percent" and each.metric.higher_is_better
    ]
    if not gaps:
        return Markup("")
    caption = (
        f"{second} minus {first}, in percentage points, with 95% confidence intervals. "
        "Gray: not significant."
    )
    drawn = join(
        charts.gaps(gaps, TITLE), charts.legend([f"{first} is better", f"{second} is better"])
    )
    return tag(
        "div", tag("figure", drawn, tag("figcaption", caption), class_="broad"), class_="figures"
    )
