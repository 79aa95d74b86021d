"""Vectors from the numbers of a few papers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from trainer.evaluations.base import Vectors


def vectors_of(numbers: Mapping[str, ArrayLike]) -> Vectors:
    """Stack the numbers of each paper; none mark a paper that could not be embedded."""
    filled = {paper: some for paper, some in numbers.items() if np.size(some)}
    matrix = np.stack([*map(np.asarray, filled.values())]) if filled else np.empty((0, 0))
    return Vectors(list(filled), matrix, frozenset(numbers.keys() - filled.keys()))
