"""A linear SVM with squared hinge loss and no intercept, all labels and many Cs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trainer.evaluations.base import Matrix

Floats = NDArray[np.float64]

# Where gradients are so small beside those at zero weights, no digit of a score moves any more.
_TOLERANCE = 1e-6
_MOST_STEPS = 100
_MOST_INNER_STEPS = 200


@dataclass(frozen=True)
class LinearSvm:
    """One label against all others each: `weight` [labels, dim] of the `labels` it has met."""

    weight: Floats
    labels: NDArray[np.integer]

    def tell(self, vectors: Matrix) -> NDArray[np.integer]:
        """The label of the highest margin of each vector; the first of equals."""
        found: NDArray[np.integer] = self.labels[(vectors @ self.weight.T).argmax(1)]
        return found


@dataclass(frozen=True)
class Rotated:
    """Vectors turned so that no two of their numbers correlate, unless they are sparse.

    A machine without intercept is the same in all directions, so that it may be fitted here,
    where a preconditioner that knows numbers one by one knows all: `squares` are their sums.
    """

    vectors: Matrix
    turn: Floats | None
    squares: Floats

    @classmethod
    def of(cls, vectors: Matrix) -> Rotated:
        if isinstance(vectors, np.ndarray):
            numbers = vectors.astype(np.float64)
            squares, turn = np.linalg.eigh(numbers.T @ numbers)
            return cls(numbers @ turn, turn, np.maximum(squares, 0))
        return cls(vectors, None, np.asarray(vectors.multiply(vectors).sum(axis=0)).ravel())

    def fit(self, labels: NDArray[np.integer], cs: Sequence[float]) -> list[LinearSvm]:
        """A machine for each C, given from low to high: each begins where the last one ended."""
        found, codes = np.unique(labels, return_inverse=True)
        signs = np.where(codes[:, None] == np.arange(len(found)), 1.0, -1.0)
        weight = np.zeros((len(self.squares), len(found)))
        machines = []
        for c in cs:
            weight = self._newton(weight, signs, c)
            back = weight if self.turn is None else self.turn @ weight
            machines.append(LinearSvm(back.T, found))
        return machines

    def _newton(self, weight: Floats, signs: Floats, c: float) -> Floats:
        """The least of |w|^2 / 2 + c * sum(max(0, 1 - sign * margin)^2), for each label.

        It is convex and in pieces quadratic, so that Newton's steps end in a few.
        """
        x = self.vectors
        margins = x @ weight
        # Where weights are zero, all margins are missed by 1.
        far = 2 * c * np.linalg.norm(x.T @ signs, axis=0) * _TOLERANCE
        for _ in range(_MOST_STEPS):
            missed = signs * margins < 1
            gradient = weight + 2 * c * (x.T @ np.where(missed, margins - signs, 0.0))
            going = np.linalg.norm(gradient, axis=0) > far
            if not going.any():
                break
            scale = 1 + 2 * c * missed.mean(0) * self.squares[:, None]

            def curved(step: Floats, missed: NDArray[np.bool_] = missed) -> Floats:
                return step + 2 * c * (x.T @ np.where(missed, x @ step, 0.0))

            step = conjugate_gradient(curved, -gradient * going, scale)
            ahead = x @ step
            length = _step_length(weight, step, margins, ahead, signs, c)
            weight, margins = weight + length * step, margins + length * ahead
        return weight


def conjugate_gradient(curved: Callable[[Floats], Floats], wanted: Floats, scale: Floats) -> Floats:
    """Steps that `curved` takes to `wanted`, a column each, nearly enough for Newton's method.

    `scale` is the diagonal of a matrix like the curvature's.
    """
    step, rest = np.zeros_like(wanted), wanted.copy()
    near = np.linalg.norm(wanted, axis=0) * 0.03
    way = rest / scale
    worth = (rest * way).sum(0)
    for _ in range(_MOST_INNER_STEPS):
        if (np.linalg.norm(rest, axis=0) <= near).all():
            break
        bent = curved(way)
        stride = _ratio(worth, (way * bent).sum(0))
        step += stride * way
        rest -= stride * bent
        scaled = rest / scale
        again = (rest * scaled).sum(0)
        way = scaled + _ratio(again, worth) * way
        worth = again
    return step


def _step_length(
    weight: Floats, step: Floats, margins: Floats, ahead: Floats, signs: Floats, c: float
) -> Floats:
    """How much of each step to go: all of it, or half as often as needed for it to pay."""

    def loss(length: Floats) -> Floats:
        short = np.maximum(0.0, 1 - signs * (margins + length * ahead))
        found: Floats = ((weight + length * step) ** 2).sum(0) / 2 + c * (short**2).sum(0)
        return found

    length = np.ones(step.shape[1])
    now = loss(np.zeros_like(length))
    for _ in range(30):
        worse = loss(length) > now * (1 + 1e-12)
        if not worse.any():
            break
        length[worse] /= 2
    return length


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """0 where both are, for what is there already."""
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
