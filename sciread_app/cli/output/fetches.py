"""Output of fetches, as rich text and as JSON values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sciread_app.cli.output.papers import byline, skipped
from sciread_app.domain.fetch import Fetch, Fetched, FetchState, Preview
from sciread_app.domain.paper_updates import PaperUpdate, UpdateKind
from sciread_app.domain.text.tex import readable
from sciread_app.storage.library import Library

if TYPE_CHECKING:
    from sciread_app.services.ingest.citation_fetcher import CitationFetchReport

_SHOWN_NEWS = 10


def fetches(known: Sequence[Fetch]) -> RenderableType:
    if not known:
        return Text("Nothing was fetched yet; begin with `sciread fetch`.", style="yellow")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name, justify in (("", "right"), ("source", "left"), ("query", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for name in ("papers", "state", "last run"):
        table.add_column(name)
    for one in known:
        when = datetime.fromtimestamp(one.started).strftime("%Y-%m-%d %H:%M") if one.started else ""
        table.add_row(
            Text(str(one.id), style="cyan"),
            one.query.source,
            Text(f"{one.query.text} {_bounds(one)}".strip()),
            f"{one.papers:,}",
            Text(_state(one), style="" if one.state == FetchState.done else "yellow"),
            when,
        )
    return table


def _bounds(one: Fetch) -> str:
    parts = (("since", one.query.since), ("until", one.query.until), ("max", one.query.most))
    return " ".join(f"{name} {value}" for name, value in parts if value)


def _state(one: Fetch) -> str:
    if one.state == FetchState.done:
        return "done"
    if one.ledger is None:
        return "not begun"
    of = f" of {one.total:,}" if one.total else ""
    why = f": {one.message}" if one.message else ""
    return f"{one.state} at {one.read:,}{of}{why}"


def fetch_as_value(one: Fetch) -> dict[str, Any]:
    values = asdict(one)
    for name in ("cursor", "ledger"):
        del values[name]
    return values


def fetched(shown: Fetched, library: Library) -> RenderableType:
    one = shown.fetch
    counts = Text.assemble(
        (f"Fetch {one.id}: {one.read:,} read", "bold"),
        f" = {one.added:,} added + {one.merged:,} known + ",
        (f"{one.failed:,} failed", "red" if one.failed else ""),
    )
    lines: list[RenderableType] = [counts]
    for what, items in _by_kind(shown.news).items():
        if what != UpdateKind.added:
            lines.append(Text(f"\n{what}: {len(items)}", style="bold"))
            lines += _papers(items[:_SHOWN_NEWS], library)
            if len(items) > _SHOWN_NEWS:
                lines.append(Text(f"  ... and {len(items) - _SHOWN_NEWS} more", style="dim"))
    if shown.remark:
        lines.append(Text(shown.remark))
    return Group(*lines, *skipped("Failed", shown.skips))


def _by_kind(news: Iterable[PaperUpdate]) -> dict[UpdateKind, list[PaperUpdate]]:
    kinds: dict[UpdateKind, list[PaperUpdate]] = defaultdict(list)
    for one in news:
        kinds[one.what].append(one)
    return kinds


def _papers(news: Sequence[PaperUpdate], library: Library) -> list[RenderableType]:
    found = {paper.id: paper for paper in library.get([one.paper for one in news])}
    return [
        Text.assemble(
            (f"{one.paper:>7}  ", "cyan"),
            readable(found[one.paper].title),
            (f"  {one.detail}" if one.detail else "", "dim"),
        )
        for one in news
        if one.paper in found
    ]


def fetched_as_value(shown: Fetched) -> dict[str, Any]:
    return {
        "fetch": fetch_as_value(shown.fetch),
        "news": [one._asdict() for one in shown.news],
        "failures": [skip._asdict() for skip in shown.skips],
        "remark": shown.remark,
    }


def preview(shown: Preview) -> RenderableType:
    count = "An unknown number of" if shown.total < 0 else f"{shown.total:,}"
    lines: list[RenderableType] = [Text(f"{count} papers", style="bold")]
    for paper in shown.papers:
        about = " · ".join(filter(None, (byline(paper), paper.venue, str(paper.year or ""))))
        lines.append(Text.assemble("  ", readable(paper.title), (f"  {about}", "dim")))
    if shown.remark:
        lines.append(Text(shown.remark, style="yellow"))
    return Group(*lines)


def preview_as_value(shown: Preview) -> dict[str, Any]:
    papers = [
        {
            "title": paper.title,
            "year": paper.year,
            "identifiers": [f"{kind}:{value}" for kind, value in paper.identifiers],
        }
        for paper in shown.papers
    ]
    return {"total": shown.total, "remark": shown.remark, "papers": papers}


def citations(report: CitationFetchReport) -> RenderableType:
    found = f" = {report.references:,} references and {report.citations:,} citations"
    lines: list[RenderableType] = [
        Text.assemble((f"{report.asked:,} papers asked for", "bold"), found)
    ]
    if report.unknown:
        lines.append(Text(f"{report.unknown:,} of them are not known there", style="dim"))
    if report.unanswered:
        more = f"{report.unanswered:,} papers had no answer; the same command asks for them again"
        lines.append(Text(more, style="yellow"))
    lines += [Text(remark, style="dim") for remark in report.remarks]
    return Group(*lines, *skipped("Failed", report.failed))


def citations_as_value(report: CitationFetchReport) -> dict[str, Any]:
    return asdict(report) | {"failed": [skip._asdict() for skip in report.failed]}
