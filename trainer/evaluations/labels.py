"""Selection of the papers that have both a vector and a label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR
from trainer.evaluations.base import Matrix, Vectors


class LabelledVectors(NamedTuple):
    """Papers with vectors and label codes (indices into `names`), in the order of `ids`."""

    ids: list[str]
    vectors: Matrix
    codes: NDArray[np.int64]
    names: list[str]
    excluded: Mapping[str, int]


def labelled_vectors(
    vectors: Vectors, labels: Mapping[str, str], *, at_least: int = 1
) -> LabelledVectors:
    """Select papers whose label has `at_least` that many papers with vectors.

    Raises TrainerError if fewer than two labels are left.
    """
    seen = [
        paper
        for paper, row in zip(labels, vectors.rows(list(labels)), strict=True)
        if row >= 0 and labels[paper]
    ]
    sizes = Counter(labels[paper] for paper in seen)
    ids = [paper for paper in seen if sizes[labels[paper]] >= at_least]
    names, codes = np.unique(
        np.array([labels[paper] for paper in ids], np.str_), return_inverse=True
    )
    if len(names) < 2:
        which = "Only one label has" if len(names) else "No label has"
        papers = f"{at_least} papers with vectors" if at_least > 1 else "a paper with a vector"
        raise TrainerError(
            f"{which} {papers} or more, and two are needed.",
            "Give papers of two labels or more, and check that ids are those of the task.",
        )
    unlabelled = sum(not label for label in labels.values())
    excluded = {
        NO_VECTOR: len(labels) - len(seen) - unlabelled,
        "papers without a label": unlabelled,
        f"papers whose label fewer than {at_least} have": len(seen) - len(ids),
    }
    return LabelledVectors(ids, vectors.matrix[vectors.rows(ids)], codes, names.tolist(), excluded)
