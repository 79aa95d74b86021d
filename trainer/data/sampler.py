"""Which examples make a step, a rank's share of it and a micro-batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trainer.data.chance import shuffled

Numbers = NDArray[np.int64]


def step_count(examples: int, batch_size: int) -> int:
    """How many steps an epoch has; the last, where it is smaller, counts."""
    return -(-examples // batch_size)


def of_step(order: Numbers, batch_size: int, step: int) -> Numbers:
    """The examples of one step of an epoch, from 0. Their positions are their places in here."""
    return order[step * batch_size : (step + 1) * batch_size]


def share(tokens: Numbers, rank: int, world: int) -> Numbers:
    """Positions in a step, ascending, that are this rank's, given the tokens of all examples.

    Dealt out by length, back and forth, so that all ranks have the same work, and numbers of
    examples that differ by one at most: none, where there are fewer examples than ranks.
    """
    longest_first = np.argsort(-tokens, kind="stable")
    lap, place = np.divmod(np.arange(len(tokens)), world)
    owner = np.where(lap % 2 == 0, place, world - 1 - place)
    return np.sort(longest_first[owner == rank])


def micro_batches(tokens: Numbers, budget: int) -> list[Numbers]:
    """Places in `tokens` that together keep to the budget, like lengths together, longest first.

    What is longer than the budget comes alone: it can be cut no further.
    """
    order = np.argsort(-tokens, kind="stable")
    ends = np.cumsum(tokens[order])
    batches, start = [], 0
    while start < len(order):
        before = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, before + budget, side="right")), start + 1)
        batches.append(order[start:stop])
        start = stop
    return batches


def homogeneous(sources: NDArray[np.integer], batch_size: int, *key: int) -> Numbers:
    """An order in which every batch holds examples of one source, `sources` [examples].

    What does not fill a batch of its own source comes at the end, mixed.
    """
    order = shuffled(len(sources), "examples", *key)
    batches, rest = [], [order[:0]]
    for source in np.unique(sources):
        numbers = order[sources[order] == source]
        whole = len(numbers) // batch_size * batch_size
        batches += list(numbers[:whole].reshape(-1, batch_size))
        rest.append(numbers[whole:])
    left = np.concatenate(rest)
    left = left[shuffled(len(left), "left over", *key)]
    return np.concatenate([*(batches[i] for i in shuffled(len(batches), "batches", *key)), left])
