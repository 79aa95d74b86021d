"""Health of an embedding space: spread of the vectors and similarity of titles to papers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR, Score
from trainer.evaluations.base import Matrix, TaskResult, Vectors
from trainer.evaluations.metrics.matrices import l2_normalize, products, row_products
from trainer.evaluations.metrics.retrieval import relevant_ranks
from trainer.evaluations.metrics.significance import Items
from trainer.evaluations.plots import distributions

# Papers sampled for the effective rank, which cannot be higher than this.
_SAMPLE = 2_000


@dataclass(frozen=True)
class Health:
    """Metrics of the papers' vectors and of queries: the titles of papers that have an abstract.

    `mean_cosine` is near 0 if vectors point in all directions, near 1 if they have collapsed into
    a cone. `title_finds@10` is the share of papers among the ten nearest to their own title.
    `papers` is the number of papers that should have a vector.
    """

    papers: int = 0
    pairs: int = 20_000

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
        if len(vectors.ids) < 3:
            raise TrainerError("At least three papers are required.", "Add papers.")
        rows = l2_normalize(vectors.matrix.astype(np.float32))
        places = random_pairs(len(vectors.ids), self.pairs, seed)
        cosines = row_products(rows[places[0]], rows[places[1]])
        # Named by paper, since rows differ between files; numbered, since pairs may repeat.
        names = [
            f"{number} {vectors.ids[one]} {vectors.ids[other]}"
            for number, (one, other) in enumerate(places.T.tolist())
        ]
        items = {"mean_cosine": Items(names, cosines.astype(np.float64))}
        if queries is not None and len(queries.ids):
            items |= _titles(vectors, queries)
        sample = np.random.default_rng(seed).permutation(rows.shape[0])[:_SAMPLE]
        rank = effective_rank(rows[np.sort(sample)])
        outcome = TaskResult.of(
            items,
            seed=seed,
            excluded={
                NO_VECTOR: max(0, self.papers - len(vectors.ids)),
                "papers without a title search": (
                    0 if queries is None else int((queries.rows(vectors.ids) < 0).sum())
                ),
            },
            pictures={"distributions": distributions({"random pairs": cosines})},
        )
        score = Score("effective_rank", rank, len(sample))
        return TaskResult((*outcome.scores, score), items, outcome.excluded, outcome.pictures)


def random_pairs(size: int, count: int, seed: int) -> NDArray[np.int64]:
    """Draw `count` pairs of two different rows below `size`: [2, pairs]."""
    rng = np.random.default_rng(seed)
    one = rng.integers(0, size, count)
    return np.stack([one, (one + rng.integers(1, size, count)) % size])


def effective_rank(rows: Matrix) -> float:
    """Effective number of dimensions in which rows vary: exp of the entropy of their variances.

    1 if all rows lie on a line, the dimension if they vary equally in all directions (Roy and
    Vetterli, 2007, with variances in place of singular values); 0 if all rows are equal.
    """
    gram = products(rows, rows).astype(np.float64)
    centred = gram - gram.mean(0) - gram.mean(1)[:, None] + gram.mean()
    variances = np.maximum(np.linalg.eigvalsh(centred), 0)
    # The variance of equal rows is rounding error.
    if variances.sum() <= 1e-6 * max(1.0, float(np.trace(gram))):
        return 0.0
    shares = variances[variances > 0] / variances.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def _titles(vectors: Vectors, queries: Vectors) -> dict[str, Items]:
    """Similarity of each paper to its title, and whether the title retrieves it in the top 10."""
    own = vectors.rows(queries.ids)
    there = np.flatnonzero(own >= 0)
    ids = [queries.ids[row] for row in there.tolist()]
    titles, papers = queries.matrix[there], vectors.matrix[own[there]]
    like = row_products(*(l2_normalize(some.astype(np.float32)) for some in (titles, papers)))
    wanted = [[row] for row in own[there]]
    ranks = relevant_ranks(titles, vectors.matrix, wanted, by=vectors.by)
    return {
        "title_only": Items(ids, like.astype(np.float64)),
        "title_finds@10": Items(ids, (np.concatenate(ranks) <= 10).astype(np.float64)),
    }
