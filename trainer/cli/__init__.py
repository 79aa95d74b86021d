"""The trainer's commands."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from trainer.cli import (
    comparison,
    data,
    embedding,
    evaluation,
    methods,
    models,
    training,
)
from trainer.contract.errors import TrainerError
from trainer.version import trainer_version

app = typer.Typer(
    help="Create, inspect and run search models for SciRead.",
    epilog="A model is a folder with a package.json file. The name 'starter' refers to the "
    "model included with SciRead. Try: sciread-trainer info starter",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


def _version(requested: bool) -> None:
    if requested:
        typer.echo(trainer_version())
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None: ...


def _flowing(text: str) -> str:
    """Join the lines of each paragraph, so that text fills a terminal of any width."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _add(command: Callable[..., None], name: str = "", examples: str = "") -> None:
    about, shown = _flowing(command.__doc__ or ""), _flowing(examples)
    app.command(name or command.__name__, help=about, epilog=shown)(command)


# In the order of use.
_add(methods.methods)
_add(data.prepare, examples=data.EXAMPLES)
_add(data.corpus)
_add(training.train, examples=training.EXAMPLES)
_add(embedding.embed_papers, "embed", embedding.EXAMPLES)
_add(evaluation.suites)
_add(evaluation.evaluate, examples=evaluation.EXAMPLES)
_add(training.subdomain, examples=training.SUBDOMAIN_EXAMPLES)
_add(comparison.compare)
_add(comparison.page)
_add(models.soup)
_add(models.merge)
_add(models.pull)
_add(models.push)
_add(models.info)
_add(models.serve)


def main(name: str = "sciread-trainer") -> None:
    """Run the command line under `name`; print errors of the user's input without traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None in a program without a console
            stream.reconfigure(errors="replace")  # an unprintable character must not end a command
    try:
        app(prog_name=name)
    except TrainerError as error:
        print(f"{error}\n{error.hint}".rstrip(), file=sys.stderr)
        raise SystemExit(1) from error
