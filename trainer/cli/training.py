"""The commands for training: of one model, and PhysBERT's sub-domain fine-tuning."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.markup import escape

from trainer.cli.progress import AsJson, AsLines, ProgressDisplay, answering
from trainer.contract.errors import TrainerError
from trainer.contract.run import Recipe, Run

if TYPE_CHECKING:
    from trainer.distributed import Ranks
    from trainer.loop.dry_run import DryRunEstimate
    from trainer.loop.setup import Options
    from trainer.subdomain import SubdomainPlan
    from trainer.train import TrainingOutcome

EXAMPLES = """Examples: a small model in minutes, even without a GPU; a time estimate for the
paper's recipe on this machine; the same recipe with another learning rate.

sciread-trainer train runs/first --recipe specter-small --corpus corpus

sciread-trainer train runs/second --recipe specter --corpus corpus --dry-run

sciread-trainer train runs/second --recipe specter --corpus corpus --set learning_rate=3e-5

The four seeds of the Multi2SPE paper:

sciread-trainer train runs/third --recipe multi2spe --corpus corpus --seeds 1783,1918,1945,1991

Exit status: 0 if the model is finished, 1 for an error, 2 for invalid usage, 128 plus the signal's
number if a signal stopped the training.
"""


RunFolder = Annotated[Path, typer.Argument(help="Run folder; created if it does not exist.")]
RecipeName = Annotated[str, typer.Option(help="Recipe or method; see `sciread-trainer methods`.")]
CorpusFolder = Annotated[Path | None, typer.Option(help="Corpus folder, as written by `prepare`.")]
BaseName = Annotated[str, typer.Option(help="Base model.")]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a setting; [A,B] tries both values. Can be repeated.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        help="Random seed of the training; default: 1. Evaluations use a seed of their own."
    ),
]
Seeds = Annotated[
    str,
    typer.Option(
        metavar="N,N,...",
        help="Train and evaluate once with each of these seeds, and report mean and standard "
        "deviation; the model with the best validation result is kept.",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only estimate time and memory.")]
Device = Annotated[str, typer.Option(help="PyTorch device; default: the first GPU.")]
Budget = Annotated[int, typer.Option(min=0, help="Tokens per pass; 0: as many as fit.")]
Fsdp = Annotated[bool, typer.Option("--fsdp", help="Shard the weights over all ranks (FSDP).")]
Checkpointing = Annotated[
    bool,
    typer.Option("--checkpointing", help="Recompute layers in the backward pass to save memory."),
]
Compiled = Annotated[
    bool,
    typer.Option("--compile", help="Compile layers with PyTorch; test whether it is faster."),
]
SaveEvery = Annotated[float, typer.Option(min=0.0, help="Minutes between checkpoints.")]
Measured = Annotated[
    bool,
    typer.Option(
        "--measure/--no-measure",
        help="After training, evaluate the model and its base on a sample of the test split.",
    ),
]


TensorBoard = Annotated[
    bool,
    typer.Option(
        "--tensorboard",
        help="Also write events for TensorBoard, to the folder tensorboard of the run.",
    ),
]


class TrainOptions(NamedTuple):
    """Options of the command; unset ones are taken from the existing run."""

    recipe: str = ""
    corpus: Path | None = None
    base: str = ""
    changes: Sequence[str] = ()
    seed: int | None = None
    seeds: tuple[int, ...] = ()


def train(
    run: RunFolder,
    recipe: RecipeName = "",
    corpus: CorpusFolder = None,
    base: BaseName = "",
    changes: Changes = None,
    seed: Seed = None,
    seeds: Seeds = "",
    dry_run: DryRun = False,
    device: Device = "",
    budget: Budget = 0,
    fsdp: Fsdp = False,
    checkpointing: Checkpointing = False,
    compiled: Compiled = False,
    save_every: SaveEvery = 5.0,
    measured: Measured = True,
    tensorboard: TensorBoard = False,
    as_json: AsJson = False,
    progress: AsLines = False,
) -> None:
    """Train a model, or resume an interrupted run.

    A new run requires --recipe and --corpus. To resume it, run the same command again, or pass the
    run folder alone. --json prints the result of a --dry-run.

    On several GPUs: torchrun --nproc-per-node=8 -m trainer train RUN
    """
    # With several ranks torch warns about its search for unused weights, which may exist.
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    # Idle threads must not spin on cores that other processes use.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    # Imported here: torch takes seconds, and other commands do not need it.
    from trainer.distributed import Ranks
    from trainer.loop.setup import Options

    options = Options(
        device, budget, fsdp, checkpointing, compiled, save_every * 60, measured, tensorboard
    )
    with answering(as_json), Ranks.from_environment(device) as ranks:
        requested = TrainOptions(recipe, corpus, base, changes or (), seed, _seeds(seeds))
        if dry_run:
            _estimate(_recipe(Run(run), requested), ranks, options, as_json, progress)
            return
        signal = _train(Run(run), requested, ranks, options)
    if signal:
        raise typer.Exit(128 + signal)


def _estimate(
    recipe: Recipe, ranks: Ranks, options: Options, as_json: bool, progress: bool
) -> None:
    from trainer.loop.dry_run import dry_run, show

    with ProgressDisplay(as_json or not ranks.main, as_lines=progress and ranks.main) as shown:
        found = dry_run(recipe, ranks, options, shown.note)
    if ranks.main and as_json:
        typer.echo(json.dumps(_described(recipe, ranks, found)))
    elif ranks.main:
        show(recipe, ranks, found)


def _described(recipe: Recipe, ranks: Ranks, found: Sequence[DryRunEstimate]) -> dict[str, Any]:
    from trainer.machine import describe_machine

    return {
        "recipe": recipe.name,
        "base": recipe.base,
        **describe_machine(ranks),
        "stages": [asdict(one) for one in found],
        "steps": sum(one.steps for one in found),
        "seconds": sum(one.seconds for one in found),
        "memory": max((one.memory for one in found), default=0),
    }


def _train(run: Run, requested: TrainOptions, ranks: Ranks, options: Options) -> int:
    """Train, and return the signal that stopped it, or 0."""
    from trainer.grid import train_grid
    from trainer.train import train as train_run

    # An existing run is resumed without creating anything unless an option is given.
    if ranks.main and (requested != TrainOptions() or not run.exists):
        Run.create(run.folder, _recipe(run, requested))
    ranks.barrier()
    begin = train_grid if run.recipe.grid else train_run
    outcome = begin(run, ranks, options)
    if outcome.finished and ranks.main:
        print(f"Model: {run.package}")
    return outcome.signal


def _recipe(run: Run, requested: TrainOptions) -> Recipe:
    old = run.recipe if run.exists else None
    name, corpus, base, changes, seed, seeds = requested
    if seed is not None and seeds:
        raise TrainerError("Use either --seed or --seeds, not both.", "Omit one of them.")
    if not old and not (name and corpus):
        raise TrainerError(
            f"{run.folder} is a new run, which requires a recipe and a corpus.",
            "Add --recipe NAME (see: sciread-trainer methods) and --corpus FOLDER.",
        )
    settings = dict(_setting(change) for change in changes)
    if base:
        settings["base"] = base
    if isinstance(settings.get("base"), str) and Path(settings["base"]).is_dir():
        settings["base"] = str(Path(settings["base"]).resolve())
    grid: dict[str, Any] = {k: v for k, v in settings.items() if isinstance(v, list)}
    settings = {key: value for key, value in settings.items() if key not in grid}
    if old and not name:
        settings, grid = {**old.settings, **settings}, {**old.grid, **grid}
    made = Recipe.named(
        name or (old.name if old else ""),
        corpus or (old.corpus if old else Path()),
        seed=seed if seed is not None else (old.seed if old else 1),
        changes=settings,
        grid=grid or None,
    )
    return made.of_seeds(seeds) if seeds else made


def _seeds(said: str) -> tuple[int, ...]:
    try:
        return tuple(int(seed) for seed in said.split(",")) if said else ()
    except ValueError as error:
        raise TrainerError(
            f"--seeds {said} is not a list of seeds.", "Use the form --seeds 1783,1918,1945,1991"
        ) from error


def _name_and_value(change: str) -> tuple[str, str]:
    name, equals, value = change.partition("=")
    if not equals or not name:
        raise TrainerError(f"--set {change} has no value.", "Use the form --set KEY=VALUE.")
    return name, value


def _setting(change: str) -> tuple[str, Any]:
    """Parse `key=value`; a TOML list holds values to try."""
    name, value = _name_and_value(change)
    if not value.startswith("["):
        return name, value
    try:
        return name, tomllib.loads(f"values = {value}")["values"]
    except tomllib.TOMLDecodeError as error:
        raise TrainerError(f"--set {change} is not a valid list: {error}.") from error


SUBDOMAIN_EXAMPLES = """Examples: the three fields of the PhysBERT paper, on eight GPUs; a small model on one field, on a CPU.

torchrun --nproc-per-node=8 -m trainer subdomain thellert/physbert_uncased --corpus DATA -o tuned

sciread-trainer subdomain starter --corpus DATA -o tuned --fields hep --set category_pairs=2000 --set max_tokens=64

Download a model from the Hugging Face Hub first with: sciread-trainer pull OWNER/NAME
"""  # noqa: E501

Model = Annotated[str, typer.Argument(help="Base model, as for `train --base`.")]
Data = Annotated[
    Path, typer.Option(help="Folder with physbert_subdomain_training and physbert_subdomain_eval.")
]
Output = Annotated[Path, typer.Option("--output", "-o", help="Output folder for runs and reports.")]
Fields = Annotated[str, typer.Option(help="Only these fields, separated by commas.")]
OneSeed = Annotated[int, typer.Option(help="Random seed.")]
OneSetting = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a setting. Can be repeated."),
]


def subdomain(
    model: Model,
    corpus: Data,
    output: Output,
    fields: Fields = "condmat,astro,hep",
    changes: OneSetting = None,
    seed: OneSeed = 1,
    device: Device = "",
) -> None:
    """Fine-tune a model on each field, and evaluate its clusters of the field's subcategories.

    As in the PhysBERT paper: one epoch on pairs of papers from the same subcategory, with two
    learning rates and two batch sizes, of which the best on the validation papers is kept; then the
    V-measure over ten folds of the test papers. Run the same command again to resume.
    """
    # As in `train`: idle threads must not spin on cores that other processes use.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from trainer.distributed import Ranks
    from trainer.subdomain import SubdomainPlan
    from trainer.suites.physbert import FIELDS

    requested = [name.strip() for name in fields.split(",") if name.strip()]
    if unknown := [name for name in requested if name not in FIELDS]:
        raise TrainerError(
            f"The field {unknown[0]!r} does not exist.", f"Available fields: {', '.join(FIELDS)}."
        )
    base = str(Path(model).resolve()) if Path(model).is_dir() else model
    settings = dict(_name_and_value(change) for change in changes or ())
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

    console = Console(stderr=True, highlight=False, quiet=not ranks.main)
    outcome, found = train_and_measure(
        plan, field, ranks, Options(device), lambda text: console.print(escape(text))
    )
    if found and ranks.main:
        Console(highlight=False).print(terminal([found.report]))
        print(f"Report: {found.folder}")
    return outcome
