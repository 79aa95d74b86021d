"""Tasks shared among ranks: each runs some, and all know what came out of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch.distributed as dist

from trainer.contract.errors import TrainerError
from trainer.distributed import Ranks

T = TypeVar("T")


def run_shared(ranks: Ranks, jobs: Sequence[Callable[[], T]]) -> list[T | TrainerError]:
    """What each job returns, in their order; a job that fails is its error, and others go on.

    All ranks must name the same jobs and know what each needs: while jobs run, ranks are silent.
    What jobs return travels between processes, so it must be plain values and arrays.
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
