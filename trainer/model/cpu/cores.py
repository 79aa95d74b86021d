"""Work distributed over the CPU's cores, each piece on one core from end to end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

import torch

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def one_core() -> Iterator[None]:
    """Run torch operations inside the block on one core, in this thread.

    torch's other threads spin for milliseconds after each operation they took part in, on the cores
    to which `share` gives work.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def share(
    work: Callable[[list[T]], R], pieces: Sequence[T], costs: Sequence[float], cores: int
) -> list[R]:
    """Return the results of `work` on each core's share of the pieces; the shares depend on costs
    alone.

    A small matrix per core is faster than all cores on one, where every operation waits for the
    slowest. Gradients are not recorded.
    """
    shares: list[list[T]] = [[] for _ in range(min(cores, len(pieces)))]
    loads = [0.0] * len(shares)
    for at in sorted(range(len(pieces)), key=lambda at: -costs[at]):
        least = loads.index(min(loads))
        shares[least].append(pieces[at])
        loads[least] += costs[at]

    def do(mine: list[T]) -> R:
        with torch.no_grad():
            return work(mine)

    if len(shares) < 2:
        return [do(mine) for mine in shares]
    return list(_threads(cores, os.getpid()).map(do, shares))


@cache
def _threads(cores: int, process: int) -> ThreadPoolExecutor:
    # A forked process has none of its parent's threads, so each process has its own pool.
    return ThreadPoolExecutor(cores, "core", torch.set_num_threads, (1,))
