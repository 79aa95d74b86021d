"""Commands that list, install, export, remove and activate models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sciread_app.cli import views
from sciread_app.cli.command import DONE, FAILED, app, command
from sciread_app.console import Console
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.language import tr, trn
from sciread_app.services.models.blind_votes import VoteTally, tally_text
from sciread_app.services.models.gallery import GALLERY, score_text
from sciread_app.services.models.installer import DownloadRequest
from sciread_app.services.models.model_card import CardScore, Origin
from sciread_app.services.models.registry import InstalledModel, ModelDetails, ModelState
from sciread_app.workspace import Workspace

_STATES = {
    ModelState.active: tr("in use"),
    ModelState.pending: tr("indexing"),
    ModelState.earlier: tr("previously in use"),
    ModelState.idle: "",
}

GROUP = typer.Typer(
    help="Manage search models: list, add, activate, evaluate.", no_args_is_help=True
)
app.add_typer(GROUP, name="model")
model_command = partial(command, group=GROUP, create=True)

Model = Annotated[str, typer.Argument(help="Name or title from `sciread model list`, or starter.")]

# The form of a model's name on Hugging Face, OWNER/NAME. An existing folder takes precedence.
_OF_HUB = re.compile(r"https?://.+|[\w.-]+/[\w.-]+")


@model_command
def list_(workspace: Workspace, console: Console) -> int:
    """List the installed models, and verify their files.

    Exit code 1 means that a model is damaged.
    """
    with console.progress(tr("Checking")) as task:
        models = workspace.models
        found = [models.check(model.name, task) for model in models.all()]
        trashed = models.trashed()
    console.print(_table(found))
    if trashed:
        names = ", ".join(removed.name for removed in trashed)
        console.print(tr("In Trash: {names}", names=escape(names)))
    console.print_json([_model_as_value(model) for model in found])
    return FAILED if any(model.problem for model in found) else DONE


@model_command
def gallery(workspace: Workspace, console: Console) -> None:
    """List published models that can be added, with size, license, expected speed and scores.

    The speed on this computer is estimated from that of the starter model. The scores are published
    values of nDCG@10.
    """
    models = workspace.models.all()
    columns = (tr("name"), tr("good at"), tr("size"), tr("speed"), tr("license"), tr("scores"))
    shown = views.table(*columns)
    found = []
    for one in GALLERY:
        speed = one.speed(models)
        expected = tr("about {n:,.1f} papers/s", n=speed) if speed else ""
        size = tr("{n:,.0f} MB", n=one.megabytes)
        row = (one.name, one.what, size, expected, one.licence, score_text(one))
        shown.add_row(*map(Text, row))
        scores = dict(zip(("scifact", "scidocs", "nfcorpus"), one.scores, strict=False))
        found.append(one._asdict() | {"scores": scores, "speed": speed})
    console.print(shown)
    console.print(tr("Add one: sciread model add NAME"))
    console.print_json(found)


@model_command
def show(workspace: Workspace, console: Console, model: Model) -> int:
    """Show the details of a model: properties, training and evaluation."""
    name = workspace.models.find(model).name
    with console.progress(tr("Checking")) as task:
        workspace.models.check(name, task)
    about = workspace.models.about(name)
    console.print(_details(about))
    console.print_json(_details_as_value(about))
    return FAILED if about.model.problem else DONE


@model_command
def add(
    workspace: Workspace,
    console: Console,
    source: Annotated[
        str,
        typer.Argument(
            help="Folder or zip file of a model, folder of a training run, or OWNER/NAME of a "
            "model on Hugging Face."
        ),
    ],
    revision: Annotated[
        str,
        typer.Option(help="For Hugging Face: a branch, tag, commit or refs/pr/NUMBER."),
    ] = "",
    pooling: Annotated[
        str,
        typer.Option(
            help="Pooling of a Hugging Face model that specifies none: cls, mean, mean_no_special."
        ),
    ] = "",
) -> None:
    """Add a model from a folder, a zip file or Hugging Face.

    All files are verified, and code that comes with a model is never run. An interrupted download
    resumes when you run the command again.
    """
    if _OF_HUB.fullmatch(source) and not Path(source).exists():
        with console.progress(tr("Downloading")) as task:
            model = workspace.installer.pull(DownloadRequest(source, revision, pooling), task)
    else:
        with console.progress(tr("Adding")) as task:
            model = workspace.installer.add(Path(source), task)
    console.print(tr("Added {title} as {name}.", title=escape(model.title), name=model.name))
    console.print(
        tr("To use the model for search, run: sciread model activate {name}", name=model.name)
    )
    console.print_json(_model_as_value(model))


@model_command
def rename(
    workspace: Workspace,
    console: Console,
    model: Model,
    title: Annotated[str, typer.Argument(help="New title.")],
) -> None:
    """Change the title of a model. Its name, folder and index stay the same."""
    renamed = workspace.models.rename(model, title)
    console.print(
        tr(
            "Changed the title of {name} to {title}.",
            name=renamed.name,
            title=escape(renamed.title),
        )
    )
    console.print_json(_model_as_value(renamed))


@model_command
def export(
    workspace: Workspace,
    console: Console,
    model: Model,
    file: Annotated[
        Path | None, typer.Argument(help="Zip file to write (default: NAME.zip).")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an existing file.")] = False,
) -> None:
    """Export a model to a zip file, which `sciread model add` can import on any computer."""
    with console.progress(tr("Exporting")) as task:
        name = workspace.models.find(model).name
        target = (file or Path(f"{name}.zip")).absolute()
        workspace.models.export(name, target, task, may_replace=replace)
    console.print(tr("Exported {name} to {file}.", name=name, file=escape(str(target))))
    console.print_json({"model": name, "file": str(target), "bytes": target.stat().st_size})


@model_command
def remove(
    workspace: Workspace,
    console: Console,
    model: Model,
    for_good: Annotated[
        bool,
        typer.Option(
            "--permanently",
            "--for-good",
            help="Delete the model permanently instead, even if it is in the Trash.",
        ),
    ] = False,
) -> None:
    """Move a model to the Trash. For a month, `sciread model restore` restores it.

    The model in use and the model that comes with SciRead cannot be removed.
    """
    models = workspace.models
    here = any(model in (one.name, one.title) for one in models.all())
    removed = models.remove(model) if here or not for_good else models.find_removed(model)
    if for_good:
        models.delete(removed.key)
    title = escape(removed.title)
    deleted, moved = (
        tr("Permanently deleted {title}.", title=title),
        tr("Moved “{title}” to the Trash.", title=title),
    )
    console.print(deleted if for_good else moved)
    console.print_json({"model": removed.name, "deleted": for_good})


@model_command
def restore(
    workspace: Workspace,
    console: Console,
    model: Annotated[str, typer.Argument(help="Name of the removed model.")],
) -> None:
    """Restore a model from the Trash."""
    back = workspace.models.restore(model)
    console.print(tr("Restored {title} as {name}.", title=escape(back.title), name=back.name))
    console.print_json(_model_as_value(back))


@model_command
def activate(workspace: Workspace, console: Console, model: Model) -> int:
    """Use a model for search, after indexing all papers with it.

    The current model stays in use until all papers are indexed. A stopped run resumes when you run
    the command again. An open window switches automatically.
    """
    titles = {one.title: one.name for one in workspace.models.all()}
    return _activate(workspace, titles.get(model, model), console)


@model_command
def back(workspace: Workspace, console: Console) -> int:
    """Switch back to the model used before, which has indexed the papers already."""
    if not (earlier := workspace.models.earlier()):
        raise LibraryError(tr("No other model has been used in this library."))
    return _activate(workspace, earlier, console)


@model_command
def votes(workspace: Workspace, console: Console) -> None:
    """Show the results of blind tests in the window, and whether they are significant."""
    tallies = workspace.votes.all()
    titles = {model.name: model.title for model in workspace.models.all()}
    for tally in tallies:
        console.print(escape(tally_text(tally, lambda name: titles.get(name, name))))
    if not tallies:
        console.print(tr("No votes yet. Press Ctrl+Shift+K in the window to compare models."))
    console.print_json([_tally_as_value(tally) for tally in tallies])


def _activate(workspace: Workspace, model: str, console: Console) -> int:
    try:
        with console.progress(tr("Activating")) as task:
            done = workspace.active_model.activate(model, task)
    except (KeyboardInterrupt, Cancelled):
        workspace.active_model.cancel(model)
        raise
    read = trn("{n:,} paper indexed.", "{n:,} papers indexed.", done.read) if done.read else ""
    now = tr("Now searching with {title}.", title=escape(done.title))
    console.print(f"{now} {read}".strip())
    console.print_json(done._asdict())
    return DONE


def _table(models: Sequence[InstalledModel]) -> RenderableType:
    columns = (tr("name"), tr("title"), tr("method"), tr("dimensions"), tr("size"), tr("speed"), "")
    shown = views.table(*columns)
    for model in models:
        shown.add_row(
            Text(model.name, style="bold" if model.state is ModelState.active else ""),
            Text(model.title),
            Text(model.method),
            Text(str(model.dim or "")),
            Text(_mb(model.size)),
            Text(_speed(model)),
            _standing(model),
        )
    return shown


def _model_as_value(model: InstalledModel) -> dict[str, Any]:
    return asdict(model) | {"state": model.state.value}


def _details(details: ModelDetails) -> RenderableType:
    model = details.model
    rows = (
        (tr("name"), model.name),
        (tr("folder"), str(details.folder)),
        (tr("method"), model.method),
        (tr("base model"), model.base),
        (tr("dimensions"), model.dim),
        (tr("pooling"), model.pooling),
        (tr("max tokens"), model.max_tokens),
        (tr("license"), model.licence),
        (tr("size"), _mb(model.size)),
        (tr("speed"), _speed(model)),
        (tr("version"), model.space),
        (tr("indexed papers"), f"{details.papers - details.unread:,} / {details.papers:,}"),
        *_origin(details.origin),
        (tr("created"), model.created),
        (tr("created with"), model.trainer),
    )
    head = Text(model.title, style="bold")
    parts: list[RenderableType] = [head, _standing(model), views.details(rows)]
    return Group(*parts, *([_scores(details.scores)] if details.scores else []))


def _details_as_value(details: ModelDetails) -> dict[str, Any]:
    return _model_as_value(details.model) | {
        "folder": str(details.folder),
        "papers": details.papers,
        "unread": details.unread,
        "origin": asdict(details.origin),
        "scores": [asdict(score) for score in details.scores],
        "card": details.card,
    }


def _tally_as_value(tally: VoteTally) -> dict[str, Any]:
    """Return the tally as a JSON value. `luck` is the probability that two equally good models
    differ at least as much."""
    return asdict(tally) | {"ahead": tally.ahead or None, "luck": round(tally.luck, 4)}


def _origin(origin: Origin) -> tuple[tuple[str, str], ...]:
    corpus = f"{origin.papers:,} ({origin.sha256[:12]}…)" if origin.papers else ""
    changed = ", ".join(f"{name} = {value}" for name, value in origin.changed.items())
    versions = ", ".join(f"{name} {version}" for name, version in origin.versions.items())
    return (
        (tr("recipe"), origin.recipe),
        (tr("changed settings"), changed),
        (tr("training papers"), corpus),
        (tr("software"), versions),
    )


def _scores(scores: Sequence[CardScore]) -> RenderableType:
    columns = (
        *(tr("task"), tr("metric"), tr("base model"), tr("score"), tr("n")),
        tr("suite or split"),
    )
    shown = Table(*columns, box=None, padding=(0, 2, 0, 0), header_style="dim")
    for one in scores:
        n = f"{one.n:,}" if one.n else ""
        shown.add_row(
            *map(Text, (one.title, one.metric, one.before, one.value, n, one.suite or one.split))
        )
    return shown


def _standing(model: InstalledModel) -> Text:
    if model.problem:
        return Text(f"{model.problem} {model.hint}".strip(), style="red")
    return Text(_STATES[model.state], style="green")


def _mb(size: int) -> str:
    return tr("{n:,.1f} MB", n=size / 1e6) if size else ""


def _speed(model: InstalledModel) -> str:
    return tr("{n:,.0f} papers/s", n=model.speed) if model.speed else ""
