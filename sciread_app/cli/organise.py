"""Commands that organize papers: tags, collections, ratings, trash, merges, undo and redo."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.markup import escape

from sciread_app.cli.command import DONE, FAILED, command
from sciread_app.cli.library import NAMES_HELP, Names, resolve
from sciread_app.console import Console
from sciread_app.domain.matching.field_comparison import Merge
from sciread_app.domain.paper import Edit, PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.errors import BadQuery
from sciread_app.language import tr, trn
from sciread_app.workspace import Workspace

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
