"""The command for PhysBERT's sub-domain fine-tuning."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from trainer.contract.errors import TrainerError

if TYPE_CHECKING:
    from trainer.distributed import Ranks
    from trainer.subdomain import SubdomainPlan
    from trainer.train import TrainingOutcome

EXAMPLES = """Examples: PhysBERT's own three fields, on eight GPUs; a small model on one field, on a CPU.

torchrun --nproc-per-node=8 -m trainer subdomain thellert/physbert_uncased --corpus DATA -o tuned

sciread-trainer subdomain starter --corpus DATA -o tuned --fields hep --set category_pairs=2000 --set max_tokens=64

A model of the hub is fetched before with: sciread-trainer pull OWNER/NAME
"""  # noqa: E501


Model = Annotated[str, typer.Argument(help="The model to start from, as in `train --base`.")]
Data = Annotated[Path, typer.Option(help="The folder of physbert_subdomain_training and _eval.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Runs and reports go here.")]
Fields = Annotated[str, typer.Option(help="Of these, with commas between.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a setting. May repeat."),
]
Seed = Annotated[int, typer.Option(help="Of all chance.")]
Device = Annotated[str, typer.Option(help="As torch names it; else the first GPU.")]


def subdomain(
    model: Model,
    corpus: Data,
    output: Output,
    fields: Fields = "condmat,astro,hep",
    changes: Changes = None,
    seed: Seed = 1,
    device: Device = "",
) -> None:
    """Train a model on each field, and measure how well it then tells the field's subcategories.

    As in PhysBERT's paper: one epoch of pairs of one subcategory, two learning rates by two batch
    sizes, of which the best on validation papers is kept; then V-measure over ten folds of the
    papers set aside. The same command goes on after whatever has happened.
    """
    # As in `train`: idle threads must not spin on cores that other processes use.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from trainer.distributed import Ranks
    from trainer.subdomain import SubdomainPlan
    from trainer.suites.physbert import FIELDS

    requested = [name.strip() for name in fields.split(",") if name.strip()]
    if unknown := [name for name in requested if name not in FIELDS]:
        raise TrainerError(f"There is no field {unknown[0]!r}.", f"There are {', '.join(FIELDS)}.")
    base = str(Path(model).resolve()) if Path(model).is_dir() else model
    settings = dict(_setting(change) for change in changes or ())
    plan = SubdomainPlan(base, corpus, output, settings, seed)
    with Ranks.from_environment(device) as ranks:
        for field in requested:
            plan.task(field)  # check all before hours are spent on the first
        outcomes = (_tune(plan, field, ranks, device) for field in requested)
        stopped = next((outcome for outcome in outcomes if not outcome.finished), None)
    if stopped and stopped.signal:
        raise typer.Exit(128 + stopped.signal)


def _tune(plan: SubdomainPlan, field: str, ranks: Ranks, device: str) -> TrainingOutcome:
    """Train on a field, measure the model, and print the scores."""
    from trainer.loop.setup import Options
    from trainer.reports.table import terminal
    from trainer.subdomain import train_and_measure

    said = Console(stderr=True, highlight=False, quiet=not ranks.main)
    outcome, found = train_and_measure(
        plan, field, ranks, Options(device), lambda text: said.print(escape(text))
    )
    if found and ranks.main:
        Console(highlight=False).print(terminal([found.report]))
        print(f"The report: {found.folder}")
    return outcome


def _setting(change: str) -> tuple[str, str]:
    name, equals, value = change.partition("=")
    if not equals or not name:
        raise TrainerError(f"--set {change} says no value.", "Write it as --set KEY=VALUE.")
    return name, value
