"""Commands that fetch papers and citations from online sources."""

from __future__ import annotations

from functools import partial
from getpass import getpass
from typing import Annotated

import typer

from sciread_app.cli.command import DONE, FAILED, verb
from sciread_app.cli.output import fetches as views
from sciread_app.console import Console
from sciread_app.domain.fetch import Fetched, SourceQuery
from sciread_app.errors import BadQuery, SciReadError
from sciread_app.workspace import Workspace

CITATIONS = "citations"
SERVICES = ("ncbi", "semantic_scholar")


@partial(verb, create=True)
def fetch(
    workspace: Workspace,
    console: Console,
    source: Annotated[
        str, typer.Argument(help="arxiv, arxiv-oai, pubmed, or citations of what you have.")
    ] = "",
    query: Annotated[list[str] | None, typer.Argument(help="In the source's own words.")] = None,
    since: Annotated[str, typer.Option(help="From this year, month or day on: 2024-06.")] = "",
    until: Annotated[str, typer.Option(help="Up to this year, month or day.")] = "",
    most: Annotated[int, typer.Option("--max", min=0, help="At most so many; 0: all.")] = 0,
    look: Annotated[bool, typer.Option("--look", help="Only say how many there are.")] = False,
    resume: Annotated[int | None, typer.Option("--resume", help="Go on with this fetch.")] = None,
) -> int:
    """Fetch all papers that a query finds at arXiv or PubMed.

    sciread fetch arxiv 'cat:cs.CL AND all:transformer' --since 2024 --max 5000

    Stopped, failed or killed, the same command goes on where it was; when it was done, it brings
    what is new. `sciread fetch citations` asks who cites whom among the papers you have.
    """
    if resume is not None:
        return _run(workspace, [resume], console)
    if source == CITATIONS:
        return _citations(workspace, console)
    if not source or not query:
        raise BadQuery(
            "Say where to fetch from, and what.", "For example: sciread fetch pubmed 'sepsis'"
        )
    asked = SourceQuery(source, " ".join(query), since, until, most)
    if look:
        return _look(workspace, asked, console)
    return _run(workspace, [workspace.fetcher.start(asked).id], console)


@verb
def fetches(
    workspace: Workspace,
    console: Console,
    forget: Annotated[
        int | None, typer.Option("--forget", help="Drop this one; its papers stay.")
    ] = None,
) -> None:
    """List all fetches: where they stand, and what they have brought."""
    if forget is not None:
        workspace.fetcher.forget(workspace.fetcher.get(forget).id)
    known = workspace.fetcher.all()
    console.print(views.fetches(known))
    console.print_json([views.fetch_as_value(one) for one in known])


@verb
def refresh(
    workspace: Workspace,
    console: Console,
    ids: Annotated[
        list[int] | None, typer.Argument(help="Numbers of `sciread fetches` (else all).")
    ] = None,
) -> int:
    """Bring what is new: new papers, new versions, what was published, corrected or retracted."""
    requested = ids or sorted(one.id for one in workspace.fetcher.all())
    if not requested:
        console.print("Nothing was fetched yet; begin with `sciread fetch`.")
    return _run(workspace, requested, console)


@verb
def key(
    console: Console,
    service: Annotated[str, typer.Argument(help=f"{' or '.join(SERVICES)}.")],
    remove: Annotated[bool, typer.Option("--remove", help="Forget the key.")] = False,
) -> None:
    """Keep a service's API key in the system's keyring; it is asked for, not typed here."""
    from sciread_app.sources import api_keys  # imports the network code, which takes 0.2 s

    if service not in SERVICES:
        raise BadQuery(f"There is no service {service}.", f"It is {' or '.join(SERVICES)}.")
    if remove:
        api_keys.drop_key(service)
    else:
        api_keys.set_key(service, getpass(f"API key for {service}: "))
    console.print("The key is forgotten." if remove else "The key is kept in the system's keyring.")
    console.print_json({"service": service, "kept": not remove})


def _look(workspace: Workspace, query: SourceQuery, console: Console) -> int:
    with console.progress("Asking") as task:
        preview = workspace.fetcher.preview(query, task)
    console.print(views.preview(preview))
    console.print_json(views.preview_as_value(preview))
    return DONE


def _run(workspace: Workspace, ids: list[int], console: Console) -> int:
    """Run fetches one after the other, and return the exit code.

    If one of several fails, a warning is printed and the others still run. Raises BadQuery, and
    SciReadError if the only one fails.
    """
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
                    error.message, f"{error.hint} Go on with: sciread fetch --resume {id}".strip()
                ) from error
            console.warn(f"Fetch {id}: {error} {error.hint}")
            failed.append({"id": id, "error": error.message, "hint": error.hint})
            continue
        done.append(fetched)
        console.print(views.fetched(fetched, workspace.library))
    if any(fetched.fetch.added for fetched in done):
        console.print("Found by words from now on; `sciread encode` makes them found by meaning.")
    values = [views.fetched_as_value(fetched) for fetched in done]
    console.print_json({"fetches": values, "failed": failed})
    return FAILED if failed or any(fetched.skips for fetched in done) else DONE


def _citations(workspace: Workspace, console: Console) -> int:
    with console.progress("Asking for citations") as task:
        report = workspace.citation_fetcher.fetch(task)
    console.print(views.citations(report))
    console.print_json(views.citations_as_value(report))
    return FAILED if report.failed else DONE
