"""Norms, products and distances of rows, for dense and sparse (TF-IDF) matrices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse import diags_array as diagonal

from trainer.evaluations.base import Matrix

Dense = NDArray[np.floating]

# Products per block: 128 MB of float32. Smaller blocks cost more time than they save.
_AT_ONCE = 32_000_000


def dense(rows: Matrix) -> Dense:
    """The rows as a dense array."""
    return rows if isinstance(rows, np.ndarray) else rows.toarray()


def row_norms(rows: Matrix) -> Dense:
    """Euclidean norm of each row."""
    return np.sqrt(row_products(rows, rows))


def l2_normalize(rows: Matrix) -> Matrix:
    """Scale rows to unit length; zero rows stay zero."""
    long = row_norms(rows)
    long = np.where(long > 0, long, 1)
    if isinstance(rows, np.ndarray):
        return rows / long[:, None]
    return csr_array(diagonal(1 / long) @ rows)


def products(one: Matrix, other: Matrix) -> Dense:
    """Dot products of all rows of `one` with all rows of `other`: [one, other]."""
    return dense(one @ other.T)


def product_blocks(one: Matrix, other: Matrix) -> Iterator[tuple[int, Dense]]:
    """Yield the same products in blocks, each with its first row in `one`.

    Blocks share one buffer, so memory does not grow with `one`: use a block before the next.
    """
    many = max(1, _AT_ONCE // max(1, other.shape[0]))
    held = np.empty((min(many, one.shape[0]), other.shape[0]), one.dtype)
    for start in range(0, one.shape[0], many):
        part = one[start : start + many]
        if isinstance(part, np.ndarray):
            yield start, np.matmul(part, other.T, out=held[: len(part)])
        else:
            yield start, products(part, other)


def row_products(one: Matrix, other: Matrix) -> Dense:
    """Dot product of each row of `one` with the same row of `other`."""
    if isinstance(one, np.ndarray):
        found: Dense = np.einsum("pd,pd->p", one, other)
        return found
    return np.asarray(one.multiply(other).sum(axis=1)).ravel()


def euclidean_distances(one: Dense, many: Matrix) -> NDArray[np.float64]:
    """Euclidean distance of each row of `many` to the vector `one`, in double precision."""
    if isinstance(many, np.ndarray):
        apart = many - one.astype(np.float64)
        return np.sqrt(row_products(apart, apart))
    squares: NDArray[np.float64] = one @ one + row_norms(many) ** 2 - 2 * (many @ one)
    return np.sqrt(np.maximum(squares, 0))


def with_zeros(rows: Matrix, places: NDArray[np.int64]) -> Matrix:
    """The rows at `places`; zeros where a place is -1."""
    found = rows[np.maximum(places, 0)]
    there = (places >= 0).astype(rows.dtype)
    if isinstance(found, np.ndarray):
        return found * there[:, None]
    return csr_array(diagonal(there) @ found)
