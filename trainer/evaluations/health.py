"""Do vectors use the space they have, and does a title alone do? What to ask before swapping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR, Score
from trainer.evaluations.base import Matrix, Outcome, Vectors
from trainer.evaluations.intervals import Items
from trainer.evaluations.matrices import products, row_products, unit_length
from trainer.evaluations.pictures import distributions
from trainer.evaluations.retrieval import relevant_ranks

# Papers whose spread is looked at; the rank cannot be higher.
_SAMPLE = 2_000


@dataclass(frozen=True)
class Health:
    """Measured of the papers' vectors, and of queries that are the titles alone of those of them
    that have an abstract.

    `mean_cosine` is near 0 where vectors point everywhere, near 1 where they have collapsed into
    a cone. `title_finds@10` is the share of papers that are among the ten nearest to their title.
    `papers` is how many should have a vector.
    """

    papers: int = 0
    pairs: int = 20_000

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> Outcome:
        if len(vectors.ids) < 3:
            raise TrainerError("Three papers are needed.", "Give more papers.")
        rows = unit_length(vectors.matrix.astype(np.float32))
        places = random_pairs(len(vectors.ids), self.pairs, seed)
        cosines = row_products(rows[places[0]], rows[places[1]])
        # By papers and not by rows, which may be others' in another file; some come twice.
        names = [
            f"{number} {vectors.ids[one]} {vectors.ids[other]}"
            for number, (one, other) in enumerate(places.T.tolist())
        ]
        items = {"mean_cosine": Items(names, cosines.astype(np.float64))}
        if queries is not None and len(queries.ids):
            items |= _titles(vectors, queries)
        sample = np.random.default_rng(seed).permutation(rows.shape[0])[:_SAMPLE]
        rank = effective_rank(rows[np.sort(sample)])
        outcome = Outcome.of(
            items,
            seed=seed,
            excluded={
                NO_VECTOR: max(0, self.papers - len(vectors.ids)),
                "papers not looked for by their title": _untitled(vectors, queries),
            },
            pictures={"distributions": distributions({"random pairs": cosines})},
        )
        score = Score("effective_rank", rank, len(sample))
        return Outcome((*outcome.scores, score), items, outcome.excluded, outcome.pictures)


def random_pairs(size: int, count: int, seed: int) -> NDArray[np.int64]:
    """Rows of so many pairs of two different papers each: [2, pairs]."""
    chance = np.random.default_rng(seed)
    one = chance.integers(0, size, count)
    return np.stack([one, (one + chance.integers(1, size, count)) % size])


def effective_rank(rows: Matrix) -> float:
    """In how many directions rows spread around their mean, by the entropy of their variances.

    1 where all lie on a line, and all dimensions where they spread alike (Roy and Vetterli, 2007,
    of variances rather than singular values); 0 where all rows are one.
    """
    gram = products(rows, rows).astype(np.float64)
    centred = gram - gram.mean(0) - gram.mean(1)[:, None] + gram.mean()
    variances = np.maximum(np.linalg.eigvalsh(centred), 0)
    # What rounding leaves of rows that are all one is no spread.
    if variances.sum() <= 1e-6 * max(1.0, float(np.trace(gram))):
        return 0.0
    shares = variances[variances > 0] / variances.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def _titles(vectors: Vectors, queries: Vectors) -> dict[str, Items]:
    """How like a paper its title alone is, and whether it is found by it."""
    own = vectors.rows(queries.ids)
    there = np.flatnonzero(own >= 0)
    ids = [queries.ids[row] for row in there.tolist()]
    titles, papers = queries.matrix[there], vectors.matrix[own[there]]
    like = row_products(*(unit_length(some.astype(np.float32)) for some in (titles, papers)))
    wanted = [[row] for row in own[there]]
    ranks = relevant_ranks(titles, vectors.matrix, wanted, by=vectors.by)
    return {
        "title_only": Items(ids, like.astype(np.float64)),
        "title_finds@10": Items(ids, (np.concatenate(ranks) <= 10).astype(np.float64)),
    }


def _untitled(vectors: Vectors, queries: Vectors | None) -> int:
    return 0 if queries is None else int((queries.rows(vectors.ids) < 0).sum())
