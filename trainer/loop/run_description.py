"""Descriptions of a run for its records: its setup at the start, and its report at the end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import torch

from trainer.contract.package import Package
from trainer.contract.run import FORMAT, Recipe, Run
from trainer.distributed import Ranks
from trainer.loop.setup import Options, PreparedRun
from trainer.loop.stage_trainer import step_counts
from trainer.machine import budget_for
from trainer.machine import describe_machine as machine

# Losses of single steps are noisy: this many are averaged at both ends.
_SOME = 20


def describe_run(
    recipe: Recipe, begun: PreparedRun, ranks: Ranks, precision: torch.dtype, options: Options
) -> dict[str, Any]:
    """Return everything that affects the training, as values of the `start` event."""
    corpus, stages = begun.corpus, begun.method.stages
    budget = options.budget or budget_for(ranks.device, begun.method.encoder.backbone)
    return {
        "recipe": recipe.name,
        "method": recipe.method,
        "base": recipe.base,
        "base_model": {"weights": begun.base.weights, "space": begun.base.space},
        "settings": dict(recipe.settings),
        "seed": recipe.seed,
        "corpus": {
            "papers": corpus.papers,
            "sha256": corpus.sha256,
            "split": corpus.split_by,
        },
        "steps": sum(step_counts(stage)[1] for stage in stages),
        "stages": [
            {
                "name": stage.name,
                "examples": len(stage.train),
                "validation": len(stage.validation),
                "steps": step_counts(stage)[1],
                "batch_size": stage.plan.batch_size,
            }
            for stage in stages
        ],
        "precision": str(precision).removeprefix("torch."),
        "budget": budget,
        "fsdp": options.fsdp,
        "checkpointing": options.checkpointing,
        "compile": options.compile,
        **machine(ranks),
    }


def build_report(
    run: Run, package: Package, seconds: float, tokens: float, described: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the report of a finished run; losses and scores are taken from its events."""
    losses: dict[str, dict[int, float]] = {}
    validations: dict[int, dict[str, Any]] = {}
    events = run.events()
    for event in events:
        if event.kind == "step":
            losses.setdefault(event.values["stage"], {})[event.step] = event.values["loss"]
        elif event.kind == "validation":
            validations[event.step] = {"step": event.step, **event.values}
    stages = [
        {
            **stage,
            "loss_at_first": _mean(list(losses.get(stage["name"], {}).values())[:_SOME]),
            "loss_at_last": _mean(list(losses.get(stage["name"], {}).values())[-_SOME:]),
            "validations": [v for v in validations.values() if v["stage"] == stage["name"]],
        }
        for stage in described["stages"]
    ]
    best = [found for found in stages[-1]["validations"] if found["best"]]
    return {
        "format": FORMAT,
        **described,
        "stages": stages,
        "scores": best[-1]["scores"] if best else {},
        "validation_loss": best[-1]["loss"] if best else None,
        "package": {"id": package.id, "space": package.space},
        "tokens": int(tokens),
        "seconds": round(seconds, 1),
        "started": _time(events[0].at),
        "ended": _time(time.time()),
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _mean(losses: list[float]) -> float | None:
    return sum(losses) / len(losses) if losses else None
