"""Commands for folders whose new papers are imported by themselves."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from sciread_app.cli import views
from sciread_app.cli.command import DONE, FAILED, app, command
from sciread_app.console import Console
from sciread_app.domain.watched_folders import WatchedFolder
from sciread_app.language import format_moment, tr, trn
from sciread_app.services.ingest.watched_folders import ScanReport
from sciread_app.workspace import Workspace

GROUP = typer.Typer(
    help="Watch folders: import new papers, follow moved files, mark deleted ones.",
    no_args_is_help=True,
)
app.add_typer(GROUP, name="watch")
watch_command = partial(command, group=GROUP)

_SOON = 20.0  # seconds after which files that were still being written are looked at again

Folder = Annotated[Path, typer.Argument(help="Path or name from `sciread watch list`.")]


@partial(watch_command, create=True)
def add(
    workspace: Workspace,
    console: Console,
    folder: Annotated[Path, typer.Argument(help="Folder, such as ~/Downloads.")],
    subfolders: Annotated[
        bool, typer.Option("--subfolders/--no-subfolders", help="Include subfolders.")
    ] = True,
    collection: Annotated[
        str, typer.Option(help="Collection that receives the new papers, such as inbox.")
    ] = "",
) -> int:
    """Watch a folder, and import the papers in it.

    From then on, new papers come in by themselves while the window is open, or with `sciread watch
    run`. Run the command again to change the options of a folder.
    """
    added = workspace.watched_folders.add(folder, subfolders=subfolders, collection=collection)
    return _scan_and_print(workspace, console, [added])


@watch_command
def list_(workspace: Workspace, console: Console) -> int:
    """List the watched folders.

    Exit code 1 means that a folder was not found or could not be read completely.
    """
    folders = workspace.watched_folders.all()
    for one in folders:
        console.print(_listed(one))
    if not folders:
        console.print(tr("No folder is watched. Add one: sciread watch add FOLDER"))
    console.print_json({"folders": [_as_value(one) for one in folders]})
    return FAILED if any(one.problem for one in folders) else DONE


@watch_command
def remove(workspace: Workspace, console: Console, folder: Folder) -> None:
    """Stop watching a folder. Its papers and files stay."""
    watched = workspace.watched_folders
    found = watched.find(folder)
    watched.remove(found)
    console.print(Text(tr("No longer watched: {folder}", folder=found.path)))
    console.print_json({"removed": found.path})


@watch_command
def pause(workspace: Workspace, console: Console, folder: Folder) -> None:
    """Pause watching a folder."""
    _pause(workspace, console, folder, paused=True)


@watch_command
def resume(workspace: Workspace, console: Console, folder: Folder) -> None:
    """Resume watching a folder. The next scan finds what has changed meanwhile."""
    _pause(workspace, console, folder, paused=False)


@watch_command
def run(
    workspace: Workspace,
    console: Console,
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders to scan (default: all that are not paused)."),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Keep running, and import papers as they come.")
    ] = False,
) -> int:
    """Scan the watched folders once, or keep watching them until Ctrl+C.

    Use it while the window is closed, for instance from cron. Files that are still being written
    are left for the next scan. Exit code 1 means that a folder was not found, or that a file could
    not be read.
    """
    watched = workspace.watched_folders
    names = folders or []

    def selected() -> list[WatchedFolder]:
        if names:
            return [watched.find(name) for name in names]
        return [one for one in watched.all() if not one.paused]

    if follow:
        return _follow(workspace, console, selected)
    return _scan_and_print(workspace, console, selected())


def _pause(workspace: Workspace, console: Console, folder: Path, *, paused: bool) -> None:
    watched = workspace.watched_folders
    found = watched.find(folder)
    watched.pause(found, paused)
    if paused:
        console.print(Text(tr("Paused: {folder}", folder=found.path)))
    else:
        console.print(Text(tr("Resumed: {folder}", folder=found.path)))
    console.print_json({"folder": found.path, "paused": paused})


def _scan_and_print(
    workspace: Workspace, console: Console, folders: Sequence[WatchedFolder]
) -> int:
    reports = _scan(workspace, console, folders)
    for report in reports:
        console.print(_message(report))
    if not folders:
        console.print(tr("No folder is watched. Add one: sciread watch add FOLDER"))
    if any(report.new for report in reports):
        console.print(views.NEXT_ENCODE)
    console.print_json({"folders": [_report_as_value(report) for report in reports]})
    complete = all(not report.problem and not report.imported.failed for report in reports)
    return DONE if complete else FAILED


def _scan(
    workspace: Workspace, console: Console, folders: Sequence[WatchedFolder]
) -> list[ScanReport]:
    with console.progress(tr("Scanning folders")) as task:
        return [workspace.watched_folders.scan(folder, task) for folder in folders]


def _follow(workspace: Workspace, console: Console, chosen: Any) -> int:
    """Scan folders whenever they change. Ends by KeyboardInterrupt only."""
    from sciread_app.services.ingest.folder_events import POLL, RESCAN, SETTLE, FolderEvents

    changed: set[int] = set()
    awake = threading.Event()

    def note(folder: int) -> None:
        changed.add(folder)
        awake.set()

    events = FolderEvents(note)
    try:
        polled: set[int] = set()
        scanned: dict[int, float] = {}
        waiting: dict[int, float] = {}  # when to look again
        while True:
            now = time.monotonic()
            folders = chosen()
            due = [
                one
                for one in folders
                if one.id in changed
                or now >= waiting.get(one.id, now + 1)
                or now - scanned.get(one.id, -RESCAN) >= (POLL if one.id in polled else RESCAN)
            ]
            # Only of these: another may have changed since `due` was computed.
            changed.difference_update(one.id for one in due)
            # Events come from now on, so that nothing that happens during the scan is missed.
            polled = events.follow(folders)
            for report in _scan(workspace, console, due) if due else ():
                number = report.folder.id
                scanned[number] = time.monotonic()
                waiting.pop(number, None)
                if report.waiting:
                    waiting[number] = scanned[number] + _SOON
                if report.has_changes or report.problem != report.folder.problem:
                    console.print(_message(report))
                    console.print_json(_report_as_value(report))
                    sys.stdout.flush()  # a pipe would pass it on only with some later scan
            awake.wait(min(_SOON, POLL))
            if awake.is_set():
                awake.clear()
                time.sleep(SETTLE)
    finally:
        events.close()


def _listed(folder: WatchedFolder) -> RenderableType:
    files = trn("{n:,} file", "{n:,} files", folder.files)
    parts = [files]
    if folder.missing:
        parts.append(trn("{n:,} missing", "{n:,} missing", folder.missing))
    if not folder.subfolders:
        parts.append(tr("without subfolders"))
    if folder.collection:
        parts.append(tr("into {collection}", collection=folder.collection))
    if folder.paused:
        parts.append(tr("paused"))
    if folder.scanned:
        moment = format_moment(datetime.fromtimestamp(folder.scanned))
        parts.append(tr("scanned {moment}", moment=moment))
    lines = [Text(folder.path, style="bold"), Text("  " + " · ".join(parts), style="dim")]
    if folder.problem:
        lines.append(Text(f"  {folder.problem}", style="red"))
    return Group(*lines)


def _message(report: ScanReport) -> RenderableType:
    lines: list[RenderableType] = [Text(report.folder.path, style="bold")]
    if report.problem:
        lines.append(Text(report.problem, style="red"))
    imported = report.imported
    if imported.read or imported.unread:
        lines.append(views.import_report(imported))
    for old, new in report.moved:
        lines.append(Text(tr("Moved: {old} → {new}", old=old, new=new)))
    for path in report.missing:
        lines.append(Text(tr("Missing: {file}", file=path), style="yellow"))
    for path in report.returned:
        lines.append(Text(tr("Found again: {file}", file=path)))
    for path in report.waiting:
        lines.append(Text(tr("Still being written: {file}", file=path), style="dim"))
    if len(lines) == 1:
        lines.append(Text(tr("No changes"), style="dim"))
    return Group(*lines)


def _as_value(folder: WatchedFolder) -> dict[str, Any]:
    scanned = datetime.fromtimestamp(folder.scanned) if folder.scanned else None
    return {
        "folder": folder.path,
        "subfolders": folder.subfolders,
        "collection": folder.collection,
        "paused": folder.paused,
        "scanned": scanned.isoformat(timespec="seconds") if scanned else None,
        "problem": folder.problem,
        "files": folder.files,
        "missing": folder.missing,
    }


def _report_as_value(report: ScanReport) -> dict[str, Any]:
    return {
        "folder": report.folder.path,
        "problem": report.problem,
        **views.counts(report.imported),
        "papers": report.new,
        "moved": [{"from": old, "to": new} for old, new in report.moved],
        "missing": report.missing,
        "returned": report.returned,
        "waiting": report.waiting,
    }
