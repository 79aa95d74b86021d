"""Stateless random numbers: each is a function of its key."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Word = int | str | NDArray[np.integer]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def stateless_bits(*key: Word) -> NDArray[np.uint64]:
    """Return 64 random bits for each key, whose words are broadcast against one another.

    Applies the finaliser of SplitMix64 (Steele, Lea and Flood, 2014) after every word. The numbers
    depend neither on the worker or rank nor on previous draws, so that no state has to be saved for
    resuming.
    """
    state: NDArray[np.uint64] = np.zeros((), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for word in key:
            state = (state ^ _unsigned(word)) + _STEP
            state = (state ^ (state >> np.uint64(30))) * _FIRST
            state = (state ^ (state >> np.uint64(27))) * _SECOND
            state = state ^ (state >> np.uint64(31))
    return np.asarray(state)


def _unsigned(word: Word) -> NDArray[np.uint64]:
    if isinstance(word, str):
        word = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
    if isinstance(word, int):
        return np.asarray(word % 2**64, dtype=np.uint64)
    return np.asarray(word).astype(np.uint64)


def random_uniform(*key: Word) -> NDArray[np.float64]:
    """Return a number in [0, 1) for each key."""
    return (stateless_bits(*key) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def random_integers(limit: int | NDArray[np.integer], *key: Word) -> NDArray[np.int64]:
    """Return an integer in [0, limit) for each key; 0 < limit < 2**32, broadcast with the keys."""
    high = stateless_bits(*key) >> np.uint64(32)
    return ((high * np.asarray(limit, dtype=np.uint64)) >> np.uint64(32)).astype(np.int64)


def random_permutation(count: int, *key: Word) -> NDArray[np.int64]:
    """Return a permutation of the numbers below `count`."""
    return np.argsort(stateless_bits(*key, np.arange(count)), kind="stable")


def random_sample(count: int, limit: int, *key: Word) -> NDArray[np.int64]:
    """Return `count` different numbers below `limit` (all, if there are fewer), ascending."""
    if 2 * count >= limit:
        return np.sort(random_permutation(limit, *key)[:count])
    found = np.empty(0, dtype=np.int64)
    lap = 0
    while len(found) < count:
        more = random_integers(limit, *key, lap, np.arange(count - len(found)))
        # np.unique would use a hash table, which takes ten times as long.
        found = np.sort(np.concatenate([found, more]))
        found = found[np.diff(found, prepend=-1) > 0]
        lap += 1
    return found
