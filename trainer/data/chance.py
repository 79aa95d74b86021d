"""Chance without memory: every random number is a function of what it is for."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Word = int | str | NDArray[np.integer]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def bits(*key: Word) -> NDArray[np.uint64]:
    """64 random bits for each key, whose words are broadcast against one another.

    The finaliser of SplitMix64 (Steele, Lea and Flood, 2014) after every word. So chance depends
    neither on a worker or rank nor on what was drawn before, and nothing need be saved to go on.
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


def uniform(*key: Word) -> NDArray[np.float64]:
    """A number in [0, 1) for each key."""
    return (bits(*key) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def below(limit: int | NDArray[np.integer], *key: Word) -> NDArray[np.int64]:
    """A whole number in [0, limit) for each key; 0 < limit < 2**32, broadcast with the keys."""
    high = bits(*key) >> np.uint64(32)
    return ((high * np.asarray(limit, dtype=np.uint64)) >> np.uint64(32)).astype(np.int64)


def shuffled(count: int, *key: Word) -> NDArray[np.int64]:
    """The numbers below `count` in an order that depends on the key alone."""
    return np.argsort(bits(*key, np.arange(count)), kind="stable")


def chosen(count: int, limit: int, *key: Word) -> NDArray[np.int64]:
    """`count` different numbers below `limit` (all, if that is fewer), ascending."""
    if 2 * count >= limit:
        return np.sort(shuffled(limit, *key)[:count])
    found = np.empty(0, dtype=np.int64)
    lap = 0
    while len(found) < count:
        more = below(limit, *key, lap, np.arange(count - len(found)))
        # np.unique would take a table of hashes for it, and ten times as long.
        found = np.sort(np.concatenate([found, more]))
        found = found[np.diff(found, prepend=-1) > 0]
        lap += 1
    return found
