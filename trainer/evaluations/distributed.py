"""Distribution of jobs over ranks, with all results gathered on every rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch.distributed as dist

from trainer.contract.errors import TrainerError
from trainer.distributed import Ranks

T = TypeVar("T")


def run_shared(ranks: Ranks, jobs: Sequence[Callable[[], T]]) -> list[T | TrainerError]:
    """Run jobs on all ranks and return every result in order; a failed job yields its error.

    All ranks must pass the same jobs with the data they need: ranks do not communicate while jobs
    run. Results are pickled between processes, so they must be plain values and arrays.
    """
    mine = [_run(job) for job in jobs[ranks.rank :: ranks.world]]
    if ranks.world == 1:
        return mine
    found: list[list[T | TrainerError]] = [[] for _ in range(ranks.world)]
    dist.all_gather_object(found, mine)
    return [found[at % ranks.world][at // ranks.world] for at in range(len(jobs))]


def _run(job: Callable[[], T]) -> T | TrainerError:
    try:
        return job()
    except TrainerError as error:
        return error
