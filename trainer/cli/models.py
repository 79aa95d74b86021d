"""Commands that inspect, serve and download models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from trainer.cli.progress import AsJson, AsLines, ProgressDisplay, answering
from trainer.contract.errors import TrainerError
from trainer.contract.package import Package, find_model, models_folder

Model = Annotated[
    str,
    typer.Argument(help="Model folder, the name of an installed model, or 'starter'."),
]


def info(model: Model) -> None:
    """Verify a model's files and describe the model."""
    package = find_model(model)
    for name in (
        *("title", "method", "base", "dim", "pooling", "head", "template", "query_template"),
        *("max_tokens", "licence", "space", "folder"),
    ):
        value = getattr(package, name)
        shown = ", ".join(value) if isinstance(value, tuple) else value
        title = {"licence": "license", "head": "modules"}.get(name, name.replace("_", " "))
        print(f"{title:<16}{shown}".rstrip())


def serve(model: Model) -> None:
    """Embed texts for another program: frames on stdin, vectors on stdout."""
    from trainer.serve import serve as serve_package  # imported here: numpy takes time

    raise typer.Exit(serve_package(model))


def soup(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL...", help="Two or more models of one base.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to create.")],
    weights: Annotated[
        str,
        typer.Option(
            metavar="N,N,...", help="Weight of each model in the average; default: equal."
        ),
    ] = "",
    title: Annotated[str, typer.Option(help="Title of the new model.", show_default=False)] = "",
    as_json: AsJson = False,
) -> None:
    """Average the weights of several models into one (a model soup).

    The average of runs with different seeds or settings is often better than each of them, and
    costs no more to use. The models must have the same base model and corpus. Evaluate the
    result before you use it.
    """
    from trainer.packages.soup import soup as average  # imported here: torch takes seconds

    with answering(as_json):
        try:
            shares = [float(weight) for weight in weights.split(",") if weight.strip()]
        except ValueError as error:
            raise TrainerError(
                f"{weights!r} is not a list of numbers.", "Example: --weights 2,1,1"
            ) from error
        package = average([find_model(name) for name in models], output, shares=shares, title=title)
        _report(package, as_json)


def merge(
    model: Model,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to create.")],
    title: Annotated[
        str, typer.Option(help="Title of the new model; default: that of the adapter.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Merge an adapter (LoRA) into its base model.

    The new model has all weights, gives the same vectors, and no longer requires the base model.
    """
    from trainer.packages.soup import merge as merge_adapter  # imported here: torch takes seconds

    with answering(as_json):
        _report(merge_adapter(find_model(model), output, title=title), as_json)


def _report(package: Package, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"folder": str(package.folder), "space": package.space}))
    else:
        print(f"{package.title} was saved in {package.folder}.")


def push(
    model: Model,
    hub_id: Annotated[str, typer.Argument(help="Repository on the Hugging Face Hub: OWNER/NAME.")],
    public: Annotated[
        bool, typer.Option("--public", help="Create a public repository instead of a private one.")
    ] = False,
    message: Annotated[str, typer.Option(help="Message of the commit.", show_default=False)] = "",
    as_json: AsJson = False,
) -> None:
    """Upload a model with its card and metrics to the Hugging Face Hub.

    The repository is created if it does not exist. HF_TOKEN (a token with write access) and
    HF_ENDPOINT are respected. The path of the base model on this computer is not uploaded.
    """
    # Imported here: huggingface_hub takes time.
    from trainer.packages.push import push as push_package

    with answering(as_json):
        address = push_package(find_model(model), hub_id, public=public, message=message)
        typer.echo(json.dumps({"url": address}) if as_json else f"Uploaded to {address}")


def pull(
    hub_id: Annotated[str, typer.Argument(help="Model name on the Hugging Face Hub: OWNER/NAME.")],
    output: Annotated[
        Path | None,
        typer.Option(
            help="Folder to create; default: a folder among your models.", show_default=False
        ),
    ] = None,
    revision: Annotated[
        str, typer.Option(help="Branch, tag, commit or refs/pr/NUMBER.", show_default="main")
    ] = "",
    pooling: Annotated[
        str,
        typer.Option(
            help="cls, mean or mean_no_special, if the model does not specify its pooling.",
            show_default=False,
        ),
    ] = "",
    dimensions: Annotated[
        int,
        typer.Option(
            help="Keep only the first dimensions, for a model that was trained for it "
            "(Matryoshka); default: all.",
            min=0,
            show_default=False,
        ),
    ] = 0,
    as_json: AsJson = False,
    progress: AsLines = False,
) -> None:
    """Download a published model from the Hugging Face Hub and convert it for SciRead.

    Code included with a model is never run; an adapter is applied to its base model. After an
    interruption, only the missing files are downloaded. HF_TOKEN and HF_ENDPOINT are respected.
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
            dim=dimensions,
            note=shown.note,
            at=lambda done, total: shown.at(
                hub_id, f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB", done / max(1, total)
            ),
        )
    if as_json:
        typer.echo(json.dumps({"folder": str(package.folder), "space": package.space}))
        return
    print(
        f"{package.title} was saved in {package.folder} ({package.dim} dimensions, pooling "
        f"{package.pooling})."
    )
