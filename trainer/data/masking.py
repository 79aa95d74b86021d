"""Which words of a text are masked, anew at every visit (Liu et al., 2019, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.data.chance import below, uniform

# Of the words to guess: so many are replaced by [MASK], so many more by any word.
MASKED, REPLACED = 0.8, 0.1


class Masked(NamedTuple):
    """The tokens as the model sees them, and the places that it is asked about, ascending."""

    ids: NDArray[np.int64]
    asked: NDArray[np.int64]


def ask(
    ids: NDArray[np.integer],
    special: Sequence[int],
    share: float,
    chance: NDArray[np.float64],
) -> NDArray[np.int64]:
    """The places of the words to guess, ascending; `chance` [tokens] is uniform in [0, 1)."""
    return np.flatnonzero((chance < share) & ~np.isin(ids, special))


def hide(
    ids: NDArray[np.integer],
    asked: NDArray[np.int64],
    mask: int,
    chance: NDArray[np.float64],
    words: NDArray[np.integer],
) -> Masked:
    """Replace most of the words to guess; `chance` and `words` [asked] say how and by what."""
    hidden = ids.astype(np.int64)
    kept = hidden[asked]
    other = np.where(chance < MASKED + REPLACED, words, kept)
    hidden[asked] = np.where(chance < MASKED, mask, other)
    return Masked(hidden, asked)


def masked(
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
    """Tokens with words hidden by chance, given each token's example and its place in there."""
    asked = ask(ids, special, share, uniform("ask", key, numbers, places))
    which = key, numbers[asked], places[asked]
    return hide(ids, asked, mask, uniform("hide", *which), below(vocabulary, "word", *which))
