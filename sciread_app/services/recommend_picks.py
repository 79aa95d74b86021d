"""From what a subject is made of to the papers that are most like it, each with its reasons."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.paper import PaperId
from sciread_app.domain.query import any_of, terms_of
from sciread_app.domain.recommend import DAY, Pick, Wishes, decay
from sciread_app.services.recommend_alike import Alike, alike
from sciread_app.services.recommend_model import DESIGN, Material, Ranked, rank
from sciread_app.services.space import Space
from sciread_app.storage.id_sets import Ids
from sciread_app.storage.library import Library
from sciread_app.storage.opinions import Arrivals
from sciread_app.tasks import Task

# More candidates than this are first thinned out by their vectors, or by their words.
_LOOKED_AT = 1_000
# So many of the papers put there last say by which words others are found.
_SPOKESMEN = 10
# Papers that are less alike than this share of pairs taken at random have nothing in common.
_UNLIKE = 0.9
_REASONS = 2  # papers that are named as being like a pick


@dataclass(frozen=True, slots=True)
class Lesson:
    """What there is to learn from: papers that are wanted, and papers that are not."""

    wanted: Sequence[PaperId]
    unwanted: Sequence[PaperId]
    wishes: Wishes


class Picker:
    """Without a space, or where papers have no vector, words alone count."""

    def __init__(self, library: Library, space: Space | None) -> None:
        self._library = library
        self._space = space

    def pick(self, lesson: Lesson, candidates: Arrivals, limit: int, task: Task) -> list[Pick]:
        """The best candidates, best first."""
        others = self._presumed(lesson)
        candidates = self._worth_a_look(lesson, others, candidates)
        if not len(candidates.ids):
            return []
        task.check()
        wanted, unwanted = self._material(lesson.wanted), self._material(lesson.unwanted)
        offered = self._material(candidates.ids.tolist())
        task.check()
        ranked = rank(wanted, unwanted, self._material(others), offered)
        task.check()
        near = _alike(wanted, offered, ranked, self._floor())
        scores = ranked.scores * decay(_ages(candidates.came), lesson.wishes.half_life)
        order = np.lexsort((candidates.ids, -scores))[:limit]
        return [self._pick(row, lesson, candidates, scores, near, ranked) for row in order.tolist()]

    def count(self, lesson: Lesson, candidates: Arrivals) -> int:
        """How many unseen candidates fit, of those that have a vector."""
        if not lesson.wanted or not len(candidates.ids) or self._space is None:
            return 0
        candidates = self._worth_a_look(lesson, self._presumed(lesson), candidates)
        wanted, known = self._space.vectors(lesson.wanted)
        offered, there = self._space.vectors(candidates.ids)
        if not known.any() or not there.any():
            return 0
        own = wanted[known]
        near = alike(offered[there] @ own.T, own @ own.T, self._floor())
        return int((near.fits & (candidates.came[there] > lesson.wishes.seen)).sum())

    def _worth_a_look(
        self, lesson: Lesson, others: Sequence[PaperId], candidates: Arrivals
    ) -> Arrivals:
        candidates = self._thinned(lesson, others, candidates)
        candidates = self._one_a_work(lesson.wanted, candidates)
        if np.isnan(candidates.came).any():  # of a whole library it was not asked
            candidates = self._library.opinions.came(candidates.ids)
        return candidates

    def _pick(
        self,
        row: int,
        lesson: Lesson,
        candidates: Arrivals,
        scores: NDArray[np.float64],
        near: Alike,
        ranked: Ranked,
    ) -> Pick:
        similarity, came = float(near.similarity[row]), float(candidates.came[row])
        space = None if np.isnan(similarity) else self._space
        return Pick(
            PaperId(int(candidates.ids[row])),
            float(scores[row]),
            came,
            fits=bool(near.fits[row]),
            unseen=came > lesson.wishes.seen,
            similarity=similarity if space else None,
            percentile=100 * space.percentile(similarity) if space else None,
            like=tuple(lesson.wanted[place] for place in near.nearest[row, :_REASONS]),
            words=ranked.words(row),
        )

    def _presumed(self, lesson: Lesson) -> list[PaperId]:
        """Papers that nobody said anything of: most of them are not what is meant."""
        said = np.array([*lesson.wanted, *lesson.unwanted], np.int64)
        ids = np.setdiff1d(self._library.matching(()), said, assume_unique=True)
        count = round(DESIGN.presumed * (1 - DESIGN.offered))
        drawn = np.random.default_rng(0).permutation(len(ids))[:count]
        return [PaperId(id) for id in ids[np.sort(drawn)].tolist()]

    def _thinned(self, lesson: Lesson, others: Sequence[PaperId], candidates: Arrivals) -> Arrivals:
        if len(candidates.ids) <= _LOOKED_AT:
            return candidates
        nearest = self._nearest(lesson, others, candidates.ids)
        return _among(candidates, nearest if len(nearest) else candidates.ids[-_LOOKED_AT:])

    def _nearest(self, lesson: Lesson, others: Sequence[PaperId], ids: Ids) -> Ids:
        if self._space:
            wanted, known = self._space.vectors(lesson.wanted)
            if known.any():
                average = self._space.vectors(others)[0].mean(0) if others else 0.0
                direction = wanted[known].mean(0) - average
                return self._space.nearest_among(direction, ids, _LOOKED_AT)[0]
        texts = self._library.texts(lesson.wanted[:_SPOKESMEN])
        terms = dict.fromkeys(terms_of(" ".join(title for title, _ in texts)))
        ranking = self._library.by_words(any_of(terms), 2 * _LOOKED_AT)
        found = np.fromiter((id for id, _ in ranking), np.int64)
        return found[np.isin(found, ids)][:_LOOKED_AT]

    def _one_a_work(self, wanted: Sequence[PaperId], candidates: Arrivals) -> Arrivals:
        """Without versions of works that are there already; of each other work the latest."""
        works = self._library.works([*wanted, *candidates.ids.tolist()])
        offered = set(candidates.ids.tolist())
        held = {works[paper] for paper in wanted if paper in works and paper not in offered}
        latest = {
            works[PaperId(id)]: id
            for id in candidates.ids.tolist()
            if id in works and works[PaperId(id)] not in held
        }
        return _among(candidates, np.array(sorted(latest.values()), np.int64))

    def _floor(self) -> float:
        """The similarity that most pairs of papers in this library do not reach."""
        if self._space is None:
            return -np.inf
        steps = np.linspace(-1, 1, 201)
        shares = np.array([self._space.percentile(float(step)) for step in steps])
        return float(steps[min(int(np.searchsorted(shares, _UNLIKE)), len(steps) - 1)])

    def _material(self, ids: Sequence[int]) -> Material:
        texts = [f"{title} {abstract}" for title, abstract in self._library.texts(ids)]
        if self._space is None:
            return Material(
                texts, np.zeros((len(texts), 1), np.float32), np.zeros(len(texts), bool)
            )
        return Material(texts, *self._space.vectors(ids))


def _among(arrivals: Arrivals, ids: Ids) -> Arrivals:
    kept = np.isin(arrivals.ids, ids)
    return Arrivals(arrivals.ids[kept], arrivals.came[kept])


def _ages(came: NDArray[np.float64]) -> NDArray[np.float64]:
    return (time.time() - came) / DAY


def _alike(wanted: Material, offered: Material, ranked: Ranked, floor: float) -> Alike:
    """By vectors where there are some, else by words, whose similarity nobody could judge."""
    there, members = np.flatnonzero(offered.known), np.flatnonzero(wanted.known)
    if not len(there) or not len(members):
        near = alike(*ranked.by_words)
        return near._replace(similarity=np.full(len(offered.texts), np.nan))
    own = wanted.vectors[members]
    by_meaning = alike(offered.vectors[there] @ own.T, own @ own.T, floor)
    by_meaning = by_meaning._replace(nearest=members[by_meaning.nearest])
    if len(there) == len(offered.texts):
        return by_meaning
    near = alike(*ranked.by_words)
    similarity = np.full(len(offered.texts), np.nan)
    nearest = near.nearest[:, : by_meaning.nearest.shape[1]]
    similarity[there], nearest[there] = by_meaning.similarity, by_meaning.nearest
    near.fits[there] = by_meaning.fits
    return Alike(similarity, nearest, near.fits)
