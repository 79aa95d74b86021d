"""What a subject is about, learnt: a linear model over words and one over vectors, mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from sciread_app.domain.recommend import Scores, standard
from sciread_app.domain.stop_words import EMPTY_WORDS
from sciread_app.services.learning import Matrix, linear_svm, tfidf

Rows = NDArray[np.int64]

# Of the papers that are wanted, so many that are nearest to a candidate speak for it.
_NEAREST = 3
_WORDS_TOLD = 4
_SHORTEST_WORD = 3


@dataclass(frozen=True, slots=True)
class Design:
    """How the models learn; bench_recommend chooses, and says how well it does."""

    presumed: int = 1000  # papers that nobody spoke of, and that are taken for unwanted
    offered: float = 0.5  # share of these that are candidates, the others are from the library
    words_c: float = 0.11
    meaning_c: float = 0.003
    ratio: float = 9.8  # what all wanted papers together weigh beside all others
    said: float = 10.0  # what a paper that was waved away weighs beside a presumed one
    meaning: float = 0.8  # what vectors weigh beside words, 0 to 1, of few papers
    fade: float = 50.0  # of so many papers half of that: of many, words learn more
    nearest: float = 0.25  # what the likeness to the nearest wanted papers weighs beside both

    def share(self, wanted: int) -> float:
        """What vectors weigh beside words where so many papers are wanted."""
        return self.meaning / (1 + wanted / self.fade)


DESIGN = Design()


class Material(NamedTuple):
    """Papers as the models see them: their texts, and their vectors where `known`."""

    texts: Sequence[str]
    vectors: NDArray[np.float32]
    known: NDArray[np.bool_]


class Lots(NamedTuple):
    """Rows of papers by what they are in a lesson."""

    wanted: Rows
    unwanted: Rows
    presumed: Rows
    offered: Rows


class Voices(NamedTuple):
    """What each model says of the papers that are offered; nan where it knows nothing."""

    words: Scores
    near_words: Scores
    meaning: Scores
    near_meaning: Scores
    weights: NDArray[np.float64]  # of each word
    wanted: int  # papers that they have learnt from


class Ranked(NamedTuple):
    """Candidates: how well each fits (0 to 1), and what its words say of that."""

    scores: Scores
    offered: csr_matrix  # TF-IDF
    wanted: csr_matrix
    weights: NDArray[np.float64]
    vocabulary: Sequence[str]

    @property
    def by_words(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Similarities of candidates to wanted papers, and of these to one another."""
        own = self.wanted
        return (self.offered @ own.T).toarray(), (own @ own.T).toarray()

    def words(self, row: int) -> tuple[str, ...]:
        """The words that speak most for this candidate; where none does, those that it shares with
        the papers that are wanted."""
        paper = self.offered[row]
        worth = paper.data * self.weights[paper.indices]
        if not (worth > 0).any():
            worth = paper.data * np.asarray(self.wanted.mean(axis=0)).ravel()[paper.indices]
        told: list[str] = []
        for place in paper.indices[np.argsort(-worth, kind="stable")][: int((worth > 0).sum())]:
            word = self.vocabulary[place]
            if _telling(word) and not any(word in other or other in word for other in told):
                told.append(word)
            if len(told) == _WORDS_TOLD:
                break
        return tuple(told)


def rank(
    wanted: Material,
    unwanted: Material,
    presumed: Material,
    offered: Material,
    design: Design = DESIGN,
) -> Ranked:
    """How well the offered papers fit those that are wanted, and not those that are not.

    `presumed` are papers of the library that nobody spoke of. Where a paper has no vector, its
    words alone count.
    """
    parts = (wanted, unwanted, presumed, offered)
    edges = np.cumsum([0, *(len(part.texts) for part in parts)])
    lots = Lots(*(np.arange(first, end) for first, end in pairwise(edges)))
    words, vocabulary = tfidf([text for part in parts for text in part.texts])
    voices = listen(
        words,
        np.concatenate([part.vectors for part in parts]),
        np.concatenate([part.known for part in parts]),
        lots._replace(presumed=np.append(lots.presumed, _some(lots.offered, design))),
        design,
    )
    return Ranked(
        1 / (1 + np.exp(-mixed(voices, design))),
        words[lots.offered],
        words[lots.wanted],
        voices.weights,
        vocabulary,
    )


def listen(
    words: csr_matrix,
    vectors: NDArray[np.float32],
    known: NDArray[np.bool_],
    lots: Lots,
    design: Design,
) -> Voices:
    """Train on the papers of a lesson, and hear what is said of those that are offered."""
    weights, by_words = _learnt(words, lots, design.words_c, design)
    near_words = _near((words[lots.offered] @ words[lots.wanted].T).toarray())
    by_meaning, near_meaning = np.full((2, len(lots.offered)), np.nan)
    there = known[lots.offered]
    usable = Lots(*(rows[known[rows]] for rows in lots))
    if len(usable.wanted) and len(usable.offered) and len(usable.unwanted) + len(usable.presumed):
        by_meaning[there] = _learnt(vectors, usable, design.meaning_c, design)[1]
        near_meaning[there] = _near(vectors[usable.offered] @ vectors[usable.wanted].T)
    return Voices(by_words, near_words, by_meaning, near_meaning, weights, len(lots.wanted))


def mixed(voices: Voices, design: Design) -> Scores:
    """What all voices together say."""
    scores = standard(voices.words) + design.nearest * standard(voices.near_words)
    there = ~np.isnan(voices.meaning)
    if there.any():
        share = design.share(voices.wanted)
        meaning = share * standard(voices.meaning[there])
        words = (1 - share) * standard(voices.words)[there]
        nearest = design.nearest * standard(voices.near_meaning[there])
        scores[there] = 2 * (meaning + words + nearest)
    return scores


def _learnt(papers: Matrix, lots: Lots, c: float, design: Design) -> tuple[Scores, Scores]:
    """The weights of a linear SVM, and what it says of the papers that are offered."""
    seen = np.concatenate(lots[:3])
    labels = np.arange(len(seen)) < len(lots.wanted)
    if labels.all():  # there is nothing that they could be told from
        weights = np.asarray(papers[lots.wanted].mean(axis=0)).ravel().astype(np.float64)
    else:
        weights = linear_svm(papers[seen], np.where(labels, 1.0, -1.0), c * _weights(lots, design))
    return weights, np.asarray(papers[lots.offered] @ weights, np.float64)


def _weights(lots: Lots, design: Design) -> NDArray[np.float64]:
    """Weights with mean 1, by which the wanted together weigh `ratio` times what the others do."""
    wanted, unwanted, presumed, _ = map(len, lots)
    others = np.append(np.full(unwanted, design.said), np.ones(presumed))
    others *= wanted / (design.ratio * others.sum())
    weights: NDArray[np.float64] = np.append(np.ones(wanted), others)
    weights *= len(weights) / weights.sum()
    return weights


def _near(similarities: NDArray[Any]) -> Scores:
    """The mean of the largest of each row."""
    count = min(_NEAREST, similarities.shape[1])
    largest = -np.partition(-similarities, count - 1, axis=1)[:, :count]
    means: Scores = largest.mean(axis=1).astype(np.float64)
    return means


def _some(offered: Rows, design: Design) -> Rows:
    """Candidates that are taken for unwanted: most of them are."""
    return np.random.default_rng(0).permutation(offered)[: round(design.presumed * design.offered)]


def _telling(word: str) -> bool:
    """Whether a word, or a pair of words, says something to a person."""
    parts = word.split()
    return all(
        part not in EMPTY_WORDS and len(part) >= _SHORTEST_WORD and not part.isdigit()
        for part in parts
    )
