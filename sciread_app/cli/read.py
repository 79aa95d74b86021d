"""Commands that open, move and rename PDFs, and export highlights and notes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from sciread_app.cli import views
from sciread_app.cli.command import DONE, FAILED, command
from sciread_app.cli.library import NAMES_HELP, Names, resolve
from sciread_app.console import Console
from sciread_app.domain.paper import PaperId
from sciread_app.errors import BadQuery, LibraryError
from sciread_app.language import tr, trn
from sciread_app.services.library.pdf_folder import FilingReport
from sciread_app.workspace import Workspace

if TYPE_CHECKING:
    from sciread_app.services.ingest.lookup.pdf_finder import FoundPdf

SomeNames = Annotated[list[str] | None, typer.Argument(help=NAMES_HELP)]
Every = Annotated[bool, typer.Option("--all", help="The PDFs of all papers.")]


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
            tr("Could not open {file}.", file=file),
            tr("Install a PDF viewer and, on Linux, xdg-utils."),
        )
    console.print(tr("Opened {file}", file=escape(str(file))))
    console.print_json({"paper": id, "file": str(file)})


@command
def move_pdfs(
    workspace: Workspace, console: Console, papers: SomeNames = None, every: Every = False
) -> int:
    """Move the PDFs of papers to the PDF folder of Settings, named by its pattern.

    PDFs in Zotero's own folder are copied. No file is overwritten. Run `sciread undo` to move the
    files back. Exit code 1 means that some files could not be moved; each is listed with the
    reason.
    """
    ids = _selected(workspace, papers, every)
    with console.progress(tr("Moving PDFs")) as task:
        report = workspace.pdf_folder.move(ids, task)
    moved = trn("{n:,} PDF moved", "{n:,} PDFs moved", report.done)
    return _report(console, report, "moved", moved, tr("Not moved"))


@command
def rename_pdfs(
    workspace: Workspace, console: Console, papers: SomeNames = None, every: Every = False
) -> int:
    """Rename the PDFs of papers by the pattern of Settings, where they are.

    No file is overwritten. Run `sciread undo` to restore the names. Exit code 1 means that some
    files could not be renamed; each is listed with the reason.
    """
    ids = _selected(workspace, papers, every)
    with console.progress(tr("Renaming PDFs")) as task:
        report = workspace.pdf_folder.rename(ids, task)
    renamed = trn("{n:,} PDF renamed", "{n:,} PDFs renamed", report.done)
    return _report(console, report, "renamed", renamed, tr("Not renamed"))


@command
def find_pdfs(
    workspace: Workspace, console: Console, papers: SomeNames = None, every: Every = False
) -> int:
    """Find open-access PDFs of papers and save them in the PDF folder of Settings.

    SciRead asks arXiv, PubMed Central, Unpaywall, and OpenAlex for papers that have no PDF yet.
    A file is kept only if it has the title of the paper on its first pages. Unpaywall needs the
    email address of Settings. Exit code 1 means that no PDF was found for some papers; each is
    listed with the reason.
    """
    ids = _selected(workspace, papers, every)
    finder = workspace.pdf_finder
    with console.progress(tr("Finding PDFs")) as task:
        report = finder.find(ids, task)
    console.print(trn("{n:,} PDF found", "{n:,} PDFs found", report.done))
    for one in report.found:
        console.print(escape(f"  {one.path.name} ({_origin(one)})"))
    for line in views.skipped(tr("Not found"), report.failures):
        console.print(line)
    console.print_json(
        {
            "found": [
                {
                    "paper": one.paper,
                    "file": str(one.path),
                    "source": one.source,
                    "license": one.license,
                }
                for one in report.found
            ],
            "had": report.had,
            "failures": [one.fields() for one in report.failures],
        }
    )
    return FAILED if report.failures else DONE


def _origin(found: FoundPdf) -> str:
    if not found.license:
        return found.source
    # Translators: Unpaywall, license cc-by
    return tr("{source}, license {license}", source=found.source, license=found.license)


def _selected(workspace: Workspace, papers: list[str] | None, every: bool) -> Sequence[PaperId]:
    if every == bool(papers):
        raise BadQuery(tr("Specify papers, or use --all."), tr("See --help."))
    if papers:
        return resolve(workspace, papers)
    return [PaperId(id) for id in workspace.library.ids().tolist()]


def _report(console: Console, report: FilingReport, key: str, done: str, failed: str) -> int:
    console.print(done)
    for line in views.skipped(failed, report.failures):
        console.print(line)
    console.print_json({key: report.done, "failures": [one.fields() for one in report.failures]})
    return FAILED if report.failures else DONE


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
                tr("Cannot save the annotations of several papers in one PDF."),
                tr("Specify one paper."),
            )
        with console.progress(tr("Saving {name}", name=pdf.name)) as task:
            copy = workspace.reader.save_annotated(ids[0], _pdf_of(workspace, ids[0]), pdf, task)
        annotations = trn("{n:,} annotation", "{n:,} annotations", copy.written)
        text = tr("Saved {file} with {annotations}", file=str(pdf), annotations=annotations)
        console.print(escape(text))
        if copy.lost:
            lost = trn("{n:,} highlight", "{n:,} highlights", copy.lost)
            console.warn(tr("Left out {lost}: this version of the file lacks the text.", lost=lost))
        console.print_json({"file": str(pdf), "annotations": copy.written, "lost": copy.lost})
        return
    if output:
        workspace.reader.save_markdown(ids, output)
    text = "" if output else workspace.reader.as_markdown(ids)
    marked = [one for id in ids for one in workspace.reader.of_paper(id)]
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
            tr("Paper {id} has no PDF file.", id=id),
            tr("Run `sciread add FOLDER` to attach the PDFs in a folder."),
        )
    for path in pdfs:
        if path.is_file():
            return path
    raise LibraryError(
        tr("The PDF file of paper {id} is missing: {file}", id=id, file=pdfs[0]),
        tr("If the file was moved, run `sciread add FOLDER` with its new folder."),
    )
