"""Dynamic masking of words, different at every visit (Liu et al., 2019, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.data.rng import random_integers, random_uniform

# Fractions of the words to predict that are replaced by [MASK], and by a random word.
MASKED, REPLACED = 0.8, 0.1


class Masked(NamedTuple):
    """The tokens as the model sees them, and the indices of those to predict, ascending."""

    ids: NDArray[np.int64]
    asked: NDArray[np.int64]


def select_positions(
    ids: NDArray[np.integer],
    special: Sequence[int],
    share: float,
    chance: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Select the indices of the words to predict, ascending; `chance` [tokens] is uniform in [0,
    1)."""
    return np.flatnonzero((chance < share) & ~np.isin(ids, special))


def apply_mask(
    ids: NDArray[np.integer],
    asked: NDArray[np.int64],
    mask: int,
    chance: NDArray[np.float64],
    words: NDArray[np.integer],
) -> Masked:
    """Replace most of the words to predict; `chance` and `words` [asked] decide how and by which
    word."""
    hidden = ids.astype(np.int64)
    kept = hidden[asked]
    other = np.where(chance < MASKED + REPLACED, words, kept)
    hidden[asked] = np.where(chance < MASKED, mask, other)
    return Masked(hidden, asked)


def mask_tokens(
    ids: NDArray[np.integer],
    numbers: NDArray[np.integer],
    places: NDArray[np.integer],
    key: int,
    *,
    special: Sequence[int],
    mask: int,
    vocabulary: int,
    share: float = 0.15,
) -> Masked:
    """Mask tokens at random, given the example of each token and its position in it."""
    asked = select_positions(ids, special, share, random_uniform("ask", key, numbers, places))
    which = key, numbers[asked], places[asked]
    return apply_mask(
        ids,
        asked,
        mask,
        random_uniform("hide", *which),
        random_integers(vocabulary, "word", *which),
    )
