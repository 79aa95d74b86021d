"""Variation of results over the seeds of one training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, stdev
from typing import Any

from trainer.contract.evaluations import evaluation_spec


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
    said = {"validation loss": spread["validation_loss"]} if spread["validation_loss"] else {}
    numbers = [_number(name, f"{value['mean']:.4f}", value["sd"]) for name, value in said.items()]
    numbers += [
        _number(name, f"{value['mean']:.4f}", value["sd"])
        for name, value in spread["scores"].items()
    ]
    for row in spread["metrics"]:
        metric = evaluation_spec(row["evaluation"]).metric(row["metric"])
        scale = 100 if metric.unit == "percent" else 1
        sd = None if row["sd"] is None else scale * row["sd"]
        numbers.append(_number(f"{row['task']} {metric.title}", metric.shown(row["mean"]), sd, 2))
    return f"Over {len(spread['seeds'])} seeds: {'; '.join(numbers) or 'nothing was measured'}."


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
