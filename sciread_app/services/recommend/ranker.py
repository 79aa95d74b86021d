"""Ranking of candidates for a followed topic, each with the reasons."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.parser import any_of, terms_of
from sciread_app.domain.recommend import DAY, RecommendedPaper, TopicPreferences
from sciread_app.services.recommend.model import DESIGN, PaperFeatures, RankedCandidates, rank
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.storage.id_sets import Ids
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.relevance_feedback import AddedPapers
from sciread_app.tasks import Task

# More candidates than this are first reduced by their vectors, or by their words.
_MOST_CANDIDATES = 1_000
# Number of the latest papers whose title words are searched for.
_QUERY_PAPERS = 10
# Papers less similar than this share of random pairs have nothing in common.
_UNLIKE = 0.9
_REASONS = 2  # similar papers named for each pick
# Similarity to a topic is the mean over this number of its nearest papers.
_NEAREST = 3
# Share of the topic's own papers that may be less similar to the others than a fitting candidate.
_OUTLIERS = 0.1
# With fewer papers than this there is no estimate of the spread.
_ENOUGH = 5


@dataclass(frozen=True, slots=True)
class TrainingExamples:
    """The examples to learn from: the papers that define the topic or were liked, and dismissed
    papers."""

    relevant: tuple[PaperId, ...]
    irrelevant: tuple[PaperId, ...]
    preferences: TopicPreferences


class TopicSimilarity(NamedTuple):
    """For each candidate: its similarity to the topic, the rows of the topic's most similar papers,
    best first, and whether it is as similar to them as they are to one another."""

    similarity: NDArray[np.float64]  # to the nearest one
    nearest: NDArray[np.int64]  # [candidates, up to 3]
    fits: NDArray[np.bool_]


class TopicRanker:
    """Ranks candidates by words and vectors; without vectors, by words alone."""

    def __init__(self, library: Library, space: EmbeddingIndex | None) -> None:
        self._library = library
        self._space = space

    def pick(
        self, examples: TrainingExamples, candidates: AddedPapers, limit: int, task: Task
    ) -> list[RecommendedPaper]:
        """The best candidates, best first."""
        others = self._assumed_negatives(examples)
        candidates = self._shortlist(examples, others, candidates)
        if not len(candidates.ids):
            return []
        task.raise_if_cancelled()
        relevant, irrelevant = (
            self._features(examples.relevant),
            self._features(examples.irrelevant),
        )
        candidate_features = self._features(candidates.ids.tolist())
        task.raise_if_cancelled()
        ranked = rank(relevant, irrelevant, self._features(others), candidate_features)
        task.raise_if_cancelled()
        near = _similarity(relevant, candidate_features, ranked, self._floor())
        ages = (time.time() - candidates.came) / DAY
        scores = ranked.scores * _decay(ages, examples.preferences.half_life)
        order = np.lexsort((candidates.ids, -scores))[:limit]
        return [
            self._pick(row, examples, candidates, scores, near, ranked) for row in order.tolist()
        ]

    def new_ids(self, examples: TrainingExamples, candidates: AddedPapers, read: Ids) -> Ids:
        """Return the candidates that fit and are neither seen nor among `read`, of those that have
        a vector."""
        none = np.empty(0, np.int64)
        if not examples.relevant or not len(candidates.ids) or self._space is None:
            return none
        candidates = self._shortlist(examples, self._assumed_negatives(examples), candidates)
        relevant, known = self._space.vectors(examples.relevant)
        vectors, there = self._space.vectors(candidates.ids)
        if not known.any() or not there.any():
            return none
        own = relevant[known]
        near = _alike(vectors[there] @ own.T, own @ own.T, self._floor())
        unseen = (candidates.came > examples.preferences.seen) & ~np.isin(candidates.ids, read)
        return candidates.ids[there][near.fits & unseen[there]]

    def _shortlist(
        self, examples: TrainingExamples, others: Sequence[PaperId], candidates: AddedPapers
    ) -> AddedPapers:
        candidates = self._reduced(examples, others, candidates)
        candidates = self._one_per_work(examples.relevant, candidates)
        if np.isnan(candidates.came).any():  # not looked up for candidates of the whole library
            candidates = self._library.feedback.added_times(candidates.ids)
        return candidates

    def _pick(
        self,
        row: int,
        examples: TrainingExamples,
        candidates: AddedPapers,
        scores: NDArray[np.float64],
        near: TopicSimilarity,
        ranked: RankedCandidates,
    ) -> RecommendedPaper:
        similarity, came = float(near.similarity[row]), float(candidates.came[row])
        space = None if np.isnan(similarity) else self._space
        return RecommendedPaper(
            PaperId(int(candidates.ids[row])),
            float(scores[row]),
            came,
            fits=bool(near.fits[row]),
            unseen=came > examples.preferences.seen,
            similarity=similarity if space else None,
            percentile=100 * space.percentile(similarity) if space else None,
            like=tuple(examples.relevant[place] for place in near.nearest[row, :_REASONS]),
            words=ranked.words(row),
        )

    def _assumed_negatives(self, examples: TrainingExamples) -> list[PaperId]:
        """A sample of papers without feedback, most of which are not relevant."""
        rated = np.array([*examples.relevant, *examples.irrelevant], np.int64)
        ids = np.setdiff1d(self._library.matching(()), rated, assume_unique=True)
        count = round(DESIGN.assumed_negatives * (1 - DESIGN.candidate_share))
        drawn = np.random.default_rng(0).permutation(len(ids))[:count]
        return [PaperId(id) for id in ids[np.sort(drawn)].tolist()]

    def _reduced(
        self, examples: TrainingExamples, others: Sequence[PaperId], candidates: AddedPapers
    ) -> AddedPapers:
        if len(candidates.ids) <= _MOST_CANDIDATES:
            return candidates
        nearest = self._nearest(examples, others, candidates.ids)
        return _among(candidates, nearest if len(nearest) else candidates.ids[-_MOST_CANDIDATES:])

    def _nearest(self, examples: TrainingExamples, others: Sequence[PaperId], ids: Ids) -> Ids:
        if self._space:
            relevant, known = self._space.vectors(examples.relevant)
            if known.any():
                average = self._space.vectors(others)[0].mean(0) if others else 0.0
                direction = relevant[known].mean(0) - average
                return self._space.nearest_among(direction, ids, _MOST_CANDIDATES)[0]
        texts = self._library.texts(examples.relevant[:_QUERY_PAPERS])
        terms = dict.fromkeys(terms_of(" ".join(title for title, _ in texts)))
        ranking = self._library.search_text(any_of(terms), 2 * _MOST_CANDIDATES)
        found = np.fromiter((id for id, _ in ranking), np.int64)
        return found[np.isin(found, ids)][:_MOST_CANDIDATES]

    def _one_per_work(self, relevant: Sequence[PaperId], candidates: AddedPapers) -> AddedPapers:
        """Remove versions of works already present; keep the latest of each other work."""
        works = self._library.works([*relevant, *candidates.ids.tolist()])
        candidate_ids = set(candidates.ids.tolist())
        held = {works[paper] for paper in relevant if paper in works and paper not in candidate_ids}
        latest = {
            works[PaperId(id)]: id
            for id in candidates.ids.tolist()
            if id in works and works[PaperId(id)] not in held
        }
        return _among(candidates, np.array(sorted(latest.values()), np.int64))

    def _floor(self) -> float:
        """The similarity that most pairs of papers in the library do not reach."""
        if self._space is None:
            return -np.inf
        steps = np.linspace(-1, 1, 201)
        shares = np.array([self._space.percentile(float(step)) for step in steps])
        return float(steps[min(int(np.searchsorted(shares, _UNLIKE)), len(steps) - 1)])

    def _features(self, ids: Sequence[int]) -> PaperFeatures:
        texts = [f"{title} {abstract}" for title, abstract in self._library.texts(ids)]
        if self._space is None:
            return PaperFeatures(
                texts, np.zeros((len(texts), 1), np.float32), np.zeros(len(texts), bool)
            )
        return PaperFeatures(texts, *self._space.vectors(ids))


def _among(arrivals: AddedPapers, ids: Ids) -> AddedPapers:
    kept = np.isin(arrivals.ids, ids)
    return AddedPapers(arrivals.ids[kept], arrivals.came[kept])


def _similarity(
    relevant: PaperFeatures, candidates: PaperFeatures, ranked: RankedCandidates, floor: float
) -> TopicSimilarity:
    """Similarity by vectors where there are any; else by words, without a similarity value, since
    that of words is not meaningful to a reader."""
    there, members = np.flatnonzero(candidates.known), np.flatnonzero(relevant.known)
    if not len(there) or not len(members):
        near = _alike(*ranked.by_words)
        return near._replace(similarity=np.full(len(candidates.texts), np.nan))
    own = relevant.vectors[members]
    by_meaning = _alike(candidates.vectors[there] @ own.T, own @ own.T, floor)
    by_meaning = by_meaning._replace(nearest=members[by_meaning.nearest])
    if len(there) == len(candidates.texts):
        return by_meaning
    near = _alike(*ranked.by_words)
    similarity = np.full(len(candidates.texts), np.nan)
    nearest = near.nearest[:, : by_meaning.nearest.shape[1]]
    similarity[there], nearest[there] = by_meaning.similarity, by_meaning.nearest
    near.fits[there] = by_meaning.fits
    return TopicSimilarity(similarity, nearest, near.fits)


def _alike(
    to_members: NDArray[Any], among_members: NDArray[Any], floor: float = -np.inf
) -> TopicSimilarity:
    """Compute the similarity of candidates to a topic.

    `to_members` are the similarities of candidates to the topic's papers, [candidates, members],
    `among_members` those of its papers to one another. Candidates less similar than `floor` never
    fit.
    """
    nearest = _best(to_members, min(_NEAREST, to_members.shape[1]))
    best = np.take_along_axis(to_members, nearest, axis=1).astype(np.float64)
    return TopicSimilarity(best[:, 0], nearest, best.mean(1) >= max(floor, _least(among_members)))


def _least(among_members: NDArray[Any]) -> float:
    """Return the minimum similarity of a candidate that fits these papers."""
    if len(among_members) < _ENOUGH:
        return -np.inf
    others = among_members.astype(np.float64)
    np.fill_diagonal(others, -np.inf)
    own = np.take_along_axis(others, _best(others, _NEAREST), axis=1).mean(1)
    return float(np.quantile(own, _OUTLIERS))


def _best(similarities: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Return the columns of the `count` largest values of each row, the largest first."""
    best = np.argpartition(-similarities, count - 1, axis=1)[:, :count]
    order = np.argsort(-np.take_along_axis(similarities, best, axis=1), axis=1, kind="stable")
    return np.take_along_axis(best, order, axis=1)


def _decay(ages: NDArray[np.float64], half_life: float) -> NDArray[np.float64]:
    """The weights of papers of these ages, in days."""
    if half_life <= 0:
        return np.ones(len(ages))
    return np.exp(-math.log(2) * np.maximum(ages, 0.0) / half_life)
