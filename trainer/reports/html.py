"""Self-contained HTML page of reports, without network access or scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Literal

from trainer.contract.evaluations import EvaluationSpec, Metric, evaluation_spec
from trainer.contract.plots import Confusion, Distributions, Picture, ScatterPlot, ThresholdCurves
from trainer.contract.report import Report, Result
from trainer.reports import charts, comparison_text, table
from trainer.reports.compare import ReportComparison
from trainer.reports.markup import Markup, join, tag
from trainer.reports.style import STYLE
from trainer.reports.table import ReportCell, ReportRow

# Forbids the page to load or run anything, whatever a title contains.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True)
class RenderedReport:
    """A report with its plots by task and name."""

    report: Report
    pictures: Mapping[str, Mapping[str, Picture]] = field(default_factory=dict)


def page(shown: Sequence[RenderedReport], comparison: ReportComparison | None = None) -> str:
    """Render reports, one column each, and `comparison`, if given."""
    reports = [one.report for one in shown]
    names = table.names(reports)
    rows = table.rows(reports)
    title = names[0] if len(names) == 1 else f"{len(names)} models"
    suites = ", ".join(dict.fromkeys(report.suite for report in reports))
    body = join(
        tag("header", tag("p", "Evaluation", class_="kind"), tag("h1", title)),
        tag("p", f"Benchmark suite: {suites}. {_made(reports)}", class_="soft"),
        comparison_text.section(comparison) if comparison else "",
        _scores(names, reports, rows),
        _bars(names, rows),
        _pictures(names, shown),
        _what(reports),
        _left_out(reports),
        _subjects(names, reports),
        _provenance(names, reports),
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{title}: {suites}"),
        tag("style", STYLE),
    )
    return "<!doctype html>\n" + tag("html", head, tag("body", tag("main", body)), lang="en") + "\n"


def _made(reports: Sequence[Report]) -> str:
    days = sorted({report.created[:10] for report in reports})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    machines = ", ".join(dict.fromkeys(report.machine for report in reports if report.machine))
    return f"Evaluated {when}" + (f" on {machines}." if machines else ".")


def _subjects(names: Sequence[str], reports: Sequence[Report]) -> Markup:
    """Facts about the models, one column each; a row for each fact known of any model."""
    facts = [_facts(report) for report in reports]
    known = list(dict.fromkeys(name for fact in facts for name in fact))
    body = [
        tag("tr", tag("th", name), (tag("td", fact.get(name, "")) for fact in facts))
        for name in known
    ]
    head = tag("tr", tag("th"), (_named(at, name, "text") for at, name in enumerate(names)))
    return _section(
        "Models",
        _wide(tag("table", tag("thead", head), tag("tbody", body), class_="facts")),
    )


def _facts(report: Report) -> dict[str, str]:
    subject = report.subject
    facts = {
        "kind": subject.kind,
        "source": table.given_as(subject),
        "method": subject.method,
        "base": subject.base,
        "dimensions": f"{subject.dim:,}" if subject.dim else "",
        "space": subject.space,
        **{_fact_name(name): _fact(value) for name, value in subject.about.items()},
    }
    return {name: value for name, value in facts.items() if value}


def _fact_name(name: str) -> str:
    """Display name of a property in a report, whose keys keep the British spelling."""
    return name.replace("_", " ").replace("licence", "license")


def _fact(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: ""}[value]
    if isinstance(value, Mapping):  # of files, to their hashes
        return ", ".join(
            f"{name} {str(of).removeprefix('sha256:')[:12]}" for name, of in value.items()
        )
    return f"{value:,}" if isinstance(value, int) else str(value)


def _scores(names: Sequence[str], reports: Sequence[Report], rows: Sequence[ReportRow]) -> Markup:
    head = tag(
        "tr",
        (tag("th", name) for name in ("task", "metric")),
        tag("th", "n", class_="number"),
        (_named(at, name) for at, name in enumerate(names)),
    )
    body = []
    for _, group in groupby(rows, key=lambda row: row.task):
        of_task = list(group)
        for at, row in enumerate(of_task):
            first = [] if at else [tag("th", row.task, rowspan=str(len(of_task)), scope="rowgroup")]
            cells = (_cell(cell, row) for cell in row.cells)
            arrow = tag("span", row.metric.arrow, class_="soft")
            body.append(
                tag(
                    "tr",
                    first,
                    tag("td", row.metric.title, "\u00a0", arrow, title=_tip(row.metric)),
                    tag("td", row.n, class_="number soft"),
                    cells,
                    class_=None if at else "begins",
                )
            )
    note = (
        "↑ higher is better, ↓ lower is better. Proportions are in percent. Small numbers: "
        "95% confidence intervals (bootstrap over items); ±: standard deviation over seeds."
        + (
            " Bold: best value in the row; the difference may not be significant."
            if names[1:]
            else ""
        )
    )
    scores = tag("table", tag("thead", head), tag("tbody", body), class_="scores")
    return _section("Scores", _wide(scores), tag("p", note, class_="soft"), _sources(reports))


def _tip(metric: Metric) -> str | None:
    """Tooltip of a metric: explanation and better direction."""
    better = {True: "Higher is better.", False: "Lower is better.", None: ""}
    return " ".join(filter(None, (metric.about, better[metric.higher_is_better]))) or None


def _cell(cell: ReportCell | None, row: ReportRow) -> Markup:
    if cell is None:
        return tag("td", "–", class_="number soft")
    parts = [tag("strong" if cell.best else "span", cell.text)]
    for detail in filter(None, (table.interval_text(cell.score, row.metric), row.own_n(cell))):
        parts.append(tag("small", detail))
    for number in cell.papers[:1]:
        detail = f"paper: {table.paper_text(number, row.metric)}"
        parts.append(tag("small", detail, title=number.where, class_="paper-number"))
    return tag("td", parts, class_="number")


def _sources(reports: Sequence[Report]) -> Markup:
    sources = table.used_sources(reports)
    if not sources:
        return Markup("")
    return tag(
        "details",
        tag("summary", "Sources of the papers' scores"),
        tag("p", table.LEGEND),
        tag("ul", (tag("li", source) for source in sources)),
    )


def _bars(names: Sequence[str], rows: Sequence[ReportRow]) -> Markup:
    """A bar chart per evaluation, of percentages for which higher is better."""
    shares = [row for row in rows if row.metric.unit == "percent" and row.metric.higher_is_better]
    drawn = []
    for key in dict.fromkeys(row.result.evaluation for row in shares):
        title = evaluation_spec(key).title
        found = [row for row in shares if row.result.evaluation == key]
        drawn.append(_figure(charts.bars(_groups(names, found), title), title))
    if not drawn:
        return Markup("")
    key_of_models = charts.legend(names) if len(names) > 1 else Markup("")
    note = "Lines: 95% confidence intervals."
    if any('class="paper"' in figure for figure in drawn):
        note += (
            " Diamonds: scores reported in the paper for this model or its method, on the "
            "same data."
        )
    return _section(
        "Overview",
        key_of_models,
        tag("div", drawn, class_="glance"),
        tag("p", note, class_="soft"),
    )


def _groups(names: Sequence[str], rows: Sequence[ReportRow]) -> list[tuple[str, list[charts.Bar]]]:
    """A group of bars per row; for a single model per task, with bars named by metric."""
    if len(names) > 1:
        return [(f"{row.task}: {row.metric.title}", _bars_of(names, row)) for row in rows]
    return [
        (task, [bar for row in group for bar in _bars_of([row.metric.title], row)])
        for task, group in groupby(rows, key=lambda row: row.task)
    ]


def _bars_of(names: Sequence[str], row: ReportRow) -> list[charts.Bar]:
    return [
        charts.Bar(
            name,
            at,
            cell.score.value,
            cell.score.low,
            cell.score.high,
            next((number.value for number in cell.papers[:1] if number.same_data), None),
        )
        for at, (name, cell) in enumerate(zip(names, row.cells, strict=True))
        if cell
    ]


def _pictures(names: Sequence[str], shown: Sequence[RenderedReport]) -> Markup:
    """Plots by task: curves of all models in one chart, other plots side by side per model."""
    drawn = []
    for task in _tasks(shown):
        figures = [[*_curves(names, shown, task)], *_others(names, shown, task)]
        if len(names) == 1:
            figures = [[*chain(*figures)]]
        if any(figures):
            drawn.append(tag("h3", task.title))
            drawn += [tag("div", alike, class_="figures") for alike in figures if alike]
    return _section("Plots", drawn) if drawn else Markup("")


def _tasks(shown: Sequence[RenderedReport]) -> list[Result]:
    """The first result of each distinct task and data."""
    found: list[Result] = []
    for one in shown:
        for result in one.report.results:
            if not any(result.task == k.task and not result.incomparable_reason(k) for k in found):
                found.append(result)
    return found


def _of_task(
    shown: Sequence[RenderedReport], task: Result
) -> Iterator[tuple[int, Mapping[str, Picture]]]:
    """Plots of each report with a comparable result of the task, with the report's index."""
    for at, one in enumerate(shown):
        result = one.report.result(task.task)
        if result and not result.incomparable_reason(task):
            yield at, one.pictures.get(task.task, {})


def _curves(
    names: Sequence[str], shown: Sequence[RenderedReport], task: Result
) -> Iterator[Markup]:
    found: dict[str, list[tuple[str, int, ThresholdCurves]]] = {}
    for at, pictures in _of_task(shown, task):
        for name, picture in pictures.items():
            if isinstance(picture, ThresholdCurves):
                found.setdefault(name, []).append((names[at], at, picture))
    for lines in found.values():
        key = charts.legend(names) if len(names) > 1 else Markup("")
        both = tag("div", charts.roc(lines), charts.precision_recall(lines), class_="pair")
        yield _figure(join(both, key), f"{lines[0][2].title}. Dashed: chance level.")


def _others(
    names: Sequence[str], shown: Sequence[RenderedReport], task: Result
) -> Iterator[list[Markup]]:
    """Groups of the same plot for all models, side by side."""
    found: dict[str, list[Markup]] = {}
    for at, pictures in _of_task(shown, task):
        of = f", {names[at]}" if len(names) > 1 else ""
        for name, picture in pictures.items():
            if not isinstance(picture, ThresholdCurves):
                found.setdefault(name, []).append(_drawn(picture, of))
    yield from found.values()


def _drawn(picture: Confusion | Distributions | ScatterPlot, of: str) -> Markup:
    match picture:
        case Confusion():
            caption = f"{picture.title}{of}: percentages of each row."
            return _figure(charts.confusion(picture), caption)
        case Distributions():
            key = charts.legend(list(picture.series))
            return _figure(join(charts.distributions(picture), key), picture.title + of)
        case ScatterPlot():
            key = charts.legend(picture.labels, marks=True)
            caption = f"{picture.title}{of} ({picture.way}, {len(picture.x):,} papers)"
            return _figure(join(charts.places(picture), key), caption)


def _what(reports: Sequence[Report]) -> Markup:
    keys = dict.fromkeys(result.evaluation for report in reports for result in report.results)
    specs = [evaluation_spec(key) for key in keys]
    return _section(
        "Evaluations",
        tag("dl", (join(tag("dt", spec.title), tag("dd", _description(spec))) for spec in specs)),
    )


def _description(spec: EvaluationSpec) -> Markup:
    """Summary of an evaluation and explanations of its metrics."""
    explained = [metric for metric in spec.metrics if metric.about]
    items = (tag("li", tag("b", metric.title), ": ", metric.about) for metric in explained)
    return join(spec.summary, tag("ul", items) if explained else "")


def _left_out(reports: Sequence[Report]) -> Markup:
    lines = [*table.left_out(reports)]
    if not lines:
        lines = ["None: all papers and queries of all tasks are included."]
    return _section("Excluded data", tag("ul", (tag("li", line) for line in lines)))


def _provenance(names: Sequence[str], reports: Sequence[Report]) -> Markup:
    columns = ("model", "task", "evaluation", "split", "data (SHA-256)", "seed", "seconds")
    head = tag("tr", (tag("th", name) for name in columns))
    body = []
    for name, report in zip(names, reports, strict=True):
        for result in report.results:
            cells = (
                name,
                result.title,
                f"{result.evaluation}, version {result.protocol}",
                result.split,
                result.sha256[:16],
                str(result.seed),
                f"{result.seconds:,.1f}",
            )
            body.append(tag("tr", (tag("td", text) for text in cells)))
    lines = tag("ul", (tag("li", line) for line in table.provenance(reports)))
    found = tag("table", tag("thead", head), tag("tbody", body), class_="plain")
    return _section(
        "Reproducibility",
        tag("details", tag("summary", "Data, splits, seeds and run times"), lines, _wide(found)),
    )


def _named(series: int, name: str, of: Literal["number", "text"] = "number") -> Markup:
    """Header cell of a model's column, aligned like its values."""
    key = tag("span", class_=f"key b{series % charts.COLOURS}")
    return tag("th", key, name, class_=of, scope="col")


def _section(title: str, *children: str | Sequence[str]) -> Markup:
    return tag("section", tag("h2", title), *children)


def _figure(chart: Markup, caption: str) -> Markup:
    return tag("figure", chart, tag("figcaption", caption))


def _wide(found: Markup) -> Markup:
    """Container that scrolls content wider than the page."""
    return tag("div", found, class_="wide")
