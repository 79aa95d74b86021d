"""SciDocs' recommendation task: rank of the paper that a reader clicked on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR
from trainer.evaluations.base import TaskResult, Vectors
from trainer.evaluations.click_ranker import Click, Features, PaperMetadata, learn_to_rank
from trainer.evaluations.metrics.intervals import Items

Floats = NDArray[np.float64]

UNSHOWN = "clicks on a paper that was not shown"
UNLIKELY = "clicks at a place whose propensity is not known"


class ClickScores(NamedTuple):
    """Scores with one value per click, to be averaged by `weights` (inverse propensities)."""

    weights: Floats
    above: Floats
    ndcg: Floats
    p_at_1: Floats
    mrr: Floats


def score_clicks(
    scores: Sequence[ArrayLike], clicked: Sequence[int], propensity: ArrayLike
) -> ClickScores:
    """Score each click by the number of shown papers ranked above the clicked one.

    `scores` are those of the papers in the order shown, `clicked` is the position of the click,
    and `propensity` the probability that each position is examined. Ties count as half above.
    """
    above = np.array([_above(np.asarray(s), at) for s, at in zip(scores, clicked, strict=True)])
    likely = np.asarray(propensity, np.float64)
    return ClickScores(
        weights=likely.mean() / likely[list(clicked)],
        above=above,
        ndcg=1 / np.log2(2 + above),
        p_at_1=(above == 0).astype(np.float64),
        mrr=1 / (1 + above),
    )


def _above(scores: NDArray[np.floating], clicked: int) -> float:
    # Minus one: the clicked paper equals itself.
    ties = np.count_nonzero(scores == scores[clicked]) - 1
    return float(np.count_nonzero(scores > scores[clicked]) + ties / 2)


@dataclass(frozen=True)
class Recommendation:
    """Train a ranker on clicks, with metadata and cosine similarity as features, and test it.

    Papers without a vector have cosine 0 to all others. As in SciDocs' code, a click on the only
    paper shown is left out of training and counts as rank 1 in the test. Results vary with the
    seed.
    """

    train: Sequence[Click]
    validation: Sequence[Click]
    test: Sequence[Click]
    propensity: Sequence[float]
    papers: Mapping[str, PaperMetadata]
    runs: int = 3
    fix_position: bool = False

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
        train, validation, test = (
            [click for click in part if not self._why_not(click)]
            for part in (self.train, self.validation, self.test)
        )
        train, validation = (
            [click for click in part if len(click.shown) > 1] for part in (train, validation)
        )
        if not train or not test:
            raise TrainerError(
                f"There are {len(train):,} clicks to learn from and {len(test):,} to tell.",
                "Give clicks on one of several papers that were shown.",
            )
        features = Features(vectors, self.papers)
        weights = np.zeros(len(test))
        found = np.empty((self.runs, 2, len(test)))
        for run in range(self.runs):
            ranker = learn_to_rank(
                features,
                train,
                validation,
                self.propensity,
                seed=seed + run,
                fix_position=self.fix_position,
            )
            scores = [ranker.scores(features.of_click(click)) for click in test]
            result = score_clicks(scores, [click.place for click in test], self.propensity)
            found[run] = result.ndcg, result.p_at_1
            weights = result.weights
        return self._outcome(test, found, weights, vectors, seed)

    def _outcome(
        self, test: Sequence[Click], found: Floats, weights: Floats, vectors: Vectors, seed: int
    ) -> TaskResult:
        ids = [f"{place} {click.query} {click.clicked}" for place, click in enumerate(test)]
        means = np.average(found, axis=2, weights=weights)
        parts = (*self.train, *self.validation, *self.test)
        reasons = [self._why_not(click) for click in parts]
        papers = {paper for click in parts for paper in (click.query, *click.shown)}
        return TaskResult.of(
            {
                "adj_ndcg": Items(ids, found[:, 0].mean(0), weights),
                "adj_p@1": Items(ids, found[:, 1].mean(0), weights),
            },
            seed=seed,
            excluded={
                **{reason: reasons.count(reason) for reason in (UNSHOWN, UNLIKELY)},
                f"{NO_VECTOR}, like nothing": int((vectors.rows(sorted(papers)) < 0).sum()),
            },
            spread={"adj_ndcg": means[:, 0].tolist(), "adj_p@1": means[:, 1].tolist()},
        )

    def _why_not(self, click: Click) -> str:
        if click.clicked not in click.shown:
            return UNSHOWN
        return UNLIKELY if click.place >= len(self.propensity) else ""
