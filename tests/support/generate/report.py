"""Evaluation reports for tests: pass only what the test is about."""

from __future__ import annotations

from typing import Any

import numpy as np

from trainer.contract.plots import Picture
from trainer.contract.report import EvaluatedModel, Report, Result, Score
from trainer.evaluations import plots
from trainer.evaluations.metrics.significance import Items, bootstrap_ci, weighted_mean


def subject(**changes: Any) -> EvaluatedModel:
    record = {"id": "specter-1a2b", "title": "SPECTER on 900 papers", "kind": "package"} | changes
    return EvaluatedModel(**record)


def result(task: str = "cite", **changes: Any) -> Result:
    record: dict[str, Any] = {
        "task": task,
        "title": task.capitalize(),
        "evaluation": "ranking",
        "protocol": 1,
        "split": "test",
        "sha256": "5f" * 32,
        "seed": 1,
        "seconds": 0.5,
        "scores": (Score("map", 0.81, 100, 0.78, 0.84), Score("ndcg", 0.9, 100, 0.88, 0.92)),
    }
    return Result(**record | changes)


def report(*results: Result, **changes: Any) -> Report:
    record: dict[str, Any] = {
        "subject": subject(),
        "suite": "local",
        "results": results or (result(),),
        "created": "2026-03-01T12:00:00+00:00",
        "trainer": "0.1.0",
    }
    return Report(**record | changes)


def items(values: Any, prefix: str = "q") -> Items:
    return Items([f"{prefix}{at:05}" for at in range(len(values))], np.asarray(values, float))


def score(metric: str, found: Items) -> Score:
    return Score(metric, weighted_mean(found), len(found.ids), *bootstrap_ci(found, 1))


def pictures_of(seed: int, skill: float) -> dict[str, dict[str, Picture]]:
    """One picture of each kind, better with higher skill."""
    rng = np.random.default_rng(seed)
    names = ["Biology", "Chemistry", "Computer science", "Economics", "Geology", "Physics"]
    y_true = rng.choice(6, 600, p=[0.3, 0.25, 0.2, 0.12, 0.08, 0.05])
    predicted = np.where(rng.random(600) < skill, y_true, rng.integers(0, 6, 600))
    centres = rng.normal(size=(6, 20)) * 3 * skill
    vectors = centres[y_true] + rng.normal(size=(600, 20))
    belongs = rng.random(5_000) < 0.15
    similarity = 0.3 + 0.12 * rng.normal(size=5_000) + 0.3 * skill * belongs
    return {
        "mag": {
            "confusion": plots.confusion(y_true, predicted, names),
            "places": plots.scatter(vectors, [names[label] for label in y_true], way="PCA"),
        },
        "cite": {
            "curves": plots.threshold_curves(similarity, belongs),
            "similarity": plots.distributions(
                {"not cited": similarity[~belongs], "cited": similarity[belongs]}
            ),
        },
    }
