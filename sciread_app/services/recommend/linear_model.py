"""TF-IDF and a linear SVM.

Both agree with scikit-learn to six digits. Importing that takes a second, and keeps 100 MB in the
window's process. The SVM of the trainer (`evaluations/metrics/linear_svm.py`) is made for other
data: dense vectors and many values of C, with one Gram matrix for all, which sparse words and a
cost for each paper rule out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
Matrix = Any  # rows of papers: numpy's for vectors, scipy's sparse one for words

_WORD = re.compile(r"\w\w+")
_MOST_STEPS = 100  # a dozen suffice
_TOLERANCE = 1e-7  # of the residual, relative to the right-hand side


def tfidf(texts: Sequence[str]) -> tuple[csr_matrix, list[str]]:
    """Compute the sublinear TF-IDF of words and word pairs.

    Returns the matrix [texts, terms], with rows of length 1, and the terms, in the order in which
    they occur first. As in ASReview's ELAS u4, without its limit on the number of terms, which
    takes long and changes nothing.
    """
    counted = [_terms(text) for text in texts]
    # In a loop of Python, since sorting all terms would hold the interpreter lock for 70 ms.
    column: dict[str, int] = {}
    for terms in counted:
        for term in terms:
            column.setdefault(term, len(column))
    vocabulary = list(column)
    ends = np.cumsum([0, *map(len, counted)])
    columns = np.fromiter((column[term] for terms in counted for term in terms), np.int32, ends[-1])
    times = np.fromiter((n for terms in counted for n in terms.values()), np.float64, ends[-1])
    held = np.bincount(columns, minlength=len(vocabulary))
    counts = (1 + np.log(times)) * (1 + np.log((1 + len(texts)) / (1 + held)))[columns]
    rows = np.repeat(np.arange(len(texts)), np.diff(ends))
    counts /= np.sqrt(np.bincount(rows, counts**2, len(texts)))[rows]
    shape = (len(texts), len(vocabulary))
    found = csr_matrix((counts.astype(np.float32), columns, ends), shape)
    found.sort_indices()
    return found, vocabulary


def linear_svm(papers: Matrix, signs: Floats, costs: Floats) -> Floats:
    """Return the weights of a linear SVM that separates papers of sign 1 from those of sign -1.

    They minimize |w|^2 / 2 + sum(cost * max(0, 1 - sign * margin)^2), with the bias as one more
    weight. That is convex and piecewise quadratic, so that Newton's method ends in a few steps.
    Source: Keerthi and DeCoste, "A modified finite Newton method for fast solution of large scale
    linear SVMs", JMLR 6 (2005).
    """
    papers = papers.astype(np.float64)  # once, and not with each product

    def margins(weights: Floats) -> Floats:
        found: Floats = papers @ weights[:-1] + weights[-1]
        return found

    def together(shares: Floats) -> Floats:
        return np.append(papers.T @ shares, shares.sum())

    def bent(weights: Floats) -> Floats:
        return weights + together(np.where(missed, 2 * costs, 0.0) * margins(weights))

    weights, missed = np.zeros(papers.shape[1] + 1), np.ones(len(signs), bool)
    for _ in range(_MOST_STEPS):
        weights = _solved(bent, together(np.where(missed, 2 * costs * signs, 0.0)), weights)
        before, missed = missed, signs * margins(weights) < 1
        if np.array_equal(before, missed):
            break
    return weights[:-1]


def _terms(text: str) -> Counter[str]:
    words = _WORD.findall(text.lower())
    return Counter([*words, *map(" ".join, pairwise(words))])


def _solved(times: Callable[[Floats], Floats], rhs: Floats, near: Floats) -> Floats:
    """Solve `times(x) = rhs` by conjugate gradients, starting at `near`."""
    left = rhs - times(near)
    ahead, size = left, left @ left
    while size > _TOLERANCE**2 * (rhs @ rhs):
        less = times(ahead)
        length = size / (ahead @ less)
        near, left = near + length * ahead, left - length * less
        before, size = size, left @ left
        ahead = left + size / before * ahead
    return near
