"""Estimates of the duration and memory of a training, from a few of its steps on this machine.

Nothing of it is kept.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from trainer.contract.run import Recipe
from trainer.distributed import Ranks
from trainer.loop.checkpoints import Checkpoints
from trainer.loop.progress import duration
from trainer.loop.scoring import text_reader
from trainer.loop.setup import Options, prepare_run
from trainer.loop.stage_trainer import StageTrainer, mean_tokens, validates_after
from trainer.machine import (
    budget_for,
    describe_machine,
    peak_memory,
    precision_of,
    reset_peak_memory,
)
from trainer.methods.base import Method, TrainingStage

# The first steps allocate memory and choose kernels. The others are timed for _SECONDS.
_WARM_UP = 2
_SECONDS = 15.0
# The forward pass alone, as in validation, takes a third of forward and backward.
_FORWARD = 1 / 3


@dataclass(frozen=True)
class DryRunEstimate:
    """Estimate for one stage: `seconds` in total, of which `measuring` (validation) and `saving`.

    Speeds are those of all ranks together, from `timed` steps; `memory` is the peak in bytes.
    """

    stage: str
    examples: int
    steps: int
    tokens: int
    tokens_per_second: float
    examples_per_second: float
    timed: int
    seconds: float
    measuring: float
    saving: float
    memory: int
    budget: int


def dry_run(
    recipe: Recipe, ranks: Ranks, options: Options, note: Callable[[str], None] = lambda _: None
) -> list[DryRunEstimate]:
    """Estimate each stage, reporting progress to `note`. Collective: call on all ranks.

    Raises TrainerError.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder:
        method = prepare_run(recipe, Path(folder), ranks, options, note, is_permanent=False).method
        for stage in method.stages:
            note(f"Timing steps of the stage {stage.name}")
            found.append(_estimate(method, stage, recipe, ranks, options, Path(folder)))
    return found


def _estimate(
    method: Method,
    stage: TrainingStage,
    recipe: Recipe,
    ranks: Ranks,
    options: Options,
    folder: Path,
) -> DryRunEstimate:
    reset_peak_memory(ranks.device)
    stage_trainer = StageTrainer(
        stage,
        ranks,
        seed=recipe.seed,
        precision=precision_of(str(recipe.settings["precision"]), ranks.device),
        budget=options.budget or budget_for(ranks.device, method.encoder.backbone),
        fsdp=options.fsdp,
    )
    seconds, tokens, examples, timed = _timed(stage_trainer, ranks)
    rate = tokens / seconds
    in_all = int(mean_tokens(stage.train) * stage.plan.batch_size * stage_trainer.steps)
    often = sum(validates_after(stage, step + 1) for step in range(stage_trainer.steps))
    measuring = often * _measurement(method, stage, rate)
    training = in_all / rate
    saves = often + 1 + training / max(options.save_every, 1.0)
    saving = saves * _save(stage_trainer, ranks, folder)
    return DryRunEstimate(
        stage=stage.name,
        examples=len(stage.train),
        steps=stage_trainer.steps,
        tokens=in_all,
        tokens_per_second=rate,
        examples_per_second=examples / seconds,
        timed=timed,
        seconds=training + measuring + saving,
        measuring=measuring,
        saving=saving,
        memory=peak_memory(ranks.device),
        budget=stage_trainer.budget,
    )


def _timed(stage_trainer: StageTrainer, ranks: Ranks) -> tuple[float, float, float, int]:
    """Run some steps. Return their seconds, tokens and examples over all ranks, and their
    number."""
    begun, mine, timed = time.perf_counter(), [0.0, 0.0], 0
    for result in stage_trainer.train_steps():
        float(result.loss)  # waits for the device
        if result.step <= _WARM_UP < stage_trainer.steps:
            begun = time.perf_counter()
            continue
        mine = [mine[0] + result.tokens, mine[1] + result.examples]
        timed += 1
        if ranks.agreed(time.perf_counter() - begun > _SECONDS):
            break
    seconds = time.perf_counter() - begun
    tokens, examples = ranks.total(mine)
    return seconds, tokens, examples, timed


def _measurement(method: Method, stage: TrainingStage, rate: float) -> float:
    """Estimate the seconds of one validation: encoding from the training speed, the rest by
    timing."""
    tokens = mean_tokens(stage.validation) * len(stage.validation)
    if not stage.scores:
        return tokens / rate * _FORWARD
    reader, read = text_reader(method), 0
    chance = np.random.default_rng(1)

    def pretend(pairs: Sequence[tuple[str, str]], *, queries: bool = False) -> NDArray[np.float32]:
        nonlocal read
        read += sum(map(len, reader.ids(pairs, queries=queries)))
        return chance.normal(size=(len(pairs), method.encoder.dim)).astype(np.float32)

    begun = time.perf_counter()
    stage.scores(pretend)
    return time.perf_counter() - begun + (tokens + read) / rate * _FORWARD


def _save(stage_trainer: StageTrainer, ranks: Ranks, folder: Path) -> float:
    """Return the seconds that one checkpoint takes."""
    begun = time.perf_counter()
    model, optimizer = stage_trainer.tensors()
    if ranks.main:
        Checkpoints(folder / "checkpoint").save(1, {}, model, optimizer, best=0)
    return time.perf_counter() - begun


def table(found: Sequence[DryRunEstimate]) -> Table:
    """Build a table with a column per stage; three of them fit a terminal of 80 columns."""
    shown = Table("", *(one.stage for one in found), box=None, padding=(0, 2, 0, 0))
    for column in shown.columns[1:]:
        column.justify = "right"
    for name, text in (
        ("examples", lambda one: f"{one.examples:,}"),
        ("steps", lambda one: f"{one.steps:,}"),
        ("tokens", lambda one: f"{one.tokens:,}"),
        ("tokens/s", lambda one: f"{one.tokens_per_second:,.0f}"),
        ("examples/s", lambda one: f"{one.examples_per_second:,.1f}"),
        ("memory", lambda one: f"{one.memory / 1e9:.1f} GB"),
        ("time", lambda one: duration(one.seconds)),
    ):
        shown.add_row(name, *map(text, found))
    return shown


def show(recipe: Recipe, ranks: Ranks, found: Sequence[DryRunEstimate]) -> None:
    """Print the estimates."""
    console = Console()
    machine = describe_machine(ranks)
    many = f", {ranks.world} ranks" if ranks.world > 1 else ""
    title = f"{recipe.name} from {recipe.base} on {machine['device']}{many}"
    console.print(escape(title), soft_wrap=True)
    console.print(table(found))
    timed = sum(one.timed for one in found)
    console.print(
        f"{duration(sum(one.seconds for one in found))} in total, including "
        f"{duration(sum(one.measuring for one in found))} for validation and "
        f"{duration(sum(one.saving for one in found))} for checkpoints. Estimated from "
        f"{timed} step{'s' if timed > 1 else ''} on this machine under its current load.",
        soft_wrap=True,
    )
