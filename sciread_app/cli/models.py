"""Commands that list, install, export, remove and activate models."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from sciread_app.cli.command import DONE, FAILED, app, verb
from sciread_app.cli.output import models as views
from sciread_app.console import Console
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.language import tr, trn
from sciread_app.services.models.activation import ActivationResult
from sciread_app.services.models.blind_votes import tally_text
from sciread_app.services.models.installer import DownloadRequest
from sciread_app.workspace import Workspace

GROUP = typer.Typer(help="Models: which are here, and which one answers.", no_args_is_help=True)
app.add_typer(GROUP, name="model")
model_verb = partial(verb, group=GROUP, create=True)

Model = Annotated[str, typer.Argument(help="Its name or title as `list` shows it, or starter.")]

# The form of a model's name on the hub, OWNER/NAME. An existing folder takes precedence.
_OF_HUB = re.compile(r"https?://.+|[\w.-]+/[\w.-]+")


@model_verb
def list_(workspace: Workspace, console: Console) -> int:
    """List the models that are installed, and what is wrong with those that are damaged.

    Exit code 1 means that one is damaged.
    """
    with console.progress(tr("Looking")) as task:
        models = workspace.models
        found = [models.check(model.name, task) for model in models.all()]
        trashed = models.trashed()
    console.print(views.table(found))
    if trashed:
        names = ", ".join(removed.name for removed in trashed)
        console.print(tr("In the trash: {names}", names=escape(names)))
    console.print_json([views.model_as_value(model) for model in found])
    return FAILED if any(model.problem for model in found) else DONE


@model_verb
def show(workspace: Workspace, console: Console, model: Model) -> int:
    """Show all there is to say about a model: what it is, how it was made, how well it does."""
    name = workspace.models.find(model).name
    with console.progress(tr("Looking")) as task:
        workspace.models.check(name, task)
    about = workspace.models.about(name)
    console.print(views.about(about))
    console.print_json(views.about_as_value(about))
    return FAILED if about.model.problem else DONE


@model_verb
def add(
    workspace: Workspace,
    console: Console,
    source: Annotated[
        str,
        typer.Argument(
            help="A folder, a zip, a run's folder, or OWNER/NAME of a model on the hub."
        ),
    ],
    revision: Annotated[
        str, typer.Option(help="Of the hub: a branch, tag, commit or refs/pr/NUMBER.")
    ] = "",
    pooling: Annotated[
        str, typer.Option(help="Of the hub: cls, mean or mean_no_special, if it does not say.")
    ] = "",
) -> None:
    """Add a model. Its files are checked byte for byte; only safetensors are taken, and no program
    that comes with a model is run.

    A pull from the hub that was cut short goes on where it was.
    """
    if _OF_HUB.fullmatch(source) and not Path(source).exists():
        with console.progress(tr("Fetching")) as task:
            model = workspace.installer.pull(DownloadRequest(source, revision, pooling), task)
    else:
        with console.progress(tr("Adding")) as task:
            model = workspace.installer.add(Path(source), task)
    console.print(tr("{title} is here, as {name}.", title=escape(model.title), name=model.name))
    console.print(tr("`sciread model activate {name}` lets it answer.", name=model.name))
    console.print_json(views.model_as_value(model))


@model_verb
def rename(
    workspace: Workspace,
    console: Console,
    model: Model,
    title: Annotated[str, typer.Argument(help="The new title.")],
) -> None:
    """Give a model another title. Its name, its folder and its vectors stay as they are."""
    renamed = workspace.models.rename(model, title)
    console.print(
        tr("{name} is called {title} now.", name=renamed.name, title=escape(renamed.title))
    )
    console.print_json(views.model_as_value(renamed))


@model_verb
def export(
    workspace: Workspace,
    console: Console,
    model: Model,
    file: Annotated[Path | None, typer.Argument(help="The zip to write (else NAME.zip).")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Also if it is there.")] = False,
) -> None:
    """Write a model to a zip file, which `add` takes on any computer."""
    with console.progress(tr("Writing")) as task:
        name = workspace.models.find(model).name
        target = (file or Path(f"{name}.zip")).absolute()
        workspace.models.export(name, target, task, may_replace=replace)
    console.print(tr("{name} is in {file}.", name=name, file=escape(str(target))))
    console.print_json({"model": name, "file": str(target), "bytes": target.stat().st_size})


@model_verb
def remove(
    workspace: Workspace,
    console: Console,
    model: Model,
    for_good: Annotated[
        bool, typer.Option("--for-good", help="Delete it, also from the trash.")
    ] = False,
) -> None:
    """Put a model into the trash, from which `restore` brings it back for a month.

    The one that answers is not removed, nor the one that came with SciRead.
    """
    models = workspace.models
    here = any(model in (one.name, one.title) for one in models.all())
    removed = models.remove(model) if here or not for_good else models.find_removed(model)
    if for_good:
        models.delete(removed.key)
    title = escape(removed.title)
    deleted, moved = (
        tr("{title} is deleted.", title=title),
        tr("{title} is in the trash.", title=title),
    )
    console.print(deleted if for_good else moved)
    console.print_json({"model": removed.name, "deleted": for_good})


@model_verb
def restore(
    workspace: Workspace,
    console: Console,
    model: Annotated[str, typer.Argument(help="Its name before it was removed.")],
) -> None:
    """Take a model out of the trash again."""
    back = workspace.models.restore(model)
    console.print(tr("{title} is back, as {name}.", title=escape(back.title), name=back.name))
    console.print_json(views.model_as_value(back))


@model_verb
def activate(workspace: Workspace, console: Console, model: Model) -> int:
    """Let a model answer: it reads all papers, and the one before answers until then.

    Killed, the same command goes on where it was; a window on the library changes over by itself.
    """
    titles = {one.title: one.name for one in workspace.models.all()}
    return _activate(workspace, titles.get(model, model), console)


@model_verb
def back(workspace: Workspace, console: Console) -> int:
    """Let the model answer that did so before; it has read all papers already."""
    if not (earlier := workspace.models.earlier()):
        raise LibraryError(tr("No other model has answered in this library."))
    return _activate(workspace, earlier, console)


@model_verb
def votes(workspace: Workspace, console: Console) -> None:
    """Show what blind votes in the window say of models, two by two, and how sure that is."""
    tallies = workspace.votes.all()
    titles = {model.name: model.title for model in workspace.models.all()}
    for tally in tallies:
        console.print(escape(tally_text(tally, lambda name: titles.get(name, name))))
    if not tallies:
        console.print(tr("Nobody has voted yet. The window compares models with Ctrl+Shift+K."))
    console.print_json([views.tally_as_value(tally) for tally in tallies])


def _activate(workspace: Workspace, model: str, console: Console) -> int:
    try:
        with console.progress(tr("Activating")) as task:
            done = workspace.activation.activate(model, task)
    except (KeyboardInterrupt, Cancelled):
        workspace.activation.cancel(model)
        raise
    console.print(_told(done))
    console.print_json(done._asdict())
    return DONE


def _told(done: ActivationResult) -> str:
    read = trn("{n:,} paper read", "{n:,} papers read", done.read) if done.read else ""
    now = tr("{title} answers now.", title=escape(done.title))
    return f"{now} {read}".strip()
