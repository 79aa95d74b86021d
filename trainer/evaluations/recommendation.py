"""How high the paper comes that a reader clicked on: SciDocs' recommendation task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR
from trainer.evaluations.base import Outcome, Vectors
from trainer.evaluations.intervals import Items
from trainer.evaluations.recommender import Click, Features, Known, learn_to_rank

Floats = NDArray[np.float64]

UNSHOWN = "clicks on a paper that was not shown"
UNLIKELY = "clicks at a place whose propensity is not known"


class ClickScores(NamedTuple):
    """One number a click. `weights` are high where few readers look; the scores to report are
    means that are weighted by them."""

    weights: Floats
    above: Floats
    ndcg: Floats
    p_at_1: Floats
    mrr: Floats


def score_clicks(
    scores: Sequence[ArrayLike], clicked: Sequence[int], propensity: ArrayLike
) -> ClickScores:
    """How many of those shown score above the one clicked, and what that is worth.

    `scores` are of the papers as they were shown, `clicked` the place of the click among them,
    and `propensity` how likely each place is looked at. Equals count as half above.
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
    # The click itself is one of its equals.
    ties = np.count_nonzero(scores == scores[clicked]) - 1
    return float(np.count_nonzero(scores > scores[clicked]) + ties / 2)


@dataclass(frozen=True)
class Recommendation:
    """A ranker learns from clicks, of what papers say and of the cosine of vectors; how high do
    the clicks come that it did not learn from?

    Papers without a vector are like nothing, with cosine 0. As in SciDocs' code, who clicks on the
    only paper shown clicks on the first: that teaches nothing, and counts in full. Results vary
    from run to run.
    """

    train: Sequence[Click]
    validation: Sequence[Click]
    test: Sequence[Click]
    propensity: Sequence[float]
    papers: Mapping[str, Known]
    runs: int = 3
    fix_position: bool = False

    def __call__(self, vectors: Vectors, queries: Vectors | None, seed: int) -> Outcome:
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
            told = score_clicks(scores, [click.place for click in test], self.propensity)
            found[run] = told.ndcg, told.p_at_1
            weights = told.weights
        return self._outcome(test, found, weights, vectors, seed)

    def _outcome(
        self, test: Sequence[Click], found: Floats, weights: Floats, vectors: Vectors, seed: int
    ) -> Outcome:
        ids = [f"{place} {click.query} {click.clicked}" for place, click in enumerate(test)]
        means = np.average(found, axis=2, weights=weights)
        parts = (*self.train, *self.validation, *self.test)
        reasons = [self._why_not(click) for click in parts]
        papers = {paper for click in parts for paper in (click.query, *click.shown)}
        return Outcome.of(
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
