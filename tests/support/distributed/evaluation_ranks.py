"""Work of the ranks of an evaluation test.

`python -m tests.support.distributed.evaluation_ranks MODEL CACHE`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from functools import partial
from pathlib import Path

import numpy as np

from trainer.contract.errors import TrainerError
from trainer.distributed import Ranks
from trainer.encoders.base import EncodedTask
from trainer.encoders.opening import open_encoder
from trainer.encoders.vector_cache import VectorCache
from trainer.evaluate import run_shared
from trainer.evaluations.base import EvaluationTask, TaskResult, TextInput, Vectors

PAPERS = [
    TextInput(
        str(number),
        f"deep graph {number}" * (number % 7 + 1),
        "we study the network " * (number % 5),
    )
    for number in range(700)
]
QUERIES = [TextInput(f"q{number}", f"neural paper {number}") for number in range(30)]


def measure(scale: float, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
    if scale == 2:
        raise TrainerError("There is only one class.")
    return TaskResult((), excluded={"sum": int(scale * seed * float(np.abs(vectors.matrix).sum()))})


def tasks() -> list[EvaluationTask]:
    return [
        EvaluationTask(f"task {n}", "ranking", "all", "0", PAPERS, partial(measure, n), QUERIES)
        for n in range(5)
    ]


def digest(made: EncodedTask) -> str:
    assert made.queries is not None
    result = made.papers.matrix.tobytes() + made.queries.matrix.tobytes()
    return hashlib.sha256(result).hexdigest()


def main(model: str, cache: str) -> None:
    with Ranks.from_environment("cpu") as ranks:
        kept = VectorCache(Path(cache))
        encoder = open_encoder(model, ranks=ranks, cache=kept, note=lambda text: None)
        made = encoder.encode(PAPERS, QUERIES)
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
