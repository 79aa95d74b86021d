"""Commands that back up and restore the library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from sciread_app.cli.command import Home, command
from sciread_app.console import Console
from sciread_app.language import tr, trn
from sciread_app.paths import open_home
from sciread_app.services.maintenance import backup_file as packing
from sciread_app.workspace import Workspace, backups_of


@command
def backup(
    workspace: Workspace,
    console: Console,
    file: Annotated[
        Path | None, typer.Argument(help="Zip file to write (default: a new backup).")
    ] = None,
) -> None:
    """Back up the library to a zip file. PDF files are not included."""
    target = file or packing.default_name(workspace.home)
    target.parent.mkdir(parents=True, exist_ok=True)
    packing.backup(workspace.library, workspace.home, target)
    console.print(tr("Backup written to {target}", target=escape(str(target))))
    console.print_json({"file": str(target), "bytes": target.stat().st_size})


@command
def backups(console: Console, home: Home = None) -> None:
    """List the backups of the library.

    The window makes a backup once a day and keeps the last seven, and the last backup of each month
    for a year.
    """
    copies = backups_of(home)[1].all()
    for copy in copies:
        papers = "" if copy.papers is None else trn("{n:,} paper", "{n:,} papers", copy.papers)
        console.print(f"{escape(copy.name):<38} {papers:>16}  {copy.kind_name}")
    if not copies:
        console.print(tr("No backups yet. Run `sciread backup` to make one."))
    console.print_json(
        [
            {
                "name": copy.name,
                "file": str(copy.path),
                "kind": copy.kind.value,
                "made": copy.created.isoformat(timespec="seconds"),
                "papers": copy.papers,
                "bytes": copy.bytes,
            }
            for copy in copies
        ]
    )


@command
def restore(
    console: Console,
    name: Annotated[str, typer.Argument(help="Date or name from `sciread backups`, or a file.")],
    home: Home = None,
) -> None:
    """Replace the library with a backup. The current library is kept next to it.

    Close the SciRead window first.
    """
    where, copies = backups_of(home)
    chosen = copies.find(name)
    kept = packing.restore(open_home(where.folder), chosen)
    console.print(tr("Restored the backup {chosen}", chosen=escape(str(chosen))))
    if kept:
        console.print(tr("The previous library was moved to {kept}", kept=escape(str(kept))))
    console.print_json({"restored": str(chosen), "kept": str(kept) if kept else None})
