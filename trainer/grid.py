"""Grid search: a run for each combination of settings and seeds, of which the best is kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import mean, stdev
from typing import Any

from rich.console import Console

from trainer.contract.errors import TrainerError
from trainer.contract.evaluations import evaluation_spec
from trainer.contract.run import SEED, Recipe, Run
from trainer.data.corpus.corpus import Corpus, Split
from trainer.data.library_tasks import SHARES, missing_tasks
from trainer.distributed import Ranks
from trainer.held_out_evaluation import FOLDER, measure
from trainer.loop.progress import Reporter
from trainer.loop.session import run_session
from trainer.loop.setup import Options
from trainer.loop.stop_signals import StopSignals
from trainer.train import TrainingOutcome, train


def train_grid(
    run: Run, ranks: Ranks, options: Options, console: Console | None = None
) -> TrainingOutcome:
    """Train each combination in `grid/`, resuming if need be, and keep the model that validates
    best.

    With several seeds, settings are compared by their mean. After the time of the setting
    `grid_minutes`, no further settings are tried, but those begun are tried with all seeds. The
    package and the report become the run's; the report also lists the results of the others, and
    over seeds the mean and the standard deviation. Collective: call on all ranks. Raises
    TrainerError, also if settings are to be compared without validation papers.
    """
    if run.report is not None:
        return TrainingOutcome(finished=True)
    with run_session(run, ranks, console, bar=False) as reporter:
        recipe = run.recipe
        _check_validation(recipe)
        reports: dict[str, dict[str, Any]] = {}
        combinations = _different(recipe)
        if idle := len(list(recipe.combinations())) - len(combinations):
            reporter.note(
                f"{idle} combinations are left out, because they differ from others only in tasks "
                "for which the corpus has no data."
            )
        for number, (name, part_recipe) in enumerate(combinations.items(), start=1):
            if _is_time_used(recipe, part_recipe, reports, combinations):
                continue
            reporter.note(f"{number} of {len(combinations)}: {name}")
            part = _part(run, name)
            if ranks.main:
                Run.create(part.folder, part_recipe)
            ranks.barrier()
            outcome = train(part, ranks, replace(options, measure=False), console, part_of=run)
            if not outcome.finished:
                reporter.record("stop", why=f"in {name}")
                return outcome
            reports[name] = part.report or {}
        if len(reports) < len(combinations):
            reporter.note(
                f"The time is used: {len(reports)} of {len(combinations)} combinations were tried."
            )
        signal = 0
        if ranks.main:
            tried = {name: combinations[name] for name in reports}
            signal = _finish(run, reports, tried, ranks, options, reporter)
        ranks.barrier()
        return TrainingOutcome(run.report is not None, signal)


def _different(recipe: Recipe) -> dict[str, Recipe]:
    """Return the combinations that differ in effect: not only in the share of a task for which the
    corpus has no data."""
    idle: set[str] = set()
    if recipe.method == "library":
        missing = missing_tasks(Corpus.open(recipe.corpus, verify=False))
        idle = {SHARES[task] for task in missing} - {
            SHARES[task] for task in SHARES.keys() - missing
        }
    found: dict[str, Recipe] = {}
    seen: list[tuple[int, dict[str, Any]]] = []
    for name, one in recipe.combinations():
        effect = one.seed, {key: v for key, v in one.settings.items() if key not in idle}
        if effect not in seen:
            seen.append(effect)
            found[name] = one
    return found


def _is_time_used(
    recipe: Recipe,
    following: Recipe,
    reports: Mapping[str, Mapping[str, Any]],
    combinations: Mapping[str, Recipe],
) -> bool:
    """Whether the finished runs took the available time. Settings that were begun are tried with
    all seeds, whose mean is compared. Resumed runs count with their whole time."""
    seconds = 60 * float(recipe.settings["grid_minutes"])
    begun = any(combinations[name].settings == following.settings for name in reports)
    used = sum(report["seconds"] for report in reports.values())
    return bool(0 < seconds <= used and not begun)


def _check_validation(recipe: Recipe) -> None:
    """Raise TrainerError if there is no way to compare settings."""
    settings = [name for name in recipe.grid if name != SEED]
    corpus = Corpus.open(recipe.corpus, verify=False)
    if settings and not len(corpus.rows(Split.validation)):
        raise TrainerError(
            f"The corpus {recipe.corpus} has no validation papers (split {corpus.split_by}), "
            f"which are required to select the best {' and '.join(settings)}.",
            "Compare the settings on a corpus with validation papers, then train with the best "
            "settings on this corpus.",
        )


def _finish(
    run: Run,
    reports: dict[str, dict[str, Any]],
    combinations: Mapping[str, Recipe],
    ranks: Ranks,
    options: Options,
    reporter: Reporter,
) -> int:
    """Keep the best model, evaluate as requested, and write the run's report.

    If stopped while it evaluates several seeds it writes no report, since their metrics are
    summarized together. Returns the signal that stopped it, 0 for none.
    """
    several = len(run.recipe.grid.get(SEED, ())) > 1
    groups = _of_equal_settings(combinations)
    worth = _worth(reports)
    names = max(groups, key=lambda names: mean(worth[name] for name in names))
    if several and options.measure:
        with StopSignals(run) as stop_signals:
            for name in names:
                if not stop_signals.reason and "metrics" not in reports[name]:
                    reporter.note(f"Evaluating {name}")
                    measure(_part(run, name), ranks.device, reporter, stop_signals)
                    reports[name] = _part(run, name).report or {}
                if stop_signals.reason and "metrics" not in reports[name]:
                    reporter.record("stop", why=stop_signals.reason)
                    return stop_signals.signal
    best = _keep_best(run, reports, names, reporter)
    if several:
        spread = summarise_seeds({combinations[name].seed: reports[name] for name in names})
        reporter.note(format_summary(spread))
        best["seeds"] = spread
    run.write_report(best)
    if options.measure and not several:
        with StopSignals(run) as stop_signals:
            measure(run, ranks.device, reporter, stop_signals)
    reporter.record(
        "end", seconds=sum(r["seconds"] for r in reports.values()), scores=best["scores"]
    )
    return 0


def _of_equal_settings(combinations: Mapping[str, Recipe]) -> list[list[str]]:
    """Group the names of the combinations that differ only in their seed."""
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
    """Copy the package of the best of these, and its evaluation. Return the run's report: that of
    the best one, with the results of all others."""
    worth = _worth(reports)
    best = max(names, key=lambda name: worth[name])
    reporter.note(f"Best of {len(reports)} combinations: {best}.")
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


def _worth(reports: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Return for each run the mean of its scores; unless all runs have the same scores, its
    negative validation loss."""
    first, *others = ({*report["scores"]} for report in reports.values())
    if first and all(names == first for names in others):
        return {name: mean(report["scores"].values()) for name, report in reports.items()}
    losses = {name: report["validation_loss"] for name, report in reports.items()}
    return {name: -float("inf") if loss is None else -loss for name, loss in losses.items()}


def summarise_seeds(reports: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """Return mean and standard deviation over the reports of runs, which are given by seed.

    It is the sample standard deviation (n - 1); None for a single seed. A metric that some runs
    lack is left out.
    """
    found = list(reports.values())
    losses = [report["validation_loss"] for report in found]
    return {
        "seeds": list(reports),
        "scores": {
            name: _spread([report["scores"][name] for report in found])
            for name in found[0]["scores"]
            if all(name in report["scores"] for report in found)
        },
        "validation_loss": None if None in losses else _spread(losses),
        "metrics": list(_metrics([report.get("metrics", ()) for report in found])),
    }


def format_summary(spread: Mapping[str, Any]) -> str:
    """Format the summary in one line."""
    shown = {"validation loss": spread["validation_loss"]} if spread["validation_loss"] else {}
    numbers = [_number(name, f"{value['mean']:.4f}", value["sd"]) for name, value in shown.items()]
    numbers += [
        _number(name, f"{value['mean']:.4f}", value["sd"])
        for name, value in spread["scores"].items()
    ]
    for row in spread["metrics"]:
        metric = evaluation_spec(row["evaluation"]).metric(row["metric"])
        scale = 100 if metric.unit == "percent" else 1
        sd = None if row["sd"] is None else scale * row["sd"]
        numbers.append(_number(f"{row['task']} {metric.title}", metric.shown(row["mean"]), sd, 2))
    return f"Over {len(spread['seeds'])} seeds: {'; '.join(numbers) or 'no results'}."


def _metrics(rows: Sequence[Iterable[Mapping[str, Any]]]) -> Iterable[dict[str, Any]]:
    """Iterate over the tasks and metrics that all runs have, in the order of the first."""
    by_key = [
        {(row.get("task", ""), row["evaluation"], row["metric"]): row for row in some}
        for some in rows
    ]
    for key, first in by_key[0].items():
        if all(key in known for known in by_key):
            # A run whose evaluation was stopped may lack metrics that its base has.
            same = {**by_key[-1][key], **first}
            kept: dict[str, Any] = {
                name: same[name] for name in ("before", "n", "split") if name in same
            }
            values = [known[key]["value"] for known in by_key]
            task, evaluation, metric = key
            yield {
                "task": task or evaluation,
                "evaluation": evaluation,
                "metric": metric,
                **_spread(values),
                "values": values,
                **kept,
            }


def _spread(values: Sequence[float]) -> dict[str, float | None]:
    return {"mean": mean(values), "sd": stdev(values) if len(values) > 1 else None}


def _number(name: str, value: str, sd: float | None, digits: int = 4) -> str:
    return f"{name} {value}" + ("" if sd is None else f" (sd {sd:.{digits}f})")
