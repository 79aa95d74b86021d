"""Commands for exchange with other programs: citations, auto-exports, the import from Zotero."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from sciread_app.cli import views
from sciread_app.cli.command import DONE, FAILED, command
from sciread_app.cli.library import Names, resolve
from sciread_app.console import Console
from sciread_app.domain.library_tree import AutoExport
from sciread_app.errors import BadQuery, LibraryError, StyleRefused
from sciread_app.language import format_moment, tr
from sciread_app.services.export.citation_styles import CitationStyles
from sciread_app.services.export.citations import cite as cite_papers
from sciread_app.services.export.citations import plain
from sciread_app.services.export.export import Format, format_of
from sciread_app.workspace import Workspace

if TYPE_CHECKING:
    from sciread_app.services.ingest.zotero.folders import ZoteroFolder


@command
def cite(
    workspace: Workspace,
    console: Console,
    papers: Names,
    style: Annotated[
        str,
        typer.Option(
            "--style",
            "-s",
            metavar="STYLE",
            help="Citation style: apa, ieee, nature, vancouver, chicago, a style added with "
            "`sciread styles --add`, or a .csl file. By default the style selected in Settings, "
            "or apa.",
        ),
    ] = "",
    in_text: Annotated[
        bool, typer.Option("--in-text", help="Print the in-text citation, not the reference list.")
    ] = False,
    html: Annotated[bool, typer.Option("--html", help="Print HTML, with italics.")] = False,
) -> None:
    """Cite papers in a journal style: as a reference list, or as an in-text citation."""
    styles = CitationStyles(workspace.home.styles)
    style = style or styles.default(workspace.settings.citation_style)
    loaded = styles.load(style)
    cited = cite_papers(
        workspace.library.get(resolve(workspace, papers)),
        loaded,
        references=console.as_json or not in_text,
        in_text=console.as_json or in_text,
    )
    if not loaded.has_bibliography and not in_text and not console.as_json:
        raise StyleRefused(
            tr("The style {style} has no reference list.", style=loaded.title),
            tr("Use --in-text."),
        )
    if not console.as_json:
        for line in [cited.in_text] if in_text else cited.references:
            typer.echo(line if html else plain(line))  # unlike console.print, not wrapped
    console.print_json(
        {
            "style": style,
            "references": [{"text": plain(r), "html": r} for r in cited.references],
            "in_text": {"text": plain(cited.in_text), "html": cited.in_text},
        }
    )


@command
def styles_(
    workspace: Workspace,
    console: Console,
    add: Annotated[
        Path | None, typer.Option("--add", metavar="FILE", help="Add the style from a .csl file.")
    ] = None,
    remove: Annotated[
        str | None, typer.Option("--remove", metavar="STYLE", help="Remove an added style.")
    ] = None,
) -> None:
    """List citation styles, add a style from a .csl file, or remove an added style.

    You can download styles for over 10,000 journals from https://www.zotero.org/styles.
    """
    known = CitationStyles(workspace.home.styles)
    changed = known.add(add) if add else known.remove(remove) if remove else None
    listed = [changed] if changed else known.all()
    for style in listed:
        console.print(f"{style.key}  {style.title}")
    console.print_json({"styles": [{"style": style.key, "title": style.title} for style in listed]})


_NO_FOLDER = tr("No data folder of Zotero was found. Select one with --folder.")


@partial(command, create=True)
def keep(
    workspace: Workspace,
    console: Console,
    collection: Annotated[str | None, typer.Argument(help="Collection, such as thesis.")] = None,
    file: Annotated[Path | None, typer.Argument(help="File to write, such as thesis.bib.")] = None,
    format: Annotated[
        Format | None, typer.Option("--format", "-f", help="Default: by the extension of FILE.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an existing file.")] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="Stop the automatic export of the collection.")
    ] = False,
) -> int:
    """Export a collection automatically: keep a bibliography file in sync with the collection.

    Citation keys never change. Without FILE, the files of all automatic exports are updated and
    listed; the window updates them whenever a collection changes. A file that another program has
    changed is reported and not overwritten.
    """
    with console.progress("Updating files") as task:
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
            tr(
                "The collection “{collection}” is not exported automatically.",
                collection=collection,
            ),
            tr(
                "To export it automatically, run: sciread keep '{collection}' FILE",
                collection=collection,
            ),
        )
    return _list(console, known)


@partial(command, create=True)
def zotero(
    workspace: Workspace,
    console: Console,
    folder: Annotated[
        Path | None,
        typer.Option(help="Data folder of Zotero, which contains the file zotero.sqlite."),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the data folders of all profiles.")
    ] = False,
    groups: Annotated[
        bool, typer.Option("--groups/--no-groups", help="Import group libraries.")
    ] = True,
    running: Annotated[
        bool, typer.Option("--running", help="Ask a running Zotero instead of reading its files.")
    ] = False,
) -> int:
    """Import papers, PDFs, tags, collections, notes and annotations from Zotero on this computer.

    Zotero may be open or closed; its library is only read, and items in its trash are left out. Run
    the command again to import new items. If Zotero has several data folders, select one with
    --folder.
    """
    from sciread_app.services.ingest.zotero.folders import folder_at

    folders = workspace.zotero_folders()
    if list_:
        return _list_zotero(console, folders or [])
    chosen = folder_at(folder, folders or []) if folder else None
    if not chosen and not running and folders:
        if len(folders) > 1:
            raise BadQuery(
                tr("Zotero has several data folders on this computer."),
                tr("Select one with --folder; `sciread zotero --list` lists them."),
            )
        chosen = folders[0]
    if folders == [] and not chosen and not running:
        console.print(_NO_FOLDER)
    with console.progress(tr("Importing from Zotero")) as task:
        if chosen:
            report = workspace.zotero.import_folder(chosen, task, groups=groups)
        else:
            report = workspace.zotero.import_all(task)
    console.print(views.import_report(report))
    console.print_json(views.counts(report))
    return FAILED if report.failed else DONE


def _list_zotero(console: Console, folders: list[ZoteroFolder]) -> int:
    for one in folders:
        profile = tr("  profile {name}", name=one.profile) if one.profile else ""
        changed = format_moment(datetime.fromtimestamp(one.modified))
        console.print(f"{escape(str(one.path))}{escape(profile)}  {changed}")
    if not folders:
        console.print(_NO_FOLDER)
    console.print_json(
        {
            "folders": [
                {
                    "folder": str(one.path),
                    "profile": one.profile,
                    "modified": datetime.fromtimestamp(one.modified).isoformat(timespec="seconds"),
                }
                for one in folders
            ]
        }
    )
    return DONE


def _list(console: Console, files: list[AutoExport]) -> int:
    for kept in files:
        console.print(f"{escape(kept.collection)}: {escape(kept.path)}")
        if kept.problem:
            console.print(tr("  out of date: {problem}", problem=escape(kept.problem)))
    if not files:
        console.print(tr("No collection is exported automatically."))
    console.print_json({"files": [asdict(kept) for kept in files]})
    return FAILED if any(kept.problem for kept in files) else DONE
