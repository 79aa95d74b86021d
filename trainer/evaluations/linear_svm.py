"""A linear SVM with squared hinge loss and no intercept: each label against all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from trainer.evaluations.base import Matrix

Floats = NDArray[np.float64]

# Where gradients are so small beside those at zero weights, no digit of a score moves any more.
_TOLERANCE = 1e-12
_MOST_STEPS = 1_000


@dataclass(frozen=True)
class LinearSvm:
    """One label against all others each: `weight` [labels, dim] of the `labels` it has met."""

    weight: Floats
    labels: NDArray[np.integer]

    def tell(self, vectors: Matrix) -> NDArray[np.integer]:
        """The label of the highest margin of each vector; the first of equals."""
        found: NDArray[np.integer] = self.labels[(vectors @ self.weight.T).argmax(1)]
        return found


def fit(vectors: Matrix, labels: NDArray[np.integer], cs: Sequence[float]) -> list[LinearSvm]:
    """A machine for each C: the least of |w|^2 / 2 + C * sum(max(0, 1 - sign * margin)^2), to
    some eight digits. Dense vectors like Cs that rise, where each begins where the last ended."""
    found = np.unique(labels)
    if len(found) == 1:
        weights = np.zeros((len(cs), 1, vectors.shape[1]))
    elif isinstance(vectors, np.ndarray):
        weights = _by_newton(vectors.astype(np.float64), labels, cs)
    else:
        weights = _by_descent(vectors, labels, cs)
    if len(found) == 2:  # the first one's machine is the second's turned round
        weights = np.concatenate([-weights, weights], axis=1)
    return [LinearSvm(weight, found) for weight in weights]


def _by_descent(x: csr_array, labels: NDArray[np.integer], cs: Sequence[float]) -> Floats:
    """Coordinate descent in the dual is fast where vectors have few numbers that are not zero."""
    machines = [
        LinearSVC(C=c, fit_intercept=False, dual=True, tol=1e-8, max_iter=10_000, random_state=0)
        for c in cs
    ]
    return np.stack([machine.fit(x, labels).coef_ for machine in machines])


def _by_newton(x: Floats, labels: NDArray[np.integer], cs: Sequence[float]) -> Floats:
    """The loss is convex and in pieces quadratic, so that Newton's steps end in a few.

    Source: Keerthi and DeCoste, "A modified finite Newton method for fast solution of large scale
    linear SVMs", JMLR 6 (2005).
    """
    found = np.unique(labels)
    asked = found if len(found) > 2 else found[1:]
    weights = np.empty((len(cs), len(asked), x.shape[1]))
    curvature = _Curvature(x)
    # So small matrices are sooner done by one core than shared out among several.
    with threadpool_limits(1, "blas"):
        for place, label in enumerate(asked):
            weight, signs = np.zeros(x.shape[1]), np.where(labels == label, 1.0, -1.0)
            for machines, c in zip(weights, cs, strict=True):
                weight = machines[place] = _newton(curvature, weight, signs, c)
    return weights


class _Curvature:
    """The loss bends as I + 2 C X_m^T X_m does, where X_m are the rows `missed`.

    From step to step, and from C to C, few rows of all change, and only these are counted anew.
    """

    def __init__(self, x: Floats) -> None:
        self.x = x
        self._whole = x.T @ x
        self._missed, self._gram = np.ones(len(x), np.bool_), self._whole.copy()

    def solve(self, wanted: Floats, missed: NDArray[np.bool_], c: float) -> Floats:
        """The step that the curvature takes to `wanted`."""
        if 2 * np.count_nonzero(missed) < self.x.shape[1]:
            return _solve_by_rows(wanted, self.x[missed], c)
        self._follow(missed)
        return _solve(2 * c * self._gram, 1.0, wanted)

    def _follow(self, missed: NDArray[np.bool_]) -> None:
        if np.count_nonzero(~missed) < np.count_nonzero(missed ^ self._missed):
            self._missed, self._gram = np.ones_like(missed), self._whole.copy()
        came, went = self.x[missed & ~self._missed], self.x[self._missed & ~missed]
        self._gram += came.T @ came
        self._gram -= went.T @ went
        self._missed = missed


def _solve_by_rows(wanted: Floats, rows: Floats, c: float) -> Floats:
    """The same step by a matrix of the missed `rows`: less work where they are few (Woodbury)."""
    return wanted - rows.T @ _solve(rows @ rows.T, 1 / (2 * c), rows @ wanted)


def _solve(bent: Floats, more: float, wanted: Floats) -> Floats:
    """What `bent`, symmetric, with `more` on its diagonal, takes to `wanted`; `bent` is lost."""
    # Of very long vectors, rounding leaves more.
    bent.flat[:: len(bent) + 1] += max(more, 1e-14 * np.trace(bent))
    # Its transpose, which is the same, lies in memory as LAPACK wants it.
    factor = cho_factor(bent.T, overwrite_a=True, check_finite=False)
    step: Floats = cho_solve(factor, wanted, check_finite=False)
    return step


def _newton(curvature: _Curvature, weight: Floats, signs: Floats, c: float) -> Floats:
    """The best weight for rows of `signs` 1 against those of -1, found from `weight` on."""
    x = curvature.x
    margins = x @ weight
    # Where weights are zero, all margins are missed by 1.
    near = 2 * c * np.linalg.norm(x.T @ signs) * _TOLERANCE
    for _ in range(_MOST_STEPS):
        missed = signs * margins < 1
        gradient = weight + 2 * c * (x.T @ np.where(missed, margins - signs, 0.0))
        if np.linalg.norm(gradient) <= near:
            break
        step = curvature.solve(-gradient, missed, c)
        ahead = x @ step
        length = _step_length(weight, step, margins, ahead, signs, c)
        weight, margins = weight + length * step, margins + length * ahead
    return weight


def _step_length(
    weight: Floats, step: Floats, margins: Floats, ahead: Floats, signs: Floats, c: float
) -> float:
    """How much of the step to go: all of it, or half as often as needed for it to pay."""

    def loss(length: float) -> float:
        short = np.maximum(0.0, 1 - signs * (margins + length * ahead))
        return float(((weight + length * step) ** 2).sum() / 2 + c * (short @ short))

    length, most = 1.0, loss(0.0) * (1 + 1e-12)
    while loss(length) > most and length > 1e-9:
        length /= 2
    return length
