"""What a training would take, by a few of its steps on this machine. Nothing of it is kept."""

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
from trainer.loop.begin import Options, begin
from trainer.loop.checkpoints import Checkpoints
from trainer.loop.learner import Learner, is_measured, tokens_an_example
from trainer.loop.progress import duration
from trainer.loop.scoring import reader_of
from trainer.machine import budget_for, described, forget_memory, most_memory, precision_of
from trainer.methods.base import Method, Stage

# The first steps find memory and choose kernels. The others are timed for so many seconds.
_WARM_UP = 2
_SECONDS = 15.0
# Forward alone, as for validation, is a third of forward and backward.
_FORWARD = 1 / 3


@dataclass(frozen=True)
class Estimate:
    """Of one stage: `seconds` in all, of which `measuring` on validation papers and `saving`.

    Speeds are of all ranks together, from `timed` steps; `memory` in bytes, at the most.
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
) -> list[Estimate]:
    """Estimate each stage; `note` hears what goes on. For all ranks at once. Raises
    TrainerError."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        method = begin(recipe, Path(folder), ranks, options, note, kept=False).method
        for stage in method.stages:
            note(f"Trying some steps of the stage {stage.name}")
            found.append(_estimate(method, stage, recipe, ranks, options, Path(folder)))
    return found


def _estimate(
    method: Method, stage: Stage, recipe: Recipe, ranks: Ranks, options: Options, folder: Path
) -> Estimate:
    forget_memory(ranks.device)
    learner = Learner(
        stage,
        ranks,
        seed=recipe.seed,
        precision=precision_of(str(recipe.settings["precision"]), ranks.device),
        budget=options.budget or budget_for(ranks.device, method.encoder.backbone),
        fsdp=options.fsdp,
    )
    seconds, tokens, examples, timed = _timed(learner, ranks)
    rate = tokens / seconds
    in_all = int(tokens_an_example(stage.train) * stage.plan.batch_size * learner.steps)
    often = sum(is_measured(stage, step + 1) for step in range(learner.steps))
    measuring = often * _measurement(method, stage, rate)
    training = in_all / rate
    saves = often + 1 + training / max(options.save_every, 1.0)
    saving = saves * _save(learner, ranks, folder)
    return Estimate(
        stage=stage.name,
        examples=len(stage.train),
        steps=learner.steps,
        tokens=in_all,
        tokens_per_second=rate,
        examples_per_second=examples / seconds,
        timed=timed,
        seconds=training + measuring + saving,
        measuring=measuring,
        saving=saving,
        memory=most_memory(ranks.device),
        budget=learner.budget,
    )


def _timed(learner: Learner, ranks: Ranks) -> tuple[float, float, float, int]:
    """Seconds, tokens and examples of some steps, and how many those were."""
    begun, mine, timed = time.perf_counter(), [0.0, 0.0], 0
    for taken in learner.take():
        float(taken.loss)  # waits for the device
        if taken.step <= _WARM_UP < learner.steps:
            begun = time.perf_counter()
            continue
        mine = [mine[0] + taken.tokens, mine[1] + taken.examples]
        timed += 1
        if ranks.agreed(time.perf_counter() - begun > _SECONDS):
            break
    seconds = time.perf_counter() - begun
    tokens, examples = ranks.total(mine)
    return seconds, tokens, examples, timed


def _measurement(method: Method, stage: Stage, rate: float) -> float:
    """Seconds of one: those of the texts by the speed of training, the rest by doing it."""
    tokens = tokens_an_example(stage.validation) * len(stage.validation)
    if not stage.scores:
        return tokens / rate * _FORWARD
    reader, read = reader_of(method), 0
    chance = np.random.default_rng(1)

    def pretend(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        nonlocal read
        read += sum(map(len, reader.ids(pairs)))
        return chance.normal(size=(len(pairs), method.encoder.dim)).astype(np.float32)

    begun = time.perf_counter()
    stage.scores(pretend)
    return time.perf_counter() - begun + (tokens + read) / rate * _FORWARD


def _save(learner: Learner, ranks: Ranks, folder: Path) -> float:
    """Seconds of one checkpoint."""
    begun = time.perf_counter()
    model, optimizer = learner.tensors()
    if ranks.main:
        Checkpoints(folder / "checkpoint").save(1, {}, model, optimizer, best=0)
    return time.perf_counter() - begun


def table(found: Sequence[Estimate]) -> Table:
    """A column a stage: three of them, however large their numbers, fit a terminal's 80."""
    shown = Table("", *(one.stage for one in found), box=None, padding=(0, 2, 0, 0))
    for column in shown.columns[1:]:
        column.justify = "right"
    for name, said in (
        ("examples", lambda one: f"{one.examples:,}"),
        ("steps", lambda one: f"{one.steps:,}"),
        ("tokens", lambda one: f"{one.tokens:,}"),
        ("tokens/s", lambda one: f"{one.tokens_per_second:,.0f}"),
        ("examples/s", lambda one: f"{one.examples_per_second:,.1f}"),
        ("memory", lambda one: f"{one.memory / 1e9:.1f} GB"),
        ("time", lambda one: duration(one.seconds)),
    ):
        shown.add_row(name, *map(said, found))
    return shown


def show(recipe: Recipe, ranks: Ranks, found: Sequence[Estimate]) -> None:
    """Print it."""
    console = Console()
    machine = described(ranks)
    many = f", {ranks.world} ranks" if ranks.world > 1 else ""
    said = f"{recipe.name} from {recipe.base} on {machine['device']}{many}"
    console.print(escape(said), soft_wrap=True)
    console.print(table(found))
    timed = sum(one.timed for one in found)
    console.print(
        f"{duration(sum(one.seconds for one in found))} in all, of which "
        f"{duration(sum(one.measuring for one in found))} to measure and "
        f"{duration(sum(one.saving for one in found))} to save. "
        f"Speeds are from {timed} step{'s' if timed > 1 else ''} on this machine as it is now.",
        soft_wrap=True,
    )
