"""Commands that organise papers: tags, collections, ratings, trash, merges, undo and redo."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape

from sciread_app.cli.command import DONE, FAILED, Home, Json, existing, verb
from sciread_app.cli.library import NAMES_HELP, Names, resolve
from sciread_app.cli.output import papers as views
from sciread_app.console import Console
from sciread_app.domain.matching.duplicates import Merge
from sciread_app.domain.paper import Edit, PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.errors import BadQuery
from sciread_app.workspace import Workspace

Stars = Annotated[int, typer.Argument(min=0, max=5, help="Stars: 1 to 5, or 0 for none.")]


@verb
def tag(
    name: Annotated[str, typer.Argument(help="The tag.")],
    papers: Names,
    remove: Annotated[bool, typer.Option("--remove", help="Take the tag off.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> int:
    """Put a tag on papers."""
    console = Console(as_json)
    with existing(home, console) as workspace:
        ids, organise = resolve(workspace, papers), workspace.editor
        edit = (organise.untag if remove else organise.tag)(ids, name)
        _say(console, edit)
        console.print_json({"tag": name, "papers": ids, "removed": remove})
    return DONE


@verb
def collect(
    path: Annotated[str, typer.Argument(help="The collection: thesis/chapter 2")],
    papers: Names,
    remove: Annotated[bool, typer.Option("--remove", help="Take them out again.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> int:
    """Put papers into a collection, which is made if it does not exist."""
    console = Console(as_json)
    with existing(home, console) as workspace:
        ids, organise = resolve(workspace, papers), workspace.editor
        edit = (organise.uncollect if remove else organise.collect)(ids, path)
        _say(console, edit)
        console.print_json({"collection": path, "papers": ids, "removed": remove})
    return DONE


@verb
def tags(home: Home = None, as_json: Json = False) -> int:
    """List all tags."""
    console = Console(as_json)
    with existing(home, console) as workspace:
        names = workspace.library.tags.names()
    console.print(escape("\n".join(names)) or "There are no tags yet: `sciread tag` makes one.")
    console.print_json(names)
    return DONE


@verb
def collections(home: Home = None, as_json: Json = False) -> int:
    """List all collections."""
    console = Console(as_json)
    with existing(home, console) as workspace:
        paths = workspace.library.collections.paths()
    nothing = "There are no collections yet: `sciread collect` makes one."
    console.print(escape("\n".join(paths)) or nothing)
    console.print_json(paths)
    return DONE


@verb
def rate(stars: Stars, papers: Names, home: Home = None, as_json: Json = False) -> int:
    """Give papers 1 to 5 stars; `sciread find rating:4..` finds the best."""
    console = Console(as_json)
    with existing(home, console) as workspace:
        ids = resolve(workspace, papers)
        _say(console, workspace.editor.rate(ids, stars))
        console.print_json({"stars": stars, "papers": ids})
    return DONE


@verb
def trash(
    papers: Annotated[list[str] | None, typer.Argument(help=NAMES_HELP)] = None,
    empty: Annotated[
        bool, typer.Option("--empty", help="Delete all papers in the trash for good.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --empty: do not ask.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> int:
    """Put papers into the trash: out of every list, but not lost.

    With --empty, delete all papers in the trash for good. That cannot be undone. PDFs stay where
    they are.
    """
    if empty == bool(papers):
        raise BadQuery("Name papers, or give --empty.", "See `sciread trash --help`.")
    console = Console(as_json)
    with existing(home, console) as workspace:
        if empty:
            return _empty_trash(workspace, console, yes)
        ids = resolve(workspace, papers or [])
        _say(console, workspace.editor.trash(ids))
        console.print_json({"papers": ids, "in_trash": True})
    return DONE


@verb
def untrash(papers: Names, home: Home = None, as_json: Json = False) -> int:
    """Take papers out of the trash again."""
    console = Console(as_json)
    with existing(home, console) as workspace:
        ids = [_trashed(workspace, name) for name in papers]
        _say(console, workspace.editor.untrash(ids))
        console.print_json({"papers": ids, "in_trash": False})
    return DONE


@verb
def duplicates(
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
    home: Home = None,
    as_json: Json = False,
) -> int:
    """List pairs of papers that may be one; `sciread merge` makes them one."""
    console = Console(as_json)
    with existing(home, console) as workspace:
        if merged:
            return _list_merges(console, workspace.duplicates.merges())
        if scan:
            with console.progress("Searching") as task:
                workspace.duplicates.search(task)
        edit = workspace.duplicates.merge_agreeing() if merge else None
        pairs = workspace.duplicates.pairs()
        if merge:
            _say(console, edit)
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


@verb
def merge(papers: Names, home: Home = None, as_json: Json = False) -> int:
    """Make papers one: the one that says most, with all that the others say beside it."""
    console = Console(as_json)
    with existing(home, console) as workspace:
        ids = resolve(workspace, papers)
        _say(console, workspace.editor.merge_into_best(dict.fromkeys(ids)))
        [kept] = workspace.library.get(ids)
        console.print_json({"kept": kept.id, "papers": ids})
    return DONE


@verb
def split(
    paper: Annotated[str, typer.Argument(help="The paper: its number or an identifier.")],
    number: Annotated[
        int | None,
        typer.Option("--merge", help="Only this merge, as `sciread duplicates --merged` names it."),
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> int:
    """Take a paper apart into the records that were merged into it, by an import or by hand."""
    console = Console(as_json)
    with existing(home, console) as workspace:
        [id] = resolve(workspace, [paper])
        before = set(workspace.library.ids().tolist())
        _say(console, workspace.editor.split(id, number))
        made = sorted(set(workspace.library.ids().tolist()) - before)
        for one in workspace.library.get([id, *made]):
            console.print(f"{one.id}  {escape(readable(one.title))}")
        console.print_json({"paper": id, "made": made})
    return DONE


@verb
def undo(home: Home = None, as_json: Json = False) -> int:
    """Take the last edit back, whether it was made here or in the window.

    Tags, collections, stars, notes, the trash, fields set by hand, merges: all of it. After an
    import that has merged records into papers, those merges are taken back, and the records become
    papers of their own; what was added stays. Again, and the edit before it is taken back too.
    """
    console = Console(as_json)
    with existing(home, console) as workspace:
        return _tell(console, workspace.editor.undo(), "Undone", "There is nothing to undo.")


@verb
def redo(home: Home = None, as_json: Json = False) -> int:
    """Make the edit again that was taken back last."""
    console = Console(as_json)
    with existing(home, console) as workspace:
        return _tell(console, workspace.editor.redo(), "Redone", "There is nothing to redo.")


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


def _say(console: Console, edit: Edit | None) -> None:
    console.print(escape(edit.what) if edit else "Nothing had to be changed")


def _tell(console: Console, edit: Edit | None, done: str, nothing: str) -> int:
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
