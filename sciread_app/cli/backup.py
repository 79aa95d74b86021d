"""Commands that back up the library, and restore a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from sciread_app.cli.command import Home, command
from sciread_app.console import Console
from sciread_app.paths import open_home
from sciread_app.services.maintenance import backup_file as packing
from sciread_app.workspace import Workspace, backups_of


@command
def backup(
    workspace: Workspace,
    console: Console,
    file: Annotated[Path | None, typer.Argument(help="A .zip (else one in the home).")] = None,
) -> None:
    """Write the library to one file that can be put away. PDFs are not in it."""
    target = file or packing.default_name(workspace.home)
    target.parent.mkdir(parents=True, exist_ok=True)
    packing.backup(workspace.library, workspace.home, target)
    console.print(f"Backup written to {escape(str(target))}")
    console.print_json({"file": str(target), "bytes": target.stat().st_size})


@command
def backups(console: Console, home: Home = None) -> None:
    """List the copies of the library that can be restored.

    The window makes one a day; the last seven are kept, and the last of each month for a year.
    """
    copies = backups_of(home)[1].all()
    for copy in copies:
        papers = "" if copy.papers is None else f"{copy.papers:,} papers"
        console.print(f"{escape(copy.name):<38} {papers:>16}  {copy.kind_name}")
    if not copies:
        console.print("There is no backup yet. `sciread backup` makes one.")
    console.print_json(
        [
            {
                "name": copy.name,
                "file": str(copy.path),
                "kind": copy.kind.value,
                "made": copy.made.isoformat(timespec="seconds"),
                "papers": copy.papers,
                "bytes": copy.bytes,
            }
            for copy in copies
        ]
    )


@command
def restore(
    console: Console,
    name: Annotated[str, typer.Argument(help="A day or a name that `backups` lists, or a file.")],
    home: Home = None,
) -> None:
    """Put a backup in the library's place. The library that is there now is kept beside it.

    Close SciRead's window first.
    """
    where, copies = backups_of(home)
    chosen = copies.find(name)
    kept = packing.restore(open_home(where.folder), chosen)
    console.print("The backup is in place." + (f" The library before: {kept}" if kept else ""))
    console.print_json({"restored": str(chosen), "kept": str(kept) if kept else None})
