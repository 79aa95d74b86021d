"""Commands that edit and organize papers: fields, tags, ratings, trash, merges, undo and redo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any

import typer
from rich.markup import escape

from sciread_app.cli.command import DONE, FAILED, command
from sciread_app.cli.library import NAMES_HELP, Names, resolve
from sciread_app.console import Console
from sciread_app.domain.matching.field_comparison import Merge
from sciread_app.domain.metadata.editable_fields import InvalidFieldValue, changed, written
from sciread_app.domain.metadata.guesses import accepted
from sciread_app.domain.paper import KINDS, Edit, Paper, PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.errors import BadQuery
from sciread_app.language import tr, trn
from sciread_app.workspace import Workspace

# Names under which other programs know our fields.
_ALIASES = {
    "author": "authors",
    "date": "published",
    "journal": "venue",
    "keyword": "keywords",
    "type": "kind",
    "year": "published",
}
# BibTeX fields that are stored in `Paper.extra`.
_DETAILS = {
    "address", "annote", "booktitle", "chapter", "edition", "editor", "eid", "howpublished",
    "institution", "issue", "language", "location", "month", "note", "number", "organization",
    "pages", "publisher", "school", "series", "url", "urldate", "version", "volume",
}  # fmt: skip
_HINT = (
    "Fields: title, authors, year, type, venue, abstract, keywords, doi, arxiv, pmid, pmcid, isbn, "
    "and BibTeX fields such as volume and pages."
)


@command
def edit(
    workspace: Workspace,
    console: Console,
    paper: Annotated[str, typer.Argument(help="Number or identifier of the paper.")],
    fields: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FIELD=VALUE...",
            help="Field and value, such as year=2019. An empty value clears the field.",
        ),
    ] = None,
    accept_guess: Annotated[
        bool,
        typer.Option(
            "--accept-guess", help="Use the title, authors and year that the paper's PDF may have."
        ),
    ] = False,
) -> None:
    """Edit the fields of a paper.

    Later imports do not overwrite edited fields. Run `sciread undo` to undo an edit.

    Separate several authors or keywords with semicolons: authors="Curie, Marie; Curie, Pierre".
    Enclose a group author in braces: authors="{LHCb collaboration}". End an incomplete list with
    "others": authors="Curie, Marie; others".
    """
    [id] = resolve(workspace, [paper])
    [before] = workspace.library.get([id])
    values = _guess(before) if accept_guess else {}
    if fields or not accept_guess:
        values |= _values(before, fields or [])
    done = workspace.editor.edit([id], **values) if values else None
    console.print(escape(done.what) if done else "No changes")
    console.print_json({"paper": id, "changed": sorted(values) if done else []})


def _guess(paper: Paper) -> dict[str, Any]:
    """The fields that accepting the guess changes. Raises BadQuery."""
    if not (values := accepted(paper)):
        raise BadQuery(
            tr("There is no guess for this paper."),
            tr("SciRead guesses what the first pages of a PDF do not say clearly."),
        )
    return values


def _values(paper: Paper, assignments: Sequence[str]) -> dict[str, Any]:
    """The values of the fields that change, as a Paper has them. Raises BadQuery."""
    texts = written(paper)
    extra = dict(paper.extra)
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        name = name.strip().lower()
        name = _ALIASES.get(name, name)
        if not equals:
            raise BadQuery(
                tr("“{assignment}” has no value.", assignment=assignment),
                tr("Write FIELD=VALUE, such as year=2019."),
            )
        if name in texts and name != "extra":
            texts[name] = _checked(name, value)
        elif name in _DETAILS or name in extra:
            extra[name] = value.strip()
        else:
            raise BadQuery(tr("Unknown field “{name}”.", name=name), _HINT)
    extra = {name: value for name, value in extra.items() if value}
    del texts["extra"]
    try:
        values = {"extra": extra} | changed(replace(paper, extra=extra), texts)
    except InvalidFieldValue as error:
        raise BadQuery(str(error), _HINT) from error
    if values["extra"] == paper.extra:
        del values["extra"]
    return values


def _checked(name: str, value: str) -> str:
    """The text of a field in the form that `changed` expects, with one author per line. Raises
    BadQuery."""
    if name == "authors":
        return "\n".join(value.split(";"))
    if name == "title" and not value.strip():
        raise BadQuery(tr("A paper needs a title."), tr("Write title=... with the new title."))
    if name == "kind" and value.strip() not in KINDS:
        raise BadQuery(
            tr("Unknown type “{value}”.", value=value),
            tr("Types: {kinds}.", kinds=", ".join(KINDS)),
        )
    return value


Stars = Annotated[int, typer.Argument(min=0, max=5, help="1 to 5 stars, or 0 for no rating.")]


@command
def tag(
    workspace: Workspace,
    console: Console,
    name: Annotated[str, typer.Argument(help="Name of the tag.")],
    papers: Names,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the tag from the papers.")
    ] = False,
) -> None:
    """Add a tag to papers, or remove a tag from papers."""
    ids, editor = resolve(workspace, papers), workspace.editor
    edit = (editor.untag if remove else editor.tag)(ids, name)
    _report(console, edit, {"tag": name, "papers": ids, "removed": remove})


@command
def collect(
    workspace: Workspace,
    console: Console,
    path: Annotated[str, typer.Argument(help="Collection, such as thesis/chapter 2.")],
    papers: Names,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the papers from the collection.")
    ] = False,
) -> None:
    """Add papers to a collection, or remove papers from a collection.

    The collection is created if it does not exist.
    """
    ids, editor = resolve(workspace, papers), workspace.editor
    edit = (editor.uncollect if remove else editor.collect)(ids, path)
    _report(console, edit, {"collection": path, "papers": ids, "removed": remove})


@command
def tags(workspace: Workspace, console: Console) -> None:
    """List all tags."""
    names = workspace.library.tags.names()
    console.print(escape("\n".join(names)) or "No tags yet. Run `sciread tag` to create one.")
    console.print_json(names)


@command
def collections(workspace: Workspace, console: Console) -> None:
    """List all collections."""
    paths = workspace.library.collections.paths()
    nothing = "No collections yet. Run `sciread collect` to create one."
    console.print(escape("\n".join(paths)) or nothing)
    console.print_json(paths)


@command
def rate(workspace: Workspace, console: Console, stars: Stars, papers: Names) -> None:
    """Rate papers with 1 to 5 stars. To find the best papers, run `sciread find rating:4..`."""
    ids = resolve(workspace, papers)
    _report(console, workspace.editor.rate(ids, stars), {"stars": stars, "papers": ids})


@command
def trash(
    workspace: Workspace,
    console: Console,
    papers: Annotated[list[str] | None, typer.Argument(help=NAMES_HELP)] = None,
    empty: Annotated[
        bool, typer.Option("--empty", help="Delete all papers in the Trash permanently.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> int:
    """Move papers to the Trash, or empty the Trash.

    Papers in the Trash are hidden from all lists; `sciread untrash` restores them. --empty deletes
    all papers in the Trash permanently; you cannot undo this. PDF files stay where they are.
    """
    if empty == bool(papers):
        raise BadQuery(tr("Specify papers, or use --empty."), tr("See `sciread trash --help`."))
    if empty:
        return _empty_trash(workspace, console, yes)
    ids = resolve(workspace, papers or [])
    _report(console, workspace.editor.trash(ids), {"papers": ids, "in_trash": True})
    return DONE


@command
def untrash(workspace: Workspace, console: Console, papers: Names) -> None:
    """Restore papers from the Trash."""
    ids = [_trashed(workspace, name) for name in papers]
    _report(console, workspace.editor.untrash(ids), {"papers": ids, "in_trash": False})


@command
def duplicates(
    workspace: Workspace,
    console: Console,
    merge: Annotated[
        bool,
        typer.Option("--merge", help="Merge pairs that differ only in case and punctuation."),
    ] = False,
    merged: Annotated[
        bool,
        typer.Option("--merged", help="List merges; `sciread split` undoes a merge."),
    ] = False,
    scan: Annotated[
        bool,
        typer.Option("--scan", help="Search the whole library for duplicates first."),
    ] = False,
) -> int:
    """List possible duplicates. Use `sciread merge` to merge a pair."""
    if merged:
        return _list_merges(console, workspace.duplicates.merges())
    if scan:
        with console.progress("Finding duplicates") as task:
            workspace.duplicates.search(task)
    edit = workspace.duplicates.merge_agreeing() if merge else None
    pairs = workspace.duplicates.pairs()
    if merge:
        console.print(_describe(edit))
    for pair in pairs:
        title = escape(readable(pair.title))
        console.print(f"{pair.a} {pair.b}  {title}  [dim]{escape(pair.reason)}[/dim]")
    if not pairs:
        console.print(tr("No duplicates to review."))
    if workspace.duplicates.is_search_due():
        console.print(
            tr(
                "Not all papers have been compared yet. Run `sciread duplicates --scan` to search "
                "the whole library."
            )
        )
    console.print_json({"merged": edit.what if edit else None, "pairs": [asdict(p) for p in pairs]})
    return DONE


@command
def merge(workspace: Workspace, console: Console, papers: Names) -> None:
    """Merge papers into the most complete one, and add the details of the others."""
    ids = list(dict.fromkeys(resolve(workspace, papers)))
    console.print(_describe(workspace.editor.merge_into_best(ids)))
    [kept] = workspace.library.get(ids)
    console.print_json({"kept": kept.id, "papers": ids})


@command
def split(
    workspace: Workspace,
    console: Console,
    paper: Annotated[str, typer.Argument(help="Number or identifier of the paper.")],
    number: Annotated[
        int | None,
        typer.Option("--merge", help="Undo only this merge from `sciread duplicates --merged`."),
    ] = None,
) -> None:
    """Split a paper into the records that were merged into it, by an import or by you."""
    [id] = resolve(workspace, [paper])
    before = set(workspace.library.ids().tolist())
    console.print(_describe(workspace.editor.split(id, number)))
    made = sorted(set(workspace.library.ids().tolist()) - before)
    for one in workspace.library.get([id, *made]):
        console.print(f"{one.id}  {escape(readable(one.title))}")
    console.print_json({"paper": id, "made": made})


@command
def undo(workspace: Workspace, console: Console) -> int:
    """Undo the last edit, made on the command line or in the window.

    This applies to tags, collections, ratings, notes, edited fields, the Trash and merges. Undo
    after an import splits the papers that the import merged; papers that it added are kept. Run the
    command again to undo earlier edits.
    """
    return _report_replay(console, workspace.editor.undo(), "Undone", "Nothing to undo.")


@command
def redo(workspace: Workspace, console: Console) -> int:
    """Redo the last edit that was undone."""
    return _report_replay(console, workspace.editor.redo(), "Redone", "Nothing to redo.")


def _empty_trash(workspace: Workspace, console: Console, yes: bool) -> int:
    count = len(workspace.library.trashed())
    if not count:
        console.print(tr("The Trash is empty."))
        console.print_json({"deleted": 0})
        return DONE
    papers = trn("{n:,} paper", "{n:,} papers", count)
    if not yes:
        if console.as_json:
            raise BadQuery(
                tr("SciRead cannot ask for confirmation with --json."),
                tr("Add --yes to empty the Trash without confirmation."),
            )
        typer.confirm(
            tr("Permanently delete {papers}? You cannot undo this.", papers=papers), abort=True
        )
    deleted = workspace.editor.empty_trash()
    console.print(
        tr("Permanently deleted {papers}", papers=trn("{n:,} paper", "{n:,} papers", deleted))
    )
    console.print_json({"deleted": deleted})
    return DONE


def _list_merges(console: Console, merges: list[Merge]) -> int:
    for one in merges:
        why = ", ".join(filter(None, (one.reason, one.came)))
        console.print(
            f"{one.id}  {one.paper} {escape(readable(one.title))}  ←  {escape(readable(one.other))}"
            f"  [dim]{escape(why)}[/dim]"
        )
    if not merges:
        console.print(tr("No merges."))
    console.print_json({"merges": [asdict(one) for one in merges]})
    return DONE


def _report(console: Console, edit: Edit | None, value: dict[str, Any]) -> None:
    """Print the edit, and `value` as its JSON."""
    console.print(_describe(edit))
    console.print_json(value)


def _describe(edit: Edit | None) -> str:
    return escape(edit.what) if edit else "No changes"


def _report_replay(console: Console, edit: Edit | None, done: str, nothing: str) -> int:
    console.print(f"{done}: {escape(edit.what)}" if edit else nothing)
    console.print_json({"edit": edit.what if edit else None})
    return DONE if edit else FAILED


def _trashed(workspace: Workspace, name: str) -> PaperId:
    """Return the paper with this name, preferably one in the trash. Raises LibraryError if there is
    none."""
    library = workspace.library
    for paper in library.get(library.trashed()):
        names = {str(paper.id), *(value for _, value in paper.identifiers)}
        if name.casefold() in map(str.casefold, names) and paper.id is not None:
            return paper.id
    return resolve(workspace, [name])[0]
