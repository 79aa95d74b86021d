"""Commands that fetch papers and citations from online sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from getpass import getpass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from sciread_app.cli.command import DONE, FAILED, command
from sciread_app.cli.views import NEXT_ENCODE, skipped, subtitle
from sciread_app.console import Console
from sciread_app.domain.citations import MissingPaper
from sciread_app.domain.fetch import Fetch, Fetched, FetchState, Preview, SourceQuery
from sciread_app.domain.metadata.paper_updates import PaperUpdate, UpdateKind
from sciread_app.domain.paper import PaperId, Skipped
from sciread_app.domain.text.tex import readable
from sciread_app.errors import BadQuery, SciReadError
from sciread_app.language import tr, trn
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.storage.library import Library
from sciread_app.workspace import Workspace

if TYPE_CHECKING:
    from sciread_app.services.ingest.lookup.citation_fetcher import CitationFetchReport

_SHOWN_NEWS = 10

CITATIONS = "citations"
SERVICES = ("ncbi", "openalex", "semantic_scholar")


@partial(command, create=True)
def fetch(
    workspace: Workspace,
    console: Console,
    source: Annotated[
        str,
        typer.Argument(
            help="arxiv, arxiv-oai, pubmed, europepmc, crossref, openalex, or citations (of your "
            "papers)."
        ),
    ] = "",
    query: Annotated[
        list[str] | None, typer.Argument(help="Query, in the syntax of the source.")
    ] = None,
    since: Annotated[str, typer.Option(help="First year, month or day, such as 2024-06.")] = "",
    until: Annotated[str, typer.Option(help="Last year, month or day.")] = "",
    most: Annotated[
        int, typer.Option("--max", min=0, help="Maximum number of papers (0: no limit).")
    ] = 0,
    look: Annotated[
        bool,
        typer.Option(
            "--preview", "--look", help="Only show the number of papers and the first few."
        ),
    ] = False,
    resume: Annotated[
        int | None, typer.Option("--resume", help="Resume the query with this number.")
    ] = None,
) -> int:
    """Fetch all papers that match a query from arXiv, PubMed, Europe PMC, Crossref, or OpenAlex.

    sciread fetch arxiv 'cat:cs.CL AND all:transformer' --since 2024 --max 5000

    The user guide explains the query syntax of each source. A stopped or failed fetch resumes when
    you run the same command again. After a finished fetch, the same command fetches new papers.
    `sciread fetch citations` fetches the citations between the papers in your library.
    """
    if resume is not None:
        return _run(workspace, [resume], console)
    if source == CITATIONS:
        return _citations(workspace, console)
    if not source or not query:
        raise BadQuery(
            tr("A source and a query are required."),
            tr("For example: sciread fetch pubmed 'sepsis'"),
        )
    source_query = SourceQuery(source, " ".join(query), since, until, most)
    if look:
        return _look(workspace, source_query, console)
    return _run(workspace, [workspace.fetcher.start(source_query).id], console)


@command
def fetches(
    workspace: Workspace,
    console: Console,
    forget: Annotated[
        int | None,
        typer.Option("--forget", help="Remove the query with this number; its papers are kept."),
    ] = None,
) -> None:
    """List all queries, with their state and number of papers."""
    fetches = workspace.library.fetches
    if forget is not None:
        LibraryEditor(workspace.library).remove_query(forget)
    known = fetches.all()
    console.print(_table(known))
    console.print_json([_fetch_as_value(one) for one in known])


@command
def refresh(
    workspace: Workspace,
    console: Console,
    ids: Annotated[
        list[int] | None, typer.Argument(help="Numbers from `sciread fetches` (default: all).")
    ] = None,
) -> int:
    """Refresh queries: fetch new papers, versions, publications, corrections and retractions."""
    requested = ids or sorted(one.id for one in workspace.library.fetches.all())
    if not requested:
        console.print(tr("No queries yet. Run `sciread fetch` to add one."))
    return _run(workspace, requested, console)


@command
def missing(
    workspace: Workspace,
    console: Console,
    most: Annotated[int, typer.Option("--max", min=1, help="Maximum number of papers.")] = 12,
    add: Annotated[bool, typer.Option("--add", help="Add the papers to the library.")] = False,
) -> int:
    """List the papers that your papers cite most and that are not in your library.

    Run `sciread fetch citations` first.
    """
    with console.progress(tr("Looking up titles")) as task:
        found = workspace.missing.look_up_titles(task, most)
    if not found:
        console.print(tr("No paper outside the library is cited by two of your papers."))
        console.print(tr("To fetch the citations of your papers, run: sciread fetch citations"))
    for one in found:
        console.print(_missing(one))
    added: list[PaperId] = []
    failed: list[Skipped] = []
    if add and found:
        with console.progress(tr("Adding papers")) as task:
            added, failed = workspace.missing.add([one.name for one in found], task)
        count = trn("{n:,} paper added.", "{n:,} papers added.", len(added))
        console.print(Text(count, style="bold"))
        console.print(Group(*skipped(tr("Failed"), failed)))
        if added:
            console.print(NEXT_ENCODE)
    console.print_json(
        {
            "missing": [_missing_as_value(one) for one in found],
            "added": added,
            "failed": [one.fields() for one in failed],
        }
    )
    return FAILED if failed else DONE


@command
def key(
    console: Console,
    service: Annotated[str, typer.Argument(help=f"{', '.join(SERVICES)}.")],
    remove: Annotated[bool, typer.Option("--remove", help="Remove the key.")] = False,
) -> None:
    """Store the API key of a service in the system keyring. SciRead asks for the key."""
    from sciread_app.sources import api_keys  # imports the network code, which takes 0.2 s

    if service not in SERVICES:
        raise BadQuery(
            tr("Unknown service “{service}”.", service=service),
            tr("Services: {services}.", services=", ".join(SERVICES)),
        )
    if remove:
        api_keys.drop_key(service)
    else:
        api_keys.set_key(service, getpass(tr("API key for {service}: ", service=service)))
    console.print("API key removed." if remove else "API key stored in the system keyring.")
    console.print_json({"service": service, "kept": not remove})


def _look(workspace: Workspace, query: SourceQuery, console: Console) -> int:
    with console.progress("Fetching preview") as task:
        preview = workspace.fetcher.preview(query, task)
    console.print(_preview(preview))
    console.print_json(_preview_as_value(preview))
    return DONE


def _run(workspace: Workspace, ids: list[int], console: Console) -> int:
    """Run fetches one after the other, and return the exit code.

    If one of several fails, a warning is printed and the others still run. Raises BadQuery, and
    SciReadError if the only one fails.
    """
    if len(ids) == 1:
        workspace.library.fetches.get(ids[0])  # a number without a query cannot be resumed
    done: list[Fetched] = []
    failed = []
    for id in ids:
        try:
            with console.progress("Fetching") as task:
                fetched = workspace.fetcher.run(id, task)
        except BadQuery:
            raise
        except SciReadError as error:
            if len(ids) == 1:
                raise type(error)(
                    error.message,
                    tr(
                        "{hint} To resume, run: sciread fetch --resume {id}", hint=error.hint, id=id
                    ).strip(),
                ) from error
            console.warn(tr("Query {id}: {error} {hint}", id=id, error=error, hint=error.hint))
            failed.append({"id": id, "error": error.message, "hint": error.hint})
            continue
        done.append(fetched)
        console.print(_report(fetched, workspace.library))
    if any(fetched.fetch.added for fetched in done):
        console.print(NEXT_ENCODE)
    values = [_report_as_value(fetched) for fetched in done]
    console.print_json({"fetches": values, "failed": failed})
    return FAILED if failed or any(fetched.skips for fetched in done) else DONE


def _citations(workspace: Workspace, console: Console) -> int:
    with console.progress("Fetching citations") as task:
        report = workspace.citation_fetcher.fetch(task)
    console.print(_citations_report(report))
    console.print_json(asdict(report) | {"failed": [skip.fields() for skip in report.failed]})
    return FAILED if report.failed else DONE


def _missing(one: MissingPaper) -> RenderableType:
    name = f"{one.name.kind}:{one.name.value}"
    known = one.mention
    about = " · ".join(filter(None, (known.authors, known.venue, known.year))) if known else ""
    return Text.assemble(
        (f"{one.citing:>5}  ", "bold"),
        readable(known.title) if known else name,
        (f"  {about}  {name}" if known else "", "dim"),
    )


def _missing_as_value(one: MissingPaper) -> dict[str, Any]:
    known = one.mention._asdict() if one.mention else {}
    known.pop("name", None)
    return {"identifier": f"{one.name.kind}:{one.name.value}", "cited_by": one.citing} | known


def _table(known: Sequence[Fetch]) -> RenderableType:
    if not known:
        return Text(tr("No queries yet. Run `sciread fetch` to add one."), style="yellow")
    columns = (Column(justify="right"), "source", "query", "papers", "state", "last run")
    table = Table(*columns, box=None, padding=(0, 2, 0, 0))
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
        return tr("done")
    if one.last_import is None:
        return tr("not started")
    read = f"{one.read:,}"
    if one.total:
        read = tr("{done:,} of {total:,}", done=one.read, total=one.total)
    state = tr("{state} at {read}", state=one.state, read=read)
    return f"{state}: {one.message}" if one.message else state


def _fetch_as_value(one: Fetch) -> dict[str, Any]:
    values = asdict(one)
    for name in ("cursor", "last_import"):
        del values[name]
    return values


def _report(shown: Fetched, library: Library) -> RenderableType:
    one = shown.fetch
    counts = Text.assemble(
        (tr("Query {id}: {read:,} read", id=one.id, read=one.read), "bold"),
        " = ",
        tr("{added:,} added + {merged:,} merged", added=one.added, merged=one.merged),
        " + ",
        (tr("{failed:,} failed", failed=one.failed), "red" if one.failed else ""),
    )
    lines: list[RenderableType] = [counts]
    for what, items in _by_kind(shown.news).items():
        if what != UpdateKind.added:
            lines.append(Text(f"\n{what}: {len(items)}", style="bold"))
            lines += _papers(items[:_SHOWN_NEWS], library)
            if len(items) > _SHOWN_NEWS:
                lines.append(
                    Text("  " + tr("... and {n:,} more", n=len(items) - _SHOWN_NEWS), style="dim")
                )
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


def _report_as_value(shown: Fetched) -> dict[str, Any]:
    return {
        "fetch": _fetch_as_value(shown.fetch),
        "news": [one._asdict() for one in shown.news],
        "failures": [skip.fields() for skip in shown.skips],
        "remark": shown.remark,
    }


def _preview(shown: Preview) -> RenderableType:
    count = (
        "Unknown number of papers"
        if shown.total < 0
        else trn("{n:,} paper", "{n:,} papers", shown.total)
    )
    lines: list[RenderableType] = [Text(count, style="bold")]
    for paper in shown.papers:
        lines.append(Text.assemble("  ", readable(paper.title), (f"  {subtitle(paper)}", "dim")))
    if shown.remark:
        lines.append(Text(shown.remark, style="yellow"))
    return Group(*lines)


def _preview_as_value(shown: Preview) -> dict[str, Any]:
    papers = [
        {
            "title": paper.title,
            "year": paper.year,
            "identifiers": [f"{kind}:{value}" for kind, value in paper.identifiers],
        }
        for paper in shown.papers
    ]
    return {"total": shown.total, "remark": shown.remark, "papers": papers}


def _citations_report(report: CitationFetchReport) -> RenderableType:
    references = trn("{n:,} reference", "{n:,} references", report.references)
    citations = trn("{n:,} citation", "{n:,} citations", report.citations)
    lines: list[RenderableType] = [
        Text.assemble(
            (
                tr(
                    "{papers} looked up",
                    papers=trn("{n:,} paper", "{n:,} papers", report.looked_up),
                ),
                "bold",
            ),
            f": {references}, {citations}",
        )
    ]
    if report.unknown:
        unknown = tr(
            "{papers} not found at the source",
            papers=trn("{n:,} paper", "{n:,} papers", report.unknown),
        )
        lines.append(Text(unknown, style="dim"))
    if report.unanswered:
        more = tr(
            "{papers} without a response. Run the same command again to retry.",
            papers=trn("{n:,} paper", "{n:,} papers", report.unanswered),
        )
        lines.append(Text(more, style="yellow"))
    lines += [Text(remark, style="dim") for remark in report.remarks]
    return Group(*lines, *skipped("Failed", report.failed))
