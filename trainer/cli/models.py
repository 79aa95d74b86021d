"""Looking at models and running them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from trainer.contract.package import find_model, models_folder

Model = Annotated[
    str,
    typer.Argument(
        help="A model's folder, the name of one among your models, or the word 'starter'."
    ),
]


def info(model: Model) -> None:
    """Check a model's files and say what it is."""
    package = find_model(model)
    for name in (
        *("title", "method", "base", "dim", "pooling", "template", "max_tokens", "licence"),
        *("space", "folder"),
    ):
        print(f"{name.replace('_', ' '):<12}{getattr(package, name)}")


def serve(model: Model) -> None:
    """Encode texts for another program: frames in on stdin, vectors out on stdout."""
    from trainer.serve import serve as serve_package  # numpy takes its time

    raise typer.Exit(serve_package(model))


def pull(
    hub_id: Annotated[str, typer.Argument(help="The model's name on the hub: OWNER/NAME.")],
    output: Annotated[
        Path | None,
        typer.Option(help="The folder to make; else one among your models.", show_default=False),
    ] = None,
    revision: Annotated[
        str, typer.Option(help="A branch, tag, commit or refs/pr/NUMBER.", show_default="main")
    ] = "",
    pooling: Annotated[
        str,
        typer.Option(
            help="cls, mean or mean_no_special, where the model does not say.", show_default=False
        ),
    ] = "",
) -> None:
    """Fetch a published model from the hub and make a package of it.

    Only weights as safetensors are taken, and no program that comes with a model is run. After a
    pull that was cut short only the missing files are fetched. HF_TOKEN and HF_ENDPOINT count.
    """
    # So late, since importing transformers takes seconds.
    from trainer.packages.pull import pull as pull_package

    folder = output or models_folder() / hub_id.replace("/", "--")
    package = pull_package(hub_id, folder, revision=revision, pooling=pooling, note=_note)
    print(f"{package.title} is at {package.folder}: {package.dim} numbers, {package.pooling}.")


def _note(line: str) -> None:
    print(line, file=sys.stderr)
