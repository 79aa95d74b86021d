"""The trainer's commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from trainer.contract.errors import TrainerError
from trainer.contract.package import Package, read_package, starter_package
from trainer.serve import serve as serve_package

app = typer.Typer(
    help="Make, look at and run the models that SciRead searches with.",
    epilog="A model is a folder with a package.json. The word 'starter' stands for the model that "
    "comes with SciRead. Try: sciread-trainer info starter",
    no_args_is_help=True,
    add_completion=False,
)
Model = Annotated[str, typer.Argument(help="The model's folder, or the word 'starter'.")]


@app.callback()
def _trainer() -> None:
    """Keeps the commands' names in use while there are few of them."""


@app.command()
def info(model: Model) -> None:
    """Check a model's files and say what it is."""
    package = _open(model)
    table = Table(show_header=False, box=None)
    for name in ("title", "method", "base", "dim", "pooling", "template", "max_tokens", "licence"):
        table.add_row(name.replace("_", " "), str(getattr(package, name)))
    table.add_row("space", package.space)
    table.add_row("folder", str(package.folder))
    Console().print(table)


@app.command()
def serve(model: Model) -> None:
    """Encode texts for another program: frames in on stdin, vectors out on stdout."""
    folder = starter_package().folder if model == "starter" else Path(model)
    raise typer.Exit(serve_package(folder))


def _open(model: str) -> Package:
    return starter_package() if model == "starter" else read_package(Path(model))


def main() -> None:
    """Run the command line. What a person can mend is told in a sentence, not a traceback."""
    try:
        app()
    except TrainerError as error:
        print(f"{error}\n{error.hint}".rstrip(), file=sys.stderr)
        raise SystemExit(1) from error
