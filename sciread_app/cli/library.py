"""Commands that search, export, check, back up and restore the library."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from sciread_app.cli import views
from sciread_app.cli.command import DONE, FAILED, Home, command, opened
from sciread_app.console import Console, text_output
from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.errors import BadQuery, EncoderFailed, LibraryDamaged, LibraryError
from sciread_app.language import tr, trn
from sciread_app.paths import find_home, open_home
from sciread_app.services.export import export as exports
from sciread_app.services.maintenance import backup_file as packing
from sciread_app.services.maintenance import doctor as doctors
from sciread_app.services.maintenance.salvage import salvage_home
from sciread_app.services.models.active_model import LoadedModel
from sciread_app.services.search.paper_names import paper_named
from sciread_app.services.search.results import SearchResults
from sciread_app.workspace import Workspace, backups_of

Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="Maximum number of papers.")]
Weaker = Annotated[
    bool,
    typer.Option("--weaker", help="Also show weaker matches."),
]
NAMES_HELP = "Paper numbers from `sciread find`, DOIs, arXiv IDs, PMIDs or citation keys."
Names = Annotated[list[str], typer.Argument(help=NAMES_HELP)]


@command
def find(
    workspace: Workspace,
    console: Console,
    query: Annotated[list[str], typer.Argument(help="Words, and filters such as year:2015..")],
    limit: Limit = 10,
    mode: Annotated[
        SearchMode, typer.Option(help="By keyword (text), by meaning, or both (hybrid).")
    ] = SearchMode.hybrid,
    weaker: Weaker = False,
) -> None:
    """Find papers by meaning and by keyword.

    A query can contain "phrases", -excluded, prefix*, author: title: venue: year:2015..2019
    rating:4.. added:7d cat: tag: in: is: has:, like:17 and -like:23. It can also be a DOI, an arXiv
    ID, a PMID, or a whole abstract.
    """
    parsed = parse(" ".join(query))
    with workspace.active_model.use() as now:
        try:
            results = shown(now.search.find(parsed, limit=limit, mode=mode), weaker, limit)
        except EncoderFailed as failure:
            raise EncoderFailed(failure.message, _encode_hint(now) or failure.hint) from failure
        hint = _encode_hint(now) if mode is SearchMode.hybrid else ""
        ids = [hit.paper for hit in results.hits]
        reasons = now.search.explain(parsed, ids)
    papers = workspace.library.get(ids)
    if results.note:
        console.warn(f"{results.note} {hint}".strip())
    console.print(views.hits(papers, results, reasons))
    console.print_json(views.hits_as_values(papers, results, reasons))


@command
def similar(
    workspace: Workspace,
    console: Console,
    papers: Names,
    unlike: Annotated[
        list[str] | None,
        typer.Option(
            "--unlike", help="Paper that the results should differ from. Can be repeated."
        ),
    ] = None,
    limit: Limit = 10,
    weaker: Weaker = False,
) -> None:
    """Find papers similar to the given papers."""
    like = resolve(workspace, papers)
    unwanted = resolve(workspace, unlike or [])
    with workspace.active_model.use() as now:
        results = shown(now.search.similar(like, unwanted, limit=limit), weaker, limit)
        hint = _encode_hint(now)
    found = workspace.library.get([hit.paper for hit in results.hits])
    if results.note:
        console.warn(f"{results.note} {hint}".strip())
    console.print(views.hits(found, results, {}))
    console.print_json(views.hits_as_values(found, results, {}))


def _encode_hint(now: LoadedModel) -> str:
    """The command that indexes the papers, if none is indexed yet."""
    unindexed = now.index is not None and not now.index.count()
    return tr("Run `sciread encode` to index the papers.") if unindexed else ""


@command
def show(workspace: Workspace, console: Console, papers: Names) -> None:
    """Show all details of papers."""
    ids = resolve(workspace, papers)
    library, values = workspace.library, []
    marks, counts = library.organisation.of(ids), library.citations.counts(ids)
    looked_up = workspace.editor.looked_up_fields(ids)
    for paper in library.get(ids):
        assert paper.id is not None
        about = views.PaperContext(
            marks[paper.id],
            library.attachments.of([paper.id]),
            library.get(library.versions(paper.id)),
            counts[paper.id],
            looked_up.get(paper.id, ()),
        )
        console.print(views.paper(paper, about))
        values.append(views.paper_as_value(paper, about))
    console.print_json(values)


@command
def export(
    console: Console,
    query: Annotated[list[str] | None, typer.Argument(help="Query (default: all papers).")] = None,
    format: Annotated[
        exports.Format, typer.Option("--format", "-f", help="File format.")
    ] = exports.Format.bibtex,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write (default: print).")
    ] = None,
    home: Home = None,
) -> None:
    """Export papers as BibTeX, BibLaTeX, RIS, CSL-JSON or JSON lines.

    The query has the syntax of `sciread find`. All papers that contain every word are exported.
    """
    if console.as_json and not output:
        raise BadQuery(
            tr("With --json, an output file is required."),
            tr("Add --output FILE, or use --format jsonl without --json."),
        )
    with opened(home, console) as workspace:
        ids = exports.selected_by(workspace.library, " ".join(query or []))
        if query and not ids:
            raise _nothing_to_export(query)
        with console.progress("Exporting") as task:
            if output:
                exports.write_file(workspace.library, ids, format, output, task)
            else:
                exports.write(workspace.library, ids, format, text_output(), task)
        if output:
            console.print(
                tr(
                    "{papers} written to {output}",
                    papers=trn("{n:,} paper", "{n:,} papers", len(ids)),
                    output=escape(str(output)),
                )
            )
            console.print_json({"papers": len(ids), "file": str(output)})


@command
def encode(
    workspace: Workspace,
    console: Console,
    most: Annotated[
        int | None, typer.Option("--max", min=1, help="Maximum number of papers.")
    ] = None,
) -> None:
    """Index new papers for search by meaning.

    A stopped run resumes when you run the command again.
    """
    with workspace.active_model.use() as now:
        if (space := now.index) is None:
            raise LibraryError(tr("Search by meaning is not available: {why}", why=now.error))
        with console.progress("Indexing") as task:
            encoded = space.encode_missing(task, most=most)
        left = len(workspace.library.missing_vectors(space.key)[0])
        console.print(
            tr(
                "{papers} indexed, {left:,} left",
                papers=trn("{n:,} paper", "{n:,} papers", encoded),
                left=left,
            )
        )
        console.print_json({"encoded": encoded, "left": left, "space": space.key})


@command
def doctor(
    console: Console,
    salvage: Annotated[
        Path | None,
        typer.Option(help="Write all readable data of a damaged library to this new folder."),
    ] = None,
    home: Home = None,
) -> int:
    """Check that the library, its indexes and its files are intact and consistent.

    Inconsistent indexes are rebuilt. The library itself is never changed.
    """
    if salvage:
        return _salvage(salvage, home, console)
    try:
        with (
            opened(home, console) as workspace,
            workspace.active_model.use() as now,
            console.progress("Checking") as task,
        ):
            findings = doctors.examine(workspace.library, now.index, workspace.home, task)
    except LibraryDamaged as damage:
        place, backups = backups_of(home)
        findings = doctors.examine_damaged(place, backups, damage)
    for finding in findings:
        console.print(views.finding(finding))
    console.print_json([asdict(finding) for finding in findings])
    return DONE if all(finding.ok for finding in findings) else FAILED


def _salvage(target: Path, home: Path | None, console: Console) -> int:
    with console.progress("Salvaging") as task:
        report = salvage_home(find_home(home), target, task)
    for line in report.lines():
        console.print(escape(line))
    console.print(
        tr(
            "\nTo open the new library, run: sciread --home {folder}",
            folder=escape(str(report.folder)),
        )
    )
    console.print_json(
        {"folder": str(report.folder), "files_not_copied": report.missing_files}
        | vars(report.salvaged)
    )
    return DONE


@command
def status(workspace: Workspace, console: Console) -> None:
    """Show the number of papers, the model in use, and the last import and fetch."""
    value = views.status_as_value(workspace)
    console.print(views.status(value))
    console.print_json(value)


def _nothing_to_export(query: list[str]) -> LibraryError:
    text = " ".join(query)
    hint = tr(
        "`sciread find '{text}'` also finds papers that contain only some of the words.", text=text
    )
    if len(query) == 1 and Path(text).suffix.lower() in exports.SUFFIXES:
        hint = tr("To write to a file, use: sciread export -o {text}", text=text)
    return LibraryError(tr("No paper matches “{text}”. Nothing was exported.", text=text), hint)


def shown(results: SearchResults, weaker: bool, limit: int) -> SearchResults:
    """Return the results to list: the matches, with `weaker` also papers that match less well."""
    hits = [*results.hits, *results.weaker][:limit] if weaker else results.hits
    return replace(results, hits=hits)


def resolve(workspace: Workspace, names: list[str]) -> list[PaperId]:
    """Return the papers with these names (see NAMES_HELP). Raises LibraryError for an unknown
    one."""
    return [_resolve_one(workspace, name) for name in names]


def _resolve_one(workspace: Workspace, name: str) -> PaperId:
    if found := paper_named(workspace.library, name):
        return found
    raise LibraryError(
        tr("Paper {name} is not in the library.", name=name),
        tr("Use a paper number from `sciread find`, a DOI, an arXiv ID, a PMID or a citation key."),
    )


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
