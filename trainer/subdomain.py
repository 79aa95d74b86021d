"""PhysBERT's last measure: how well a model tells subcategories once it was trained on a field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trainer.contract.report import Subject
from trainer.contract.run import Recipe, Run
from trainer.data.prepare import prepare
from trainer.distributed import Ranks
from trainer.evaluate import Evaluated, evaluate
from trainer.evaluations.base import Task
from trainer.grid import train_grid
from trainer.loop.begin import Options
from trainer.subjects.opening import open_subject
from trainer.suites import physbert
from trainer.suites.suite import Planned
from trainer.train import Outcome

RECIPE = "physbert-subdomain"


@dataclass(frozen=True)
class Plan:
    """What to train and measure on: a folder of PhysBERT's data sets, and where results go.

    `changes` are settings other than the recipe's.
    """

    base: str
    data: Path
    output: Path
    changes: Mapping[str, Any]
    seed: int = 1

    def task(self, field: str) -> Task:
        """Raises TrainerError, also where there is nothing to train on."""
        physbert.category_files(self.data / physbert.TRAINING, physbert.FIELDS[field])
        return physbert.subcategories(self.data, field, tuned=True)

    def run(self, field: str) -> Run:
        """The run of a field; its corpus is made of the field's training files alone."""
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
    plan: Plan,
    field: str,
    ranks: Ranks,
    options: Options,
    note: Callable[[str], None],
) -> tuple[Outcome, Evaluated | None]:
    """Train the grid, or go on with it, and cluster the field's papers by the best model of it.

    The best is chosen by validation papers of the training files: the papers that are clustered
    have no part in that. Nothing is measured where training was stopped. For all ranks at once.
    Raises TrainerError.
    """
    task = plan.task(field)
    if ranks.main:
        plan.run(field)
    ranks.barrier()
    run = Run(plan.output / field / "run")
    outcome = train_grid(run, ranks, options)
    if not outcome.finished:
        return outcome, None
    maker = open_subject(str(run.package), ranks=ranks, note=note)
    planned = Planned(task.name, f"{physbert.TITLES[field]}, trained on it", lambda: task)
    found = evaluate(
        maker,
        "physbert",
        [(planned, task)],
        plan.output / field / "report",
        ranks,
        progress=_Told(note),
    )
    return outcome, found


class _Told:
    """Says what is done; training has its own display."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def begin(self, subject: Subject, tasks: int) -> None: ...

    def begin_task(self, title: str) -> None: ...

    def done(self, title: str, said: str = "") -> None:
        self._note(f"{title}: {said or 'measured'}")
