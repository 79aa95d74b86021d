"""A recipe with a grid: a run for each combination, of which the best is kept."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import Any

from rich.console import Console

from trainer.contract.run import Run
from trainer.distributed import Ranks
from trainer.loop.begin import Options
from trainer.loop.progress import Reporter
from trainer.loop.session import at_work
from trainer.loop.stopping import StopWishes
from trainer.measure import measure
from trainer.train import Outcome, train


def train_grid(run: Run, ranks: Ranks, options: Options, console: Console | None = None) -> Outcome:
    """Train each combination in `grid/`, or go on with it, and keep the model that validates best.

    The package and the report become the run's; the report also says how the others did. For all
    ranks at once. Raises TrainerError.
    """
    if run.report is not None:
        return Outcome(finished=True)
    with at_work(run, ranks, console, bar=False) as reporter:
        reports: dict[str, dict[str, Any]] = {}
        combinations = dict(run.recipe.combinations())
        for number, (name, recipe) in enumerate(combinations.items(), start=1):
            reporter.note(f"{number} of {len(combinations)}: {name}")
            part = Run(run.folder / "grid" / name)
            if ranks.main:
                Run.create(part.folder, recipe)
            ranks.barrier()
            outcome = train(part, ranks, replace(options, measure=False), console, part_of=run)
            if not outcome.finished:
                reporter.tell("stop", why=f"in {name}")
                return outcome
            reports[name] = part.report or {}
        if ranks.main:
            best = _keep_best(run, reports, reporter)
            run.write_report(best)
            if options.measure:
                with StopWishes(run) as wishes:
                    measure(run, ranks.device, reporter, wishes)
            reporter.tell(
                "end", seconds=sum(r["seconds"] for r in reports.values()), scores=best["scores"]
            )
        ranks.barrier()
        return Outcome(finished=True)


def _keep_best(run: Run, reports: dict[str, dict[str, Any]], reporter: Reporter) -> dict[str, Any]:
    """Copy the package of the best. Returns the run's report: the best one's, and of the others
    how they did."""
    best = max(reports, key=lambda name: _worth(reports[name]))
    reporter.note(f"The best of {len(reports)} combinations: {best}.")
    unfinished = run.folder / "package.new"
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.copytree(run.folder / "grid" / best / "package", unfinished)
    shutil.rmtree(run.package, ignore_errors=True)
    unfinished.rename(run.package)
    tried = {
        name: {key: report[key] for key in ("scores", "validation_loss", "seconds")}
        for name, report in reports.items()
    }
    return {**reports[best], "best": best, "grid": tried}


def _worth(report: dict[str, Any]) -> float:
    """The mean of the scores, else the validation loss, of which less is better."""
    scores = report["scores"]
    if scores:
        return float(sum(scores.values()) / len(scores))
    loss = report["validation_loss"]
    return -float("inf") if loss is None else -float(loss)
