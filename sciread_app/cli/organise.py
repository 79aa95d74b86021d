"""Commands that organise papers: tags, collections, ratings, trash, merges, undo and redo."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.markup import escape

from sciread_app.cli import views
from sciread_app.cli.command import DONE, FAILED, command
from sciread_app.cli.library import NAMES_HELP, Names, resolve
from sciread_app.console import Console
from sciread_app.domain.matching.duplicates import Merge
from sciread_app.domain.paper import Edit, PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.errors import BadQuery
from sciread_app.workspace import Workspace

Stars = Annotated[int, typer.Argument(min=0, max=5, help="Stars: 1 to 5, or 0 for none.")]


@command
def tag(
    workspace: Workspace,
    console: Console,
    name: Annotated[str, typer.Argument(help="The tag.")],
    papers: Names,
    remove: Annotated[bool, typer.Option("--remove", help="Take the tag off.")] = False,
) -> None:
    """Put a tag on papers."""
    ids, editor = resolve(workspace, papers), workspace.editor
    edit = (editor.untag if remove else editor.tag)(ids, name)
    _report(console, edit, {"tag": name, "papers": ids, "removed": remove})


@command
def collect(
    workspace: Workspace,
    console: Console,
    path: Annotated[str, typer.Argument(help="The collection: thesis/chapter 2")],
    papers: Names,
    remove: Annotated[bool, typer.Option("--remove", help="Take them out again.")] = False,
) -> None:
    """Put papers into a collection, which is made if it does not exist."""
    ids, editor = resolve(workspace, papers), workspace.editor
    edit = (editor.uncollect if remove else editor.collect)(ids, path)
    _report(console, edit, {"collection": path, "papers": ids, "removed": remove})


@command
def tags(workspace: Workspace, console: Console) -> None:
    """List all tags."""
    names = workspace.library.tags.names()
    console.print(escape("\n".join(names)) or "There are no tags yet: `sciread tag` makes one.")
    console.print_json(names)


@command
def collections(workspace: Workspace, console: Console) -> None:
    """List all collections."""
    paths = workspace.library.collections.paths()
    nothing = "There are no collections yet: `sciread collect` makes one."
    console.print(escape("\n".join(paths)) or nothing)
    console.print_json(paths)


@command
def rate(workspace: Workspace, console: Console, stars: Stars, papers: Names) -> None:
    """Give papers 1 to 5 stars; `sciread find rating:4..` finds the best."""
    ids = resolve(workspace, papers)
    _report(console, workspace.editor.rate(ids, stars), {"stars": stars, "papers": ids})


@command
def trash(
    workspace: Workspace,
    console: Console,
    papers: Annotated[list[str] | None, typer.Argument(help=NAMES_HELP)] = None,
    empty: Annotated[
        bool, typer.Option("--empty", help="Delete all papers in the trash for good.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --empty: do not ask.")] = False,
) -> int:
    """Put papers into the trash: out of every list, but not lost.

    With --empty, delete all papers in the trash for good. That cannot be undone. PDFs stay where
    they are.
    """
    if empty == bool(papers):
        raise BadQuery("Name papers, or give --empty.", "See `sciread trash --help`.")
    if empty:
        return _empty_trash(workspace, console, yes)
    ids = resolve(workspace, papers or [])
    _report(console, workspace.editor.trash(ids), {"papers": ids, "in_trash": True})
    return DONE


@command
def untrash(workspace: Workspace, console: Console, papers: Names) -> None:
    """Take papers out of the trash again."""
    ids = [_trashed(workspace, name) for name in papers]
    _report(console, workspace.editor.untrash(ids), {"papers": ids, "in_trash": False})


@command
def duplicates(
    workspace: Workspace,
    console: Console,
    merge: Annotated[
        bool,
        typer.Option("--merge", help="Merge those that differ in case and punctuation alone."),
    ] = False,
    merged: Annotated[
        bool,
        typer.Option("--merged", help="List what was merged instead; `sciread split` undoes it."),
    ] = False,
    scan: Annotated[
        bool,
        typer.Option("--scan", help="Search the whole library for pairs first."),
    ] = False,
) -> int:
    """List pairs of papers that may be one; `sciread merge` makes them one."""
    if merged:
        return _list_merges(console, workspace.duplicates.merges())
    if scan:
        with console.progress("Searching") as task:
            workspace.duplicates.search(task)
    edit = workspace.duplicates.merge_agreeing() if merge else None
    pairs = workspace.duplicates.pairs()
    if merge:
        console.print(_describe(edit))
    for pair in pairs:
        title = escape(readable(pair.title))
        console.print(f"{pair.a} {pair.b}  {title}  [dim]{escape(pair.reason)}[/dim]")
    if not pairs:
        console.print("There are no duplicates to look at.")
    if workspace.duplicates.is_search_due():
        console.print(
            "Not all papers have been compared. `sciread duplicates --scan` searches the whole "
            "library."
        )
    console.print_json({"merged": edit.what if edit else None, "pairs": [asdict(p) for p in pairs]})
    return DONE


@command
def merge(workspace: Workspace, console: Console, papers: Names) -> None:
    """Make papers one: the one that says most, with all that the others say beside it."""
    ids = resolve(workspace, papers)
    console.print(_describe(workspace.editor.merge_into_best(dict.fromkeys(ids))))
    [kept] = workspace.library.get(ids)
    console.print_json({"kept": kept.id, "papers": ids})


@command
def split(
    workspace: Workspace,
    console: Console,
    paper: Annotated[str, typer.Argument(help="The paper: its number or an identifier.")],
    number: Annotated[
        int | None,
        typer.Option("--merge", help="Only this merge, as `sciread duplicates --merged` names it."),
    ] = None,
) -> None:
    """Take a paper apart into the records that were merged into it, by an import or by hand."""
    [id] = resolve(workspace, [paper])
    before = set(workspace.library.ids().tolist())
    console.print(_describe(workspace.editor.split(id, number)))
    made = sorted(set(workspace.library.ids().tolist()) - before)
    for one in workspace.library.get([id, *made]):
        console.print(f"{one.id}  {escape(readable(one.title))}")
    console.print_json({"paper": id, "made": made})


@command
def undo(workspace: Workspace, console: Console) -> int:
    """Take the last edit back, whether it was made here or in the window.

    Tags, collections, stars, notes, the trash, fields set by hand, merges: all of it. After an
    import that has merged records into papers, those merges are taken back, and the records become
    papers of their own; what was added stays. Again, and the edit before it is taken back too.
    """
    return _report_replay(console, workspace.editor.undo(), "Undone", "There is nothing to undo.")


@command
def redo(workspace: Workspace, console: Console) -> int:
    """Make the edit again that was taken back last."""
    return _report_replay(console, workspace.editor.redo(), "Redone", "There is nothing to redo.")


def _empty_trash(workspace: Workspace, console: Console, yes: bool) -> int:
    count = len(workspace.library.trashed())
    if not count:
        console.print("The trash is empty.")
        console.print_json({"deleted": 0})
        return DONE
    papers = views.counted(count, "paper")
    if not yes:
        if console.as_json:
            raise BadQuery("With --json, nothing is asked.", "Add --yes to empty the trash.")
        typer.confirm(f"Delete {papers} for good? This cannot be undone.", abort=True)
    deleted = workspace.editor.empty_trash()
    console.print(f"{views.counted(deleted, 'paper')} deleted for good")
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
        console.print("Nothing was merged.")
    console.print_json({"merges": [asdict(one) for one in merges]})
    return DONE


def _report(console: Console, edit: Edit | None, value: dict[str, Any]) -> None:
    """Print the edit, and `value` as its JSON."""
    console.print(_describe(edit))
    console.print_json(value)


def _describe(edit: Edit | None) -> str:
    return escape(edit.what) if edit else "Nothing had to be changed"


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
