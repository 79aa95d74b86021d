"""The verbs about models: which one answers."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer
from rich.markup import escape

from sciread_app.cli.frame import DONE, Home, Json, app, opened, verb
from sciread_app.console import Console
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.language import tr, trn
from sciread_app.services.activation import Activated
from sciread_app.workspace import Workspace

GROUP = typer.Typer(help="Models: which are here, and which one answers.", no_args_is_help=True)
app.add_typer(GROUP, name="model")

Model = Annotated[str, typer.Argument(help="Its folder in models/, or starter.")]


@partial(verb, group=GROUP)
def activate(model: Model, home: Home = None, as_json: Json = False) -> int:
    """Let a model answer: it reads all papers, and the one before answers until then.

    Killed, the same command goes on where it was; a window on the library changes over by itself.
    """
    console = Console(as_json)
    with opened(home, console) as workspace:
        return _activate(workspace, model, console)


@partial(verb, group=GROUP)
def back(home: Home = None, as_json: Json = False) -> int:
    """Let the model answer that did so before; it has read all papers already."""
    console = Console(as_json)
    with opened(home, console) as workspace:
        if not (earlier := workspace.activation.earlier()):
            raise LibraryError(tr("No other model has answered in this library."))
        return _activate(workspace, earlier, console)


def _activate(workspace: Workspace, model: str, console: Console) -> int:
    try:
        with console.progress(tr("Activating")) as task:
            done = workspace.activation.activate(model, task)
    except (KeyboardInterrupt, Cancelled):
        workspace.activation.give_up(model)
        raise
    console.say(_told(done))
    console.answer(done._asdict())
    return DONE


def _told(done: Activated) -> str:
    read = trn("{n:,} paper read", "{n:,} papers read", done.read) if done.read else ""
    now = tr("{title} answers now.", title=escape(done.title))
    return f"{now} {read}".strip()
