"""What a subject is about, learnt: a linear model over vectors and one over words, mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from sciread_app.domain.query import STOP_WORDS
from sciread_app.domain.recommend import Scores, standard

Matrix = Any  # rows of papers: numpy's for vectors, scipy's sparse one for words
_WORDS_TOLD = 4


@dataclass(frozen=True, slots=True)
class Design:
    """How the models learn. The defaults were chosen by bench_recommend, which says how."""

    presumed: int = 1000  # papers of the library that are taken for unwanted
    meaning_c: float = 1.0
    words_c: float = 0.1
    ratio: float = 10.0  # what all wanted papers together weigh beside all others
    meaning: float = 0.5  # what vectors weigh beside words, 0 to 1


DESIGN = Design()


class Material(NamedTuple):
    """Papers as the models see them: their texts, and their vectors where `known`."""

    texts: Sequence[str]
    vectors: NDArray[np.float32]
    known: NDArray[np.bool_]


class Ranked(NamedTuple):
    """Candidates: how well each fits (0 to 1), and how like it is by its words to the papers that
    are wanted, which follow."""

    scores: Scores
    offered: csr_matrix  # TF-IDF
    wanted: csr_matrix
    weights: NDArray[np.float64]  # of each word
    vocabulary: Sequence[str]

    @property
    def by_words(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Similarities of candidates to wanted papers, and of these to one another."""
        own = self.wanted
        return (self.offered @ own.T).toarray(), (own @ own.T).toarray()

    def words(self, row: int) -> tuple[str, ...]:
        """The words that speak most for this candidate."""
        paper = self.offered[row]
        worth = paper.data * self.weights[paper.indices]
        best = paper.indices[np.argsort(-worth, kind="stable")][: 4 * _WORDS_TOLD]
        told: list[str] = []
        for place in best[: int((worth > 0).sum())]:
            word = self.vocabulary[place]
            if not any(_same(word, other) for other in told):
                told.append(word)
        return tuple(told[:_WORDS_TOLD])


def rank(
    wanted: Material,
    unwanted: Material,
    presumed: Material,
    offered: Material,
    design: Design = DESIGN,
) -> Ranked:
    """How well the offered papers fit those that are wanted, and not those that are not.

    `presumed` are papers that nobody said anything of. Where a paper has no vector, its words
    alone count.
    """
    parts = (wanted, unwanted, presumed, offered)
    counts = [len(part.texts) for part in parts]
    vectorizer = TfidfVectorizer(
        ngram_range=(1, 2), sublinear_tf=True, min_df=2, stop_words=sorted(STOP_WORDS)
    )
    words = vectorizer.fit_transform([text for part in parts for text in part.texts]).tocsr()
    edges = np.cumsum([0, *counts])
    places = [np.arange(a, b) for a, b in pairwise(edges)]
    weights, by_words = _learnt(words, places, design.words_c, design.ratio)
    scores = standard(by_words)
    known = np.concatenate([part.known for part in parts])
    if known[places[0]].any() and known[places[3]].any():
        vectors = np.concatenate([part.vectors for part in parts])
        usable = [place[known[place]] for place in places]
        _, by_meaning = _learnt(vectors, usable, design.meaning_c, design.ratio)
        there = offered.known
        mixed = design.meaning * standard(by_meaning) + (1 - design.meaning) * scores[there]
        scores[there] = mixed
    return Ranked(
        1 / (1 + np.exp(-scores)),
        words[places[3]],
        words[places[0]],
        weights,
        vectorizer.get_feature_names_out(),
    )


def _learnt(
    papers: Matrix, places: Sequence[NDArray[np.int64]], c: float, ratio: float
) -> tuple[NDArray[np.float64], Scores]:
    """The weights of a linear SVM, and what it says of the papers at the last places."""
    wanted, unwanted, presumed, offered = places
    seen = np.concatenate([wanted, unwanted, presumed])
    labels = np.arange(len(seen)) < len(wanted)
    model = LinearSVC(C=c, random_state=0)
    model.fit(papers[seen], labels, sample_weight=_weights(labels, ratio))
    return model.coef_[0], model.decision_function(papers[offered])


def _weights(labels: NDArray[np.bool_], ratio: float) -> NDArray[np.float64]:
    """Weights with mean 1, by which the wanted weigh `ratio` times what the others do."""
    wanted = int(labels.sum())
    weights = np.where(labels, 1.0, wanted / (ratio * max(len(labels) - wanted, 1)))
    return weights * (len(labels) / weights.sum())


def _same(word: str, other: str) -> bool:
    """Whether one is part of the other."""
    return word in other or other in word
