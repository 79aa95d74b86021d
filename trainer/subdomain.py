"""PhysBERT's subdomain evaluation: clustering of subcategories after training on a field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trainer.contract.report import EvaluatedModel
from trainer.contract.run import Recipe, Run
from trainer.data.corpus.prepare import prepare
from trainer.distributed import Ranks
from trainer.encoders.opening import open_encoder
from trainer.evaluate import EvaluationResult, evaluate
from trainer.evaluations.base import EvaluationTask
from trainer.grid import train_grid
from trainer.loop.setup import Options
from trainer.suites import physbert
from trainer.train import TrainingOutcome

RECIPE = "physbert-subdomain"


@dataclass(frozen=True)
class SubdomainPlan:
    """The parameters of an evaluation: a folder of PhysBERT's data sets, and the output folder.

    `changes` override the recipe's settings.
    """

    base: str
    data: Path
    output: Path
    changes: Mapping[str, Any]
    seed: int = 1

    def task(self, field: str) -> EvaluationTask:
        """Return the task of a field. Raises TrainerError, also if the field has no training
        data."""
        physbert.category_files(self.data / physbert.TRAINING, physbert.FIELDS[field])
        return physbert.subcategories(self.data, field, tuned=True)

    def run(self, field: str) -> Run:
        """Return the run of a field; its corpus is made from the field's training files alone."""
        folder = self.output / field
        if not (folder / "corpus").exists():
            files = physbert.category_files(self.data / physbert.TRAINING, physbert.FIELDS[field])
            folder.mkdir(parents=True, exist_ok=True)
            prepare([str(path) for path in files], folder / "corpus")
        changes = {**self.changes, "base": self.base}
        recipe = Recipe.named(RECIPE, folder / "corpus", seed=self.seed, changes=changes)
        Run.create(folder / "run", recipe)
        return Run(folder / "run")


def train_and_measure(
    plan: SubdomainPlan,
    field: str,
    ranks: Ranks,
    options: Options,
    note: Callable[[str], None],
) -> tuple[TrainingOutcome, EvaluationResult | None]:
    """Train the grid, resuming if need be, and cluster the field's papers with its best model.

    The best is selected on validation papers of the training files, independently of the clustered
    papers. A stopped training is not evaluated. Collective: call on all ranks. Raises TrainerError.
    """
    task = plan.task(field)
    if ranks.main:
        plan.run(field)
    ranks.barrier()
    run = Run(plan.output / field / "run")
    outcome = train_grid(run, ranks, options)
    if not outcome.finished:
        return outcome, None
    maker = open_encoder(str(run.package), ranks=ranks, note=note)
    found = evaluate(
        maker,
        "physbert",
        [replace(task, title=f"{physbert.TITLES[field]}, fine-tuned")],
        plan.output / field / "report",
        ranks,
        progress=_NoteProgress(note),
    )
    return outcome, found


class _NoteProgress:
    """Passes progress on to `note`; training has its own display."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def begin(self, subject: EvaluatedModel, tasks: int) -> None: ...

    def begin_task(self, title: str) -> None: ...

    def done(self, title: str, remark: str = "") -> None:
        self._note(f"{title}: {remark or 'evaluated'}")
