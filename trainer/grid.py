"""A recipe with a grid: a run for each combination, of which the best is kept."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import mean
from typing import Any

from rich.console import Console

from trainer.contract.errors import TrainerError
from trainer.contract.run import SEED, Recipe, Run
from trainer.data.corpus import Corpus, Split
from trainer.distributed import Ranks
from trainer.loop.begin import Options
from trainer.loop.progress import Reporter
from trainer.loop.session import at_work
from trainer.loop.stopping import StopWishes
from trainer.measure import FOLDER, measure
from trainer.seeds import over_seeds, told
from trainer.train import Outcome, train


def train_grid(run: Run, ranks: Ranks, options: Options, console: Console | None = None) -> Outcome:
    """Train each combination in `grid/`, or go on with it, and keep the model that validates best.

    Of several seeds, settings are compared by their mean. The package and the report become the
    run's; the report also says how the others did, and over seeds the mean and the standard
    deviation. For all ranks at once. Raises TrainerError, also where settings are to be compared
    and there are no validation papers.
    """
    if run.report is not None:
        return Outcome(finished=True)
    with at_work(run, ranks, console, bar=False) as reporter:
        recipe = run.recipe
        _check_validation(recipe)
        reports: dict[str, dict[str, Any]] = {}
        combinations = dict(recipe.combinations())
        for number, (name, part_recipe) in enumerate(combinations.items(), start=1):
            reporter.note(f"{number} of {len(combinations)}: {name}")
            part = _part(run, name)
            if ranks.main:
                Run.create(part.folder, part_recipe)
            ranks.barrier()
            outcome = train(part, ranks, replace(options, measure=False), console, part_of=run)
            if not outcome.finished:
                reporter.tell("stop", why=f"in {name}")
                return outcome
            reports[name] = part.report or {}
        if ranks.main:
            _finish(run, reports, combinations, ranks, options, reporter)
        ranks.barrier()
        return Outcome(finished=True)


def _check_validation(recipe: Recipe) -> None:
    """Raise TrainerError where nothing would tell which settings are best."""
    settings = [name for name in recipe.grid if name != SEED]
    corpus = Corpus.open(recipe.corpus, verify=False)
    if settings and not len(corpus.rows(Split.validation)):
        raise TrainerError(
            f"The corpus {recipe.corpus} has no validation papers (split {corpus.split_by}), so "
            f"that nothing tells which {' and '.join(settings)} is best.",
            "Try the settings on a corpus with validation papers, then train with the best of them "
            "on this one.",
        )


def _finish(
    run: Run,
    reports: dict[str, dict[str, Any]],
    combinations: Mapping[str, Recipe],
    ranks: Ranks,
    options: Options,
    reporter: Reporter,
) -> None:
    """Keep the best model, measure what is to be measured, and write the run's report."""
    several = len(run.recipe.grid.get(SEED, ())) > 1
    groups = _of_equal_settings(combinations)
    names = max(groups, key=lambda names: mean(_worth(reports[name]) for name in names))
    if several and options.measure:
        with StopWishes(run) as wishes:
            for name in names:
                if not wishes.why and "metrics" not in reports[name]:
                    reporter.note(f"Measuring {name}")
                    measure(_part(run, name), ranks.device, reporter, wishes)
                    reports[name] = _part(run, name).report or {}
        run.clear_stop()
    best = _keep_best(run, reports, names, reporter)
    if several:
        spread = over_seeds({combinations[name].seed: reports[name] for name in names})
        reporter.note(told(spread))
        best["seeds"] = spread
    run.write_report(best)
    if options.measure and not several:
        with StopWishes(run) as wishes:
            measure(run, ranks.device, reporter, wishes)
    reporter.tell("end", seconds=sum(r["seconds"] for r in reports.values()), scores=best["scores"])


def _of_equal_settings(combinations: Mapping[str, Recipe]) -> list[list[str]]:
    """The names of the combinations, those together that differ in their seed alone."""
    groups: list[list[str]] = []
    for name, recipe in combinations.items():
        for group in groups:
            if combinations[group[0]].settings == recipe.settings:
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def _part(run: Run, name: str) -> Run:
    return Run(run.folder / "grid" / name)


def _keep_best(
    run: Run, reports: Mapping[str, dict[str, Any]], names: Sequence[str], reporter: Reporter
) -> dict[str, Any]:
    """Copy the package of the best of these, and what was measured of it. Returns the run's
    report: the best one's, and of all others how they did."""
    best = max(names, key=lambda name: _worth(reports[name]))
    reporter.note(f"The best of {len(reports)} combinations: {best}.")
    for folder in (run.package.name, FOLDER):
        if (_part(run, best).folder / folder).exists():
            unfinished = run.folder / f"{folder}.new"
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.copytree(_part(run, best).folder / folder, unfinished)
            shutil.rmtree(run.folder / folder, ignore_errors=True)
            unfinished.rename(run.folder / folder)
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
