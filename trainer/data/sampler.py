"""Division of examples into steps, ranks and micro-batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trainer.data.corpus.columns import chunks
from trainer.data.rng import random_permutation

Numbers = NDArray[np.int64]


def step_count(examples: int, batch_size: int) -> int:
    """Return the number of steps per epoch, including a smaller last one."""
    return -(-examples // batch_size)


def of_step(order: Numbers, batch_size: int, step: int) -> Numbers:
    """Return the examples of one step of an epoch, counted from 0. Positions are indices into
    these."""
    return order[step * batch_size : (step + 1) * batch_size]


def share(tokens: Numbers, rank: int, world: int) -> Numbers:
    """Return the positions of this rank's examples in a step, ascending, given the tokens of all.

    Examples are dealt out by length, back and forth, so that all ranks have the same work, and
    their numbers differ by at most one: none, if there are fewer examples than ranks.
    """
    longest_first = np.argsort(-tokens, kind="stable")
    lap, place = np.divmod(np.arange(len(tokens)), world)
    owner = np.where(lap % 2 == 0, place, world - 1 - place)
    return np.sort(longest_first[owner == rank])


def micro_batches(tokens: Numbers, budget: int) -> list[Numbers]:
    """Group indices of `tokens` by similar length within the budget of tokens, longest first.

    An example longer than the budget is a group of its own: it cannot be split further.
    """
    order = np.argsort(-tokens, kind="stable")
    return [order[start:stop] for start, stop in chunks(np.cumsum(tokens[order]), budget)]


def group_cuts(tokens: Numbers, size: int, budget: int) -> list[Numbers]:
    """Cut a step between its groups of `size` consecutive examples, within the budget of tokens.

    Empty if a group does not fit.
    """
    starts = np.arange(0, len(tokens), size)
    groups = np.add.reduceat(tokens, starts)
    if groups.max() > budget:
        return []
    ends = [*starts[1:], len(tokens)]
    return [
        np.arange(starts[first], ends[last - 1])
        for first, last in chunks(np.cumsum(groups), budget)
    ]


def homogeneous(sources: NDArray[np.integer], batch_size: int, *key: int) -> Numbers:
    """Return an order in which every batch has examples of one source, `sources` [examples].

    Remainders that do not fill a batch of their own source come last, mixed.
    """
    order = random_permutation(len(sources), "examples", *key)
    batches, rest = [], [order[:0]]
    for source in np.unique(sources):
        numbers = order[sources[order] == source]
        whole = len(numbers) // batch_size * batch_size
        batches += list(numbers[:whole].reshape(-1, batch_size))
        rest.append(numbers[whole:])
    left = np.concatenate(rest)
    left = left[random_permutation(len(left), "left over", *key)]
    return np.concatenate(
        [*(batches[i] for i in random_permutation(len(batches), "batches", *key)), left]
    )
