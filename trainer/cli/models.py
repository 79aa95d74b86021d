"""Commands that inspect, serve and download models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from trainer.cli.progress import AsJson, AsLines, ProgressDisplay, answering
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
    from trainer.serve import serve as serve_package  # imported here: numpy takes time

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
    as_json: AsJson = False,
    progress: AsLines = False,
) -> None:
    """Fetch a published model from the hub and make a package of it.

    Only weights as safetensors are taken, and no program that comes with a model is run. After a
    pull that was cut short only the missing files are fetched. HF_TOKEN and HF_ENDPOINT count.
    """
    # Imported here: transformers takes seconds.
    from trainer.packages.pull import pull as pull_package

    folder = output or models_folder() / hub_id.replace("/", "--")
    with answering(as_json), ProgressDisplay(as_json, as_lines=progress) as shown:
        package = pull_package(
            hub_id,
            folder,
            revision=revision,
            pooling=pooling,
            note=shown.note,
            at=lambda done, total: shown.at(
                hub_id, f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB", done / max(1, total)
            ),
        )
    if as_json:
        typer.echo(json.dumps({"folder": str(package.folder), "space": package.space}))
        return
    print(f"{package.title} is at {package.folder}: {package.dim} numbers, {package.pooling}.")
