"""The command that adds papers, from files or by identifier."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from sciread_app.cli import views
from sciread_app.cli.command import DONE, FAILED, command
from sciread_app.console import Console
from sciread_app.domain.paper import Paper
from sciread_app.domain.text.tex import readable
from sciread_app.errors import BadQuery
from sciread_app.formats.files.encoding import open_text
from sciread_app.formats.files.streams import decoded
from sciread_app.language import tr
from sciread_app.settings import PdfImport
from sciread_app.workspace import Workspace

if TYPE_CHECKING:
    from sciread_app.services.ingest.lookup.identifier_import import Entry

_LONGEST_VALUE = 70  # characters shown of a value


@partial(command, create=True)
def add(
    workspace: Workspace,
    console: Console,
    items: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files (.bib, .ris, .enw, .csv, .xml, .pdf, …), folders, DOIs, arXiv IDs, "
            "PMIDs, PMCIDs, ISBNs, web addresses or titles; - reads these from standard input."
        ),
    ] = None,
    listed: Annotated[
        Path | None,
        typer.Option(
            "--list",
            exists=True,
            dir_okay=False,
            help="Text file with an identifier, an address or a title in each line.",
        ),
    ] = None,
    pdfs: Annotated[
        PdfImport | None,
        typer.Option(help="Leave PDFs where they are, or copy or move them to the PDF folder."),
    ] = None,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Keep watching the folders: see `sciread watch`."),
    ] = False,
    filter: Annotated[
        str,
        typer.Option(
            metavar="WORDS",
            help="List only failures, warnings, and skipped files that contain these words.",
        ),
    ] = "",
) -> int:
    """Add papers from files and folders, or by identifier, address or title.

    Papers that are already in the library are recognized. Files that were not read are listed with
    the reason. PDF files stay where they are, unless --pdfs or Settings in the window say
    otherwise. Identifiers and titles are looked up at Crossref, DataCite, OpenAlex, arXiv, PubMed
    and Open Library; of web addresses without an identifier, the page is read. Exit code 1 means
    that some entries failed, were not found, or name several papers; each is listed with the
    reason.
    """
    paths, texts = _separated(items or [], listed)
    if not paths and not texts:
        hint = tr("Specify files, folders, identifiers or titles.")
        raise BadQuery(tr("Nothing to add."), hint)
    values: dict[str, Any] = {}
    complete = True
    if paths:
        if pdfs not in (None, PdfImport.leave):
            workspace.pdf_folder.existing()
        with console.progress("Importing") as task:
            report = workspace.new_importer(pdfs or "").add(paths, task)
        for path in paths:
            if watch and path.is_dir():
                workspace.watched_folders.add(path)
        console.print(views.import_report(report, filter))
        if any(not path.suffix and not path.exists() for path in paths):
            console.warn(tr("To look up a title, enter at least three words of it."))
        values = {"files": report.files} | views.counts(report, filter)
        complete = not report.failed
    if texts:
        entries, found = _find_and_add(workspace, console, texts)
        values["entries"] = entries
        complete = complete and found
    if values.get("added") or any(one["state"] == "added" for one in values.get("entries", [])):
        console.print(views.NEXT_ENCODE)
    console.print_json(values)
    return DONE if complete else FAILED


def short(text: str) -> str:
    line = "; ".join(text.splitlines())
    return line if len(line) <= _LONGEST_VALUE else f"{line[: _LONGEST_VALUE - 1]}…"


def record_as_value(record: Paper) -> dict[str, Any]:
    return {
        "title": record.title,
        "authors": [author.name for author in record.authors],
        "year": record.year,
        "venue": record.venue,
        "identifiers": [f"{kind}:{value}" for kind, value in record.identifiers],
        "source": record.source,
    }


def _separated(items: list[str], listed: Path | None) -> tuple[list[Path], list[str]]:
    """The files and folders, and the identifiers, addresses and titles, among arguments. Raises
    BadQuery for an empty one, which would be the path of the current folder."""
    if not all(item.strip() for item in items):
        hint = tr("Specify files, folders, identifiers or titles.")
        raise BadQuery(tr("An argument is empty."), hint)
    paths = [Path(item) for item in items if _exists(item)]
    others = [item for item in items if not _exists(item)]
    if not others and not listed:
        return paths, []
    # Imports the network code, which takes 0.2 s.
    from sciread_app.services.ingest.lookup.identifier_import import is_title, named, split_texts

    texts: list[str] = []
    if listed:
        with open_text(listed) as lines:
            texts = split_texts(lines.read())
    for item in others:
        if item == "-":
            texts += split_texts(decoded(sys.stdin.buffer.read()))
        elif named(item) or is_title(item):
            texts.append(item)
        else:
            paths.append(Path(item))
    return paths, list(dict.fromkeys(texts))


def _exists(item: str) -> bool:
    try:
        return Path(item).exists()
    except OSError:  # a title may be longer than a file name
        return False


def _find_and_add(
    workspace: Workspace, console: Console, texts: Sequence[str]
) -> tuple[list[dict[str, Any]], bool]:
    """Add what the texts name, and print the result of each. Returns the results as JSON values,
    and whether all were added or in the library before."""
    from sciread_app.services.ingest.lookup.identifier_import import EntryState

    values, complete = [], True
    with console.progress("Looking up papers") as task:
        results = list(workspace.identifiers.add_all(texts, task))
    for entry, added in results:
        paper = workspace.library.get([added])[0] if added else entry.paper
        state = "added" if added else str(entry.state)
        complete = complete and (bool(added) or entry.state == EntryState.in_library)
        console.print(_entry(entry, state, paper))
        values.append(
            {
                "text": entry.text,
                "state": state,
                "paper": paper.id if paper else None,
                "title": paper.title if paper else "",
                "candidates": [record_as_value(one) for one in entry.candidates],
                "why": entry.reason,
            }
        )
    return values, complete


def _entry(entry: Entry, state: str, paper: Paper | None) -> RenderableType:
    style = {"added": "green", "in library": "dim", "offered": "yellow"}.get(state, "red")
    lines: list[RenderableType] = [Text.assemble((f"{state:>11}  ", style), short(entry.text))]
    if paper:
        number = f"{paper.id}  " if paper.id else ""
        lines.append(_below(Text(f"{number}{readable(paper.title)}", style="dim")))
    if entry.reason:
        lines.append(_below(Text(entry.reason, style="dim")))
    for candidate in entry.candidates:
        names = ", ".join(f"{kind}:{value}" for kind, value in candidate.identifiers)
        title = readable(candidate.title)
        lines.append(_below(Text(f"{names}  {title}, {views.subtitle(candidate)}")))
    return Group(*lines)


def _below(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 13))
