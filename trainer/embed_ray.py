"""Bulk embedding on a Ray cluster: Ray starts the workers; job and shards are the same."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.data.corpus.records import RecordProblem
from trainer.embed import EmbeddingJob, Worker, WorkerResult

try:
    import ray
    import ray.data
except ImportError as error:
    raise TrainerError(
        "Embedding on a Ray cluster requires Ray.", "Run: pip install 'sciread[ray]'"
    ) from error

# Shards passed to an actor together: it reads the next while it encodes one.
_AT_ONCE = 4


def embed_on_ray(work: EmbeddingJob, workers: int) -> WorkerResult:
    """Embed with this number of actors, each with a GPU if the cluster has any. Raises
    TrainerError.

    All machines must see inputs, model and output under the same paths. Uses the cluster that this
    process is connected to, or that RAY_ADDRESS names, else this machine. Ray replaces an actor
    that died, and the new one does its shards.
    """
    if not ray.is_initialized():
        ray.init()
    with Worker(work, threading.Event(), lambda _: None, lambda _: None) as planner:
        numbers = [{"shard": shard.number} for shard in planner.plan.shards]
    gpus = ray.cluster_resources().get("GPU", 0)
    rows = ray.data.from_items(numbers, override_num_blocks=-(-len(numbers) // _AT_ONCE))
    found = rows.map_batches(
        _Actor,
        fn_constructor_args=(work,),
        concurrency=workers,
        batch_size=_AT_ONCE,
        num_gpus=min(1.0, gpus / workers),
    )
    try:
        return _sum(found.iter_rows())
    except ray.exceptions.RayError as error:
        if isinstance(error.__cause__, TrainerError):
            raise error.__cause__ from error
        message = str(error).strip().splitlines()[-1]
        raise TrainerError(
            f"The Ray cluster failed: {message}",
            "See the logs of the cluster. Run the same command again to continue.",
        ) from error


class _Actor:
    """A worker, in a process started by Ray."""

    def __init__(self, work: EmbeddingJob) -> None:
        self._worker = Worker(work, threading.Event(), lambda _: None, print)
        self._worker.__enter__()
        self._failed: dict[str, Any] = {}

    def __call__(self, batch: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        answer = self._failed  # a worker must not be used after an error
        if not answer:
            try:
                answer = vars(self._worker.run(batch["shard"].tolist()))
            except TrainerError as error:  # Ray would turn it into a traceback
                answer = self._failed = {"error": error.args}
        return {"answer": np.array([json.dumps(answer)])}


def _sum(rows: Iterable[dict[str, Any]]) -> WorkerResult:
    total = WorkerResult()
    for row in rows:
        answer = json.loads(row["answer"])
        if "error" in answer:
            raise TrainerError(*answer["error"])
        done = WorkerResult(**answer)
        total.shards += done.shards
        total.papers += done.papers
        total.tokens += done.tokens
        total.skipped += [RecordProblem(*problem) for problem in done.skipped]
    return total
