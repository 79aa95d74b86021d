"""Classification of labels from vectors by MIReAD's linear probe: accuracy and macro F1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from trainer.contract.errors import TrainerError
from trainer.contract.plots import Confusion
from trainer.contract.report import NO_VECTOR
from trainer.evaluations.base import LabelledVectors, Matrix, TaskResult, Vectors, labelled_vectors
from trainer.evaluations.metrics.matrices import dense
from trainer.evaluations.metrics.significance import Items
from trainer.evaluations.plots import confusion

Labels = NDArray[np.integer]


@dataclass(frozen=True)
class Probe:
    """Multinomial logistic regression: `weight` [labels, dim], `bias` [labels].

    `losses` holds the loss of each training batch, before its update.
    """

    weight: NDArray[np.float64]
    bias: NDArray[np.float64]
    losses: Sequence[float] = ()

    def predict(self, vectors: Matrix) -> NDArray[np.int64]:
        """Code of the most probable label of each row."""
        found: NDArray[np.int64] = (vectors @ self.weight.T + self.bias).argmax(1)
        return found


class ProbePlan(NamedTuple):
    """Settings of Adam for a probe [assumed: MIReAD's paper does not name an optimizer]."""

    learning_rate: float
    batch_size: int
    epochs: int


MIREADS_PLAN = ProbePlan(learning_rate=5e-4, batch_size=100, epochs=5)


def fit_probe(
    vectors: Matrix,
    labels: Labels,
    count: int,
    *,
    seed: int | None,
    held_out: tuple[Matrix, Labels] | None = None,
    plan: ProbePlan = MIREADS_PLAN,
) -> Probe:
    """Fit a probe from zero weights, without regularization. `labels` are 0 to `count` - 1.

    With `seed` None, rows keep their order in every epoch. Returns the epoch of highest accuracy
    on `held_out`, the earliest of equals; without `held_out`, the last.
    """
    adam = _Adam(count, vectors.shape[1], plan.learning_rate)
    rng = np.random.default_rng(seed)
    losses: list[float] = []
    kept, most = Probe(adam.weight, adam.bias), -1.0
    for _ in range(plan.epochs):
        order = np.arange(len(labels)) if seed is None else rng.permutation(len(labels))
        for start in range(0, len(order), plan.batch_size):
            rows = order[start : start + plan.batch_size]
            losses.append(adam.step(dense(vectors[rows]).astype(np.float64), labels[rows]))
        now = Probe(adam.weight, adam.bias)
        right = float(np.mean(now.predict(held_out[0]) == held_out[1])) if held_out else most + 1
        if right > most:
            kept, most = now, right
    return Probe(kept.weight, kept.bias, losses)


class Fold(NamedTuple):
    """Test rows of a probe and the label codes it predicted for them."""

    rows: NDArray[np.int64]
    y_pred: NDArray[np.int64]


def probe_folds(
    vectors: Matrix,
    codes: Labels,
    *,
    seed: int,
    folds: int = 4,
    plan: ProbePlan = MIREADS_PLAN,
) -> Iterator[Fold]:
    """Train a probe per fold and test it on that fold.

    The next fold is used for early stopping [assumed: the paper only says that validation accuracy
    is used], the others for training. Vectors are not normalized: longer ones are learned sooner.
    Each label must have at least as many papers as there are folds.
    """
    shuffled = StratifiedKFold(folds, shuffle=True, random_state=seed)
    parts = [part for _, part in shuffled.split(np.zeros(len(codes)), codes)]
    for number, test in enumerate(parts):
        stop = parts[(number + 1) % folds]
        learn = np.setdiff1d(np.arange(len(codes)), np.concatenate([test, stop]))
        probe = fit_probe(
            vectors[learn],
            codes[learn],
            int(codes.max()) + 1,
            seed=seed,
            held_out=(vectors[stop], codes[stop]),
            plan=plan,
        )
        yield Fold(test, probe.predict(vectors[test]))


@dataclass(frozen=True)
class LinearProbe:
    """MIReAD's classification task: mean over folds and over repeated runs."""

    labels: Mapping[str, str]
    runs: int = 3
    folds: int = 4
    plan: ProbePlan = MIREADS_PLAN

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
        papers = labelled_vectors(vectors, self.labels, at_least=self.folds)
        each = np.empty((self.runs, 2, len(papers.ids)))
        y_pred = np.empty(len(papers.ids), np.int64)
        for run in range(self.runs):
            found = probe_folds(
                papers.vectors, papers.codes, seed=seed + run, folds=self.folds, plan=self.plan
            )
            for fold in found:
                each[run][:, fold.rows] = self._shares(papers.codes, fold)
                y_pred[fold.rows] = fold.y_pred
        picture = confusion(papers.codes, y_pred, papers.names)
        return _result(papers.ids, each, seed, papers.excluded, picture)

    def _shares(self, codes: Labels, fold: Fold) -> NDArray[np.float64]:
        """Contribution of each paper to macro F1 and accuracy, with equal weight per fold."""
        shares = _shares_of(codes[fold.rows], fold.y_pred)
        return shares * len(codes) / (self.folds * len(fold.rows))


@dataclass(frozen=True)
class SplitProbe:
    """MIReAD's classification with a given test part, as for SciDocs' labels.

    Each fold of the training part is held out once for early stopping. All these probes predict
    the same test papers; the score is the mean over probes and over repeated runs.
    """

    train: Mapping[str, str]
    test: Mapping[str, str]
    runs: int = 3
    folds: int = 4
    plan: ProbePlan = MIREADS_PLAN

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
        learn = labelled_vectors(vectors, self.train, at_least=self.folds)
        names = set(learn.names)
        ids = [paper for paper, label in self.test.items() if label in names]
        tested = [paper for paper, row in zip(ids, vectors.rows(ids), strict=True) if row >= 0]
        if not tested:
            raise TrainerError(
                "No test paper has a vector and a label of the training papers.",
                "Check that the IDs match those of the task.",
            )
        y_true = np.searchsorted(learn.names, [self.test[paper] for paper in tested])
        predictions = [
            self._predictions(learn, vectors, tested, seed + run) for run in range(self.runs)
        ]
        shares = np.array(
            [[_shares_of(y_true, some) for some in folds] for folds in predictions]
        ).mean(1)
        excluded = {
            **learn.excluded,
            "test papers with a label not in the training papers": len(self.test) - len(ids),
            f"{NO_VECTOR}, test split": len(ids) - len(tested),
        }
        picture = confusion(y_true, predictions[-1][-1], learn.names)
        return _result(tested, shares, seed, excluded, picture)

    def _predictions(
        self, learn: LabelledVectors, vectors: Vectors, tested: list[str], seed: int
    ) -> list[NDArray[np.int64]]:
        """Predicted label of each paper, by the probe of each fold."""
        rows = vectors.matrix[vectors.rows(tested)]
        folds = StratifiedKFold(self.folds, shuffle=True, random_state=seed)
        return [
            fit_probe(
                learn.vectors[rest],
                learn.codes[rest],
                len(learn.names),
                seed=seed,
                held_out=(learn.vectors[stop], learn.codes[stop]),
                plan=self.plan,
            ).predict(rows)
            for rest, stop in folds.split(np.zeros(len(learn.codes)), learn.codes)
        ]


def _result(
    ids: Sequence[str],
    shares: NDArray[np.float64],
    seed: int,
    excluded: Mapping[str, int],
    picture: Confusion,
) -> TaskResult:
    """Return the mean over runs; `shares` [runs, 2, papers] are those of `_shares_of`."""
    metrics = ("macro_f1", "accuracy")
    return TaskResult.of(
        {name: Items(ids, values) for name, values in zip(metrics, shares.mean(0), strict=True)},
        seed=seed,
        excluded=excluded,
        spread=dict(zip(metrics, shares.mean(2).T.tolist(), strict=True)),
        pictures={"confusion": picture},
    )


def _shares_of(y_true: Labels, y_pred: Labels) -> NDArray[np.float64]:
    """Contribution of each paper to macro F1 and to accuracy: [2, papers]."""
    f1 = Items.of_macro_f1([""] * len(y_true), y_true, y_pred).values
    return np.stack([f1, y_true == y_pred])


class _Adam:
    """Weights and bias of a logistic regression, updated by Adam (Kingma and Ba, 2015)."""

    def __init__(self, count: int, dim: int, learning_rate: float) -> None:
        self._rate = learning_rate
        self._place = np.zeros((count, dim + 1))  # the bias is the last column
        self._mean, self._square = np.zeros_like(self._place), np.zeros_like(self._place)
        self._steps = 0

    @property
    def weight(self) -> NDArray[np.float64]:
        return self._place[:, :-1].copy()

    @property
    def bias(self) -> NDArray[np.float64]:
        return self._place[:, -1].copy()

    def step(self, vectors: NDArray[np.float64], labels: Labels) -> float:
        """Update on one batch. Returns its mean cross entropy before the update."""
        logits = vectors @ self._place[:, :-1].T + self._place[:, -1]
        logits -= logits.max(1, keepdims=True)
        shares = np.exp(logits)
        totals = shares.sum(1, keepdims=True)
        rows = np.arange(len(labels))
        loss = float(np.mean(np.log(totals[:, 0]) - logits[rows, labels]))
        shares /= totals
        shares[rows, labels] -= 1
        self._move(np.column_stack([shares.T @ vectors, shares.sum(0)]) / len(labels))
        return loss

    def _move(self, gradient: NDArray[np.float64]) -> None:
        self._steps += 1
        self._mean += 0.1 * (gradient - self._mean)
        self._square += 0.001 * (gradient**2 - self._square)
        mean = self._mean / (1 - 0.9**self._steps)
        square = self._square / (1 - 0.999**self._steps)
        self._place -= self._rate * mean / (np.sqrt(square) + 1e-8)
