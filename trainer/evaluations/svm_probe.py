"""Linear SVM probe of labels: SciDocs' MAG and MeSH tasks, reproduced to the digit."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedKFold

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR
from trainer.evaluations.base import Matrix, TaskResult, Vectors
from trainer.evaluations.metrics.linear_svm import LinearSvm, fit
from trainer.evaluations.metrics.matrices import with_zeros
from trainer.evaluations.metrics.significance import Items
from trainer.evaluations.plots import confusion

CS = tuple(10.0**power for power in range(-4, 3))
_FOLDS = 3


class SelectedC(NamedTuple):
    """The smallest `c` of highest mean accuracy over folds, and the SVM fitted with it."""

    c: float
    accuracies: NDArray[np.float64]
    machine: LinearSvm


def choose_c(vectors: Matrix, labels: NDArray[np.integer], cs: Sequence[float] = CS) -> SelectedC:
    """Select C by cross-validation on unshuffled stratified folds; refit on all rows.

    `labels` are codes. As in SciDocs, C is selected by accuracy, although macro F1 is reported.
    """
    each = []
    for learn, test in _folds(labels):
        machines = fit(vectors[learn], labels[learn], cs)
        each.append([np.mean(m.predict(vectors[test]) == labels[test]) for m in machines])
    accuracies = np.mean(each, axis=0)
    best = int(accuracies.argmax())
    (machine,) = fit(vectors, labels, [cs[best]])
    return SelectedC(cs[best], accuracies, machine)


def _folds(labels: NDArray[np.integer]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Training and test rows of each fold."""
    with warnings.catch_warnings():
        # As in SciDocs, a label with fewer papers than folds is missing from some of them.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return list(StratifiedKFold(_FOLDS).split(np.zeros(len(labels)), labels))


@dataclass(frozen=True)
class SvmProbe:
    """Train on the labels of one part of the papers and predict those of the other.

    As in SciDocs, a paper without a vector counts as a vector of zeros, in both parts.
    """

    train: Mapping[str, str]
    test: Mapping[str, str]

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
        names, codes = _codes([*self.train.values(), *self.test.values()])
        learned, y_true = np.split(codes, [len(self.train)])
        rows = [vectors.rows(list(part)) for part in (self.train, self.test)]
        _check(learned, rows)
        train, test = (with_zeros(vectors.matrix, places) for places in rows)
        y_pred = choose_c(train, learned).machine.predict(test)
        ids = list(self.test)
        return TaskResult.of(
            {
                "macro_f1": Items.of_macro_f1(ids, y_true, y_pred),
                "accuracy": Items(ids, (y_true == y_pred).astype(np.float64)),
            },
            seed=seed,
            excluded={f"{NO_VECTOR}, replaced by zeros": sum(int((p < 0).sum()) for p in rows)},
            pictures={"confusion": confusion(y_true, y_pred, names)},
        )


def _codes(labels: ArrayLike) -> tuple[list[str], NDArray[np.int64]]:
    found, codes = np.unique(np.asarray(labels, np.str_), return_inverse=True)
    return found.tolist(), codes


def _check(learned: NDArray[np.int64], rows: Sequence[NDArray[np.int64]]) -> None:
    counts = np.bincount(learned)
    if np.count_nonzero(counts) < 2:
        raise TrainerError(
            "All papers have the same label.", "Add papers with at least two labels."
        )
    if counts.max() < _FOLDS:
        raise TrainerError(f"No label has {_FOLDS} training papers.", "Add papers for each label.")
    if any((places < 0).all() for places in rows):
        raise TrainerError(
            "No training paper or no test paper has a vector.",
            "Check that the IDs match those of the task.",
        )
