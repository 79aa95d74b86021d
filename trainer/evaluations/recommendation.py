"""SciDocs' recommendation task: rank of the paper that a reader clicked on.

The ranker reads 11 features of a query and a candidate, and is trained on clicks.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from trainer.contract.errors import TrainerError
from trainer.contract.report import NO_VECTOR
from trainer.evaluations.base import TaskResult, Vectors
from trainer.evaluations.metrics.matrices import l2_normalize, row_products
from trainer.evaluations.metrics.significance import Items

# As in SciDocs' train_similar_papers_model.json.
_HIDDEN, _DROPOUT, _MARGIN, _CLIP = 50, 0.4, 0.1, 5.0
_EPOCHS, _BATCH, _MOST_PAIRS = 5, 128, 10
_POSITION = 1
_THIS_YEAR = 2020
_BLANK = "<blank>"


class Click(NamedTuple):
    """A click of a reader of `query` on one of the papers shown, in the order shown."""

    query: str
    clicked: str
    shown: Sequence[str]

    @property
    def place(self) -> int:
        return list(self.shown).index(self.clicked)


class PaperMetadata(NamedTuple):
    """Metadata of a paper: ids of authors and of linked papers; year 0 means unknown."""

    title: str = ""
    authors: Collection[str] = ()
    year: int = 0
    references: Collection[str] = ()
    cited_by: Collection[str] = ()


class Features:
    """Features of a query and a candidate, the input of the ranker."""

    def __init__(self, vectors: Vectors, papers: Mapping[str, PaperMetadata]) -> None:
        self._vectors, self._papers = vectors, papers
        self._unit = l2_normalize(vectors.matrix)

    def of_click(self, click: Click) -> NDArray[np.float32]:
        """Features of all papers shown: [shown, 11], with the position left at 0."""
        found = [self._of(click.query, paper) for paper in click.shown]
        numbers = np.array(found, np.float32)
        numbers[:, 3] = self._cosines(click)
        return numbers

    def _of(self, query: str, candidate: str) -> tuple[float, ...]:
        one, other = self._papers.get(query), self._papers.get(candidate)
        return (
            _jaccard(one.authors, other.authors) if one and other else 0,
            0,
            _jaccard(_words(one), _words(other)),
            0,
            _jaccard(one.cited_by, other.cited_by) if one and other else 0,
            _jaccard(one.references, other.references) if one and other else 0,
            self._cites(candidate, query),
            self._cites(query, candidate),
            _clipped((_THIS_YEAR - other.year) / 20) if other and other.year else 0,
            _clipped((one.year - other.year) / 20)
            if one and other and one.year and other.year
            else 0,
            math.log(len(set(other.cited_by)) + 1) / 10 if other else 0,
        )

    def _cites(self, citing: str, cited: str) -> float:
        one, other = self._papers.get(citing), self._papers.get(cited)
        return float(
            bool((one and cited in one.references) or (other and citing in other.cited_by))
        )

    def _cosines(self, click: Click) -> NDArray[np.floating]:
        """Cosine similarity of each paper shown to the query; 0 if either has no vector."""
        rows = self._vectors.rows([click.query, *click.shown])
        known = np.flatnonzero((rows[1:] >= 0) & (rows[0] >= 0))
        cosines = np.zeros(len(click.shown))
        if len(known):
            query = self._unit[np.repeat(rows[:1], len(known))]
            cosines[known] = row_products(query, self._unit[rows[1:][known]])
        return cosines


class Ranker(nn.Module):
    """Two-layer network that scores each row of features from 0 to 1."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(11, _HIDDEN), nn.ReLU(), nn.Dropout(_DROPOUT), nn.Linear(_HIDDEN, 1)
        )

    def forward(self, features: Tensor) -> Tensor:
        return torch.sigmoid(self.layers(features)).squeeze(-1)

    def scores(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        self.eval()
        with torch.inference_mode():
            found: NDArray[np.float32] = self(torch.from_numpy(features)).numpy()
        return found


class ClickPairs(NamedTuple):
    """Pairs of a clicked and another shown paper, one row each, with the click propensity."""

    clicked: Tensor
    other: Tensor
    propensity: Tensor

    @classmethod
    def of(
        cls,
        features: Features,
        clicks: Sequence[Click],
        propensity: Sequence[float],
        fix_position: bool,
    ) -> ClickPairs:
        """Build at most ten pairs per click.

        SciDocs' data reader overwrites positions with 0: the ranker never sees them, and each
        click is weighted as if it were in the last position. `fix_position` corrects this.
        """
        likely = np.asarray(propensity, np.float32) / np.mean(propensity)
        clicked, other, weights = [], [], []
        for click in clicks:
            numbers = features.of_click(click)
            if fix_position:
                numbers[:, _POSITION] = np.arange(1, len(numbers) + 1) / 10
            rest = np.delete(np.arange(len(numbers)), click.place)[:_MOST_PAIRS]
            clicked.append(np.repeat(numbers[[click.place]], len(rest), axis=0))
            other.append(numbers[rest])
            weights += [likely[click.place if fix_position else -1]] * len(rest)
        return cls(
            torch.from_numpy(np.concatenate(clicked)),
            torch.from_numpy(np.concatenate(other)),
            torch.tensor(weights, dtype=torch.float32),
        )

    def loss(self, ranker: Ranker, rows: Tensor | slice) -> Tensor:
        above, below = ranker(self.clicked[rows]), ranker(self.other[rows])
        missed = F.margin_ranking_loss(
            above, below, torch.ones_like(above), margin=_MARGIN, reduction="none"
        )
        return (missed / self.propensity[rows]).mean()


def learn_to_rank(
    features: Features,
    train: Sequence[Click],
    validation: Sequence[Click],
    propensity: Sequence[float],
    *,
    seed: int,
    fix_position: bool = False,
) -> Ranker:
    """Train a ranker; return it as of the epoch with the lowest validation loss, or the last."""
    pairs = ClickPairs.of(features, train, propensity, fix_position)
    held_out = ClickPairs.of(features, validation, propensity, fix_position) if validation else None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        ranker = Ranker()
        kept, least = ranker, math.inf
        for _ in _epochs(ranker, pairs):
            now = _validate(ranker, held_out) if held_out else -math.inf
            if now < least or not held_out:
                kept, least = copy.deepcopy(ranker), now
    return kept


def _epochs(ranker: Ranker, pairs: ClickPairs) -> Iterator[None]:
    adadelta = torch.optim.Adadelta(ranker.parameters(), rho=0.95)
    for _ in range(_EPOCHS):
        ranker.train()
        for rows in torch.split(torch.randperm(len(pairs.clicked)), _BATCH):
            adadelta.zero_grad()
            torch.autograd.backward(pairs.loss(ranker, rows))
            nn.utils.clip_grad_value_(ranker.parameters(), _CLIP)
            adadelta.step()
        yield


def _validate(ranker: Ranker, pairs: ClickPairs) -> float:
    ranker.eval()
    with torch.inference_mode():
        return float(pairs.loss(ranker, slice(None)))


def _jaccard(one: Collection[str], other: Collection[str]) -> float:
    either = set(one) | set(other)
    return len(set(one) & set(other)) / len(either) if either else 0.0


def _words(paper: PaperMetadata | None) -> list[str]:
    """Words and punctuation of the title; papers without a title share one placeholder."""
    return re.findall(r"\w+|[^\w\s]", paper.title if paper and paper.title else _BLANK)


def _clipped(share: float) -> float:
    return max(-1.0, min(1.0, share))


Floats = NDArray[np.float64]

UNSHOWN = "clicks on a paper that was not shown"
UNLIKELY = "clicks at a position without a known propensity"


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
class RecommendationTask:
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
            [click for click in part if not self._failure_reason(click)]
            for part in (self.train, self.validation, self.test)
        )
        train, validation = (
            [click for click in part if len(click.shown) > 1] for part in (train, validation)
        )
        if not train or not test:
            raise TrainerError(
                f"There are {len(train):,} training clicks and {len(test):,} test clicks.",
                "Add clicks on one of several papers shown.",
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
        reasons = [self._failure_reason(click) for click in parts]
        papers = {paper for click in parts for paper in (click.query, *click.shown)}
        return TaskResult.of(
            {
                "adj_ndcg": Items(ids, found[:, 0].mean(0), weights),
                "adj_p@1": Items(ids, found[:, 1].mean(0), weights),
            },
            seed=seed,
            excluded={
                **{reason: reasons.count(reason) for reason in (UNSHOWN, UNLIKELY)},
                f"{NO_VECTOR}, treated as dissimilar to all papers": int(
                    (vectors.rows(sorted(papers)) < 0).sum()
                ),
            },
            spread={"adj_ndcg": means[:, 0].tolist(), "adj_p@1": means[:, 1].tolist()},
        )

    def _failure_reason(self, click: Click) -> str:
        if click.clicked not in click.shown:
            return UNSHOWN
        return UNLIKELY if click.place >= len(self.propensity) else ""
