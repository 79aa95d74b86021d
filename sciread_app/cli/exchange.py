"""Commands for exchange with other programs: auto-exports and the import from Zotero."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from sciread_app.cli import views
from sciread_app.cli.command import DONE, FAILED, command
from sciread_app.console import Console
from sciread_app.domain.library_tree import AutoExport
from sciread_app.errors import LibraryError
from sciread_app.services.export.export import Format, format_of
from sciread_app.workspace import Workspace


@partial(command, create=True)
def keep(
    workspace: Workspace,
    console: Console,
    collection: Annotated[str | None, typer.Argument(help="The collection: thesis")] = None,
    file: Annotated[Path | None, typer.Argument(help="The file: thesis.bib")] = None,
    format: Annotated[Format | None, typer.Option("--format", "-f", help="Else as NAME.x.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Also if it is there.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Let the file be from now on.")] = False,
) -> int:
    """Keep a collection as a file beside the text you write, under keys that never change.

    Without a file, bring all such files up to date and list them; the window does so by itself.
    A file that somebody else has changed is left alone, and named.
    """
    with console.progress("Writing") as task:
        files = workspace.auto_exports
        if collection and stop:
            files.disable(collection)
        elif collection and file:
            chosen = format or format_of(file)
            files.enable(collection, file, chosen, task, may_replace=replace)
        else:
            files.write(task)
        known = [kept for kept in files.files() if collection in (None, kept.collection)]
    if collection and not known and not stop:
        raise LibraryError(
            f"No collection “{collection}” is kept as a file.",
            f"To keep it, name the file: sciread keep '{collection}' FILE",
        )
    return _list(console, known)


@partial(command, create=True)
def zotero(workspace: Workspace, console: Console) -> int:
    """Bring over what a Zotero on this computer holds: papers, PDFs, tags, collections, notes.

    Zotero must be running, and is only read. Again later, and what is new there comes too.
    """
    with console.progress("Asking Zotero") as task:
        report = workspace.zotero.import_all(task)
    console.print(views.ledger(report))
    console.print_json(views.counts(report))
    return FAILED if report.failed else DONE


def _list(console: Console, files: list[AutoExport]) -> int:
    for kept in files:
        console.print(f"{escape(kept.collection)}: {escape(kept.path)}")
        if kept.problem:
            console.print(f"  is behind: {escape(kept.problem)}")
    if not files:
        console.print("No collection is kept as a file.")
    console.print_json({"files": [asdict(kept) for kept in files]})
    return FAILED if any(kept.problem for kept in files) else DONE
