"""What the ranks of an evaluation do in a test: `python -m tests.evaluation_ranks MODEL CACHE`."""

from __future__ import annotations

import hashlib
import json
import sys
from functools import partial
from pathlib import Path

import numpy as np

from trainer.contract.errors import TrainerError
from trainer.distributed import Ranks
from trainer.evaluations.base import Outcome, Paper, Task, Vectors
from trainer.evaluations.shared import run_shared
from trainer.subjects.opening import Made, VectorCache, open_subject

PAPERS = [
    Paper(
        str(number),
        f"deep graph {number}" * (number % 7 + 1),
        "we study the network " * (number % 5),
    )
    for number in range(700)
]
QUERIES = [Paper(f"q{number}", f"neural paper {number}") for number in range(30)]


def measure(scale: float, vectors: Vectors, queries: Vectors | None, seed: int) -> Outcome:
    if scale == 2:
        raise TrainerError("There is only one class.")
    return Outcome((), excluded={"sum": int(scale * seed * float(np.abs(vectors.matrix).sum()))})


def tasks() -> list[Task]:
    return [
        Task(f"task {n}", "ranking", "all", "0", PAPERS, partial(measure, n), QUERIES)
        for n in range(5)
    ]


def digest(made: Made) -> str:
    assert made.queries is not None
    said = made.papers.matrix.tobytes() + made.queries.matrix.tobytes()
    return hashlib.sha256(said).hexdigest()


def main(model: str, cache: str) -> None:
    with Ranks.from_environment("cpu") as ranks:
        kept = VectorCache(Path(cache))
        maker = open_subject(model, ranks=ranks, cache=kept, note=lambda text: None)
        made = maker.vectors(PAPERS, QUERIES)
        jobs = [partial(task.run, made.papers, made.queries, seed=3) for task in tasks()]
        outcomes = [
            str(outcome) if isinstance(outcome, TrainerError) else dict(outcome.excluded)
            for outcome in run_shared(ranks, jobs)
        ]
    assert made.cost is not None
    cost = [made.cost.texts, made.cost.tokens, made.cost.cut]
    print(json.dumps({"vectors": digest(made), "outcomes": outcomes, "cost": cost}))


if __name__ == "__main__":
    main(*sys.argv[1:])
