"""How well a linear SVM tells labels by vectors: SciDocs' MAG and MeSH tasks, to the digit."""

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
from trainer.evaluations.base import Matrix, Outcome, Vectors
from trainer.evaluations.intervals import Items
from trainer.evaluations.linear_svm import LinearSvm, fit
from trainer.evaluations.matrices import with_zeros
from trainer.evaluations.pictures import confusion

CS = tuple(10.0**power for power in range(-4, 3))
_FOLDS = 3


class Chosen(NamedTuple):
    """The `c` of the highest mean accuracy over folds, the lowest of equals; and the machine."""

    c: float
    accuracies: NDArray[np.float64]
    machine: LinearSvm


def choose_c(vectors: Matrix, labels: NDArray[np.integer], cs: Sequence[float] = CS) -> Chosen:
    """Cross-validate each C, from low to high, on unshuffled stratified folds; fit all with the
    best. Labels are codes. They are chosen by accuracy, although macro F1 is reported."""
    each = []
    for learn, test in _folds(labels):
        machines = fit(vectors[learn], labels[learn], cs)
        each.append([np.mean(m.tell(vectors[test]) == labels[test]) for m in machines])
    accuracies = np.mean(each, axis=0)
    best = int(accuracies.argmax())
    (machine,) = fit(vectors, labels, [cs[best]])
    return Chosen(cs[best], accuracies, machine)


def _folds(labels: NDArray[np.integer]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Rows to learn from and rows to tell, of each fold."""
    with warnings.catch_warnings():
        # SciDocs' folds are so, too: a label of fewer papers is not in all of them.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return list(StratifiedKFold(_FOLDS).split(np.zeros(len(labels)), labels))


@dataclass(frozen=True)
class SvmProbe:
    """The label of each paper of one part is learned, that of the other told.

    As in SciDocs, a paper without a vector counts as a vector of zeros, in both parts.
    """

    train: Mapping[str, str]
    test: Mapping[str, str]

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> Outcome:
        names, codes = _codes([*self.train.values(), *self.test.values()])
        learned, truth = np.split(codes, [len(self.train)])
        rows = [vectors.rows(list(part)) for part in (self.train, self.test)]
        _check(learned, rows)
        learn, tell = (with_zeros(vectors.matrix, places) for places in rows)
        told = choose_c(learn, learned).machine.tell(tell)
        ids = list(self.test)
        return Outcome.of(
            {
                "macro_f1": Items.of_macro_f1(ids, truth, told),
                "accuracy": Items(ids, (truth == told).astype(np.float64)),
            },
            seed=seed,
            excluded={f"{NO_VECTOR}, taken as zeros": sum(int((p < 0).sum()) for p in rows)},
            pictures={"confusion": confusion(truth, told, names)},
        )


def _codes(labels: ArrayLike) -> tuple[list[str], NDArray[np.int64]]:
    found, codes = np.unique(np.asarray(labels, np.str_), return_inverse=True)
    return found.tolist(), codes


def _check(learned: NDArray[np.int64], rows: Sequence[NDArray[np.int64]]) -> None:
    counts = np.bincount(learned)
    if np.count_nonzero(counts) < 2:
        raise TrainerError("All papers have one label.", "Give papers of two labels or more.")
    if counts.max() < _FOLDS:
        raise TrainerError(
            f"No label has {_FOLDS} papers to learn from.", "Give more papers a label."
        )
    if any((places < 0).all() for places in rows):
        raise TrainerError(
            "None of the papers to learn from, or none to tell, has a vector.",
            "Check that ids are those of the task.",
        )
