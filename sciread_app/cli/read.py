"""Commands that open papers and export their highlights and notes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from sciread_app.cli.command import command
from sciread_app.cli.library import Names, resolve
from sciread_app.cli.views import counted
from sciread_app.console import Console
from sciread_app.domain.paper import PaperId
from sciread_app.errors import LibraryError
from sciread_app.workspace import Workspace


@command
def open_(
    workspace: Workspace,
    console: Console,
    paper: Annotated[str, typer.Argument(help="Number or identifier of the paper.")],
) -> None:
    """Open the PDF of a paper in the system's PDF viewer."""
    [id] = resolve(workspace, [paper])
    file = _pdf_of(workspace, id)
    if typer.launch(str(file)):
        raise LibraryError(
            f"Could not open {file}.", "Install a PDF viewer and, on Linux, xdg-utils."
        )
    console.print(f"Opened {escape(str(file))}")
    console.print_json({"paper": id, "file": str(file)})


@command
def notes(
    workspace: Workspace,
    console: Console,
    papers: Names,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write (default: print).")
    ] = None,
    pdf: Annotated[
        Path | None,
        typer.Option("--pdf", help="Write a copy of a paper's PDF with annotations instead."),
    ] = None,
) -> None:
    """Export the highlights and notes of papers as Markdown, or as annotations of a PDF."""
    ids = resolve(workspace, papers)
    if pdf:
        if len(ids) != 1:
            raise LibraryError(
                "Cannot save the annotations of several papers in one PDF.", "Specify one paper."
            )
        with console.progress(f"Saving {pdf.name}") as task:
            copy = workspace.annotations.save_annotated(
                ids[0], _pdf_of(workspace, ids[0]), pdf, task
            )
        console.print(f"Saved {escape(str(pdf))} with {counted(copy.written, 'annotation')}")
        if copy.lost:
            lost = counted(copy.lost, "highlight")
            console.warn(f"Left out {lost}: this version of the file lacks the text.")
        console.print_json({"file": str(pdf), "annotations": copy.written, "lost": copy.lost})
        return
    if output:
        workspace.annotations.save_markdown(ids, output)
    text = "" if output else workspace.annotations.as_markdown(ids)
    marked = [one for id in ids for one in workspace.annotations.of_paper(id)]
    if not console.as_json and not output:
        typer.echo(text or "No highlights or notes.")
    console.print_json(
        {
            "markdown": text,
            "highlights": [
                {
                    "paper": one.paper, "page": one.page + 1, "text": one.text,
                    "note": one.note, "colour": one.colour.value, "file": one.path,
                    "area": one.boxes[0] if one.is_area else None,
                }
                for one in marked
            ],
        }
    )  # fmt: skip


def _pdf_of(workspace: Workspace, id: PaperId) -> Path:
    """The first PDF of a paper that still exists. Raises LibraryError if there is none."""
    paths = [Path(file.path) for file in workspace.library.attachments.of([id])]
    pdfs = [path for path in paths if path.suffix.lower() == ".pdf"]
    if not pdfs:
        raise LibraryError(
            f"Paper {id} has no PDF file.",
            "Run `sciread add FOLDER` to attach the PDFs in a folder.",
        )
    for path in pdfs:
        if path.is_file():
            return path
    raise LibraryError(
        f"The PDF file of paper {id} is missing: {pdfs[0]}",
        "If the file was moved, run `sciread add FOLDER` with its new folder.",
    )
