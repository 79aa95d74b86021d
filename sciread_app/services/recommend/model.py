"""The topic model: a linear model over words and one over vectors, combined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from sciread_app.domain.text.stop_words import EMPTY_WORDS
from sciread_app.services.recommend.linear_model import Matrix, linear_svm, tfidf

Rows = NDArray[np.int64]
Scores = NDArray[np.float64]

# Number of nearest relevant papers that count for a candidate.
_NEAREST = 3
_WORDS_SHOWN = 4
_SHORTEST_WORD = 3


@dataclass(frozen=True, slots=True)
class TopicModelDesign:
    """Hyperparameters of the topic model, chosen by bench_recommend."""

    assumed_negatives: int = 1000  # papers without feedback that are taken as negatives
    candidate_share: float = 0.5  # share of these from the candidates, not the library
    words_c: float = 0.11
    meaning_c: float = 0.003
    ratio: float = 9.8  # total weight of relevant papers relative to all others
    dismissed: float = 10.0  # weight of a dismissed paper relative to an assumed negative
    meaning: float = 0.8  # weight of vectors against words, 0 to 1, with few papers
    fade: float = 50.0  # number of papers at which that is halved: with many, words learn more
    nearest: float = 0.25  # weight of the similarity to the nearest relevant papers

    def share(self, relevant: int) -> float:
        """The weight of vectors against words for this number of relevant papers."""
        return self.meaning / (1 + relevant / self.fade)


DESIGN = TopicModelDesign()


class PaperFeatures(NamedTuple):
    """Input features of papers: their texts, and their vectors where `known`."""

    texts: Sequence[str]
    vectors: NDArray[np.float32]
    known: NDArray[np.bool_]


class TrainingRows(NamedTuple):
    """Rows of papers by their part in training."""

    relevant: Rows
    irrelevant: Rows
    assumed_negatives: Rows
    candidates: Rows


class ComponentScores(NamedTuple):
    """Scores of each component for every candidate; NaN where a component has no data."""

    words: Scores
    near_words: Scores
    meaning: Scores
    near_meaning: Scores
    weights: NDArray[np.float64]  # of each word
    relevant: int  # papers that they have learnt from


class RankedCandidates(NamedTuple):
    """The scores of the candidates (0 to 1), with the features that explain them."""

    scores: Scores
    candidates: csr_matrix  # TF-IDF
    relevant: csr_matrix
    weights: NDArray[np.float64]
    vocabulary: Sequence[str]

    @property
    def by_words(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Similarities of candidates to relevant papers, and of these to one another."""
        own = self.relevant
        return (self.candidates @ own.T).toarray(), (own @ own.T).toarray()

    def words(self, row: int) -> tuple[str, ...]:
        """The words that contribute most to this candidate's score; if none does, those it shares
        with the relevant papers."""
        paper = self.candidates[row]
        worth = paper.data * self.weights[paper.indices]
        if not (worth > 0).any():
            worth = paper.data * np.asarray(self.relevant.mean(axis=0)).ravel()[paper.indices]
        chosen: list[str] = []
        for place in paper.indices[np.argsort(-worth, kind="stable")][: int((worth > 0).sum())]:
            word = self.vocabulary[place]
            if _is_informative(word) and not any(
                word in other or other in word for other in chosen
            ):
                chosen.append(word)
            if len(chosen) == _WORDS_SHOWN:
                break
        return tuple(chosen)


def rank(
    relevant: PaperFeatures,
    irrelevant: PaperFeatures,
    assumed_negatives: PaperFeatures,
    candidates: PaperFeatures,
    design: TopicModelDesign = DESIGN,
) -> RankedCandidates:
    """Score `candidates` by their fit with the relevant papers against the irrelevant ones.

    `assumed_negatives` are papers of the library without feedback. For a paper without
    a vector, its words alone count.
    """
    parts = (relevant, irrelevant, assumed_negatives, candidates)
    edges = np.cumsum([0, *(len(part.texts) for part in parts)])
    split = TrainingRows(*(np.arange(first, end) for first, end in pairwise(edges)))
    words, vocabulary = tfidf([text for part in parts for text in part.texts])
    components = score_components(
        words,
        np.concatenate([part.vectors for part in parts]),
        np.concatenate([part.known for part in parts]),
        split._replace(
            assumed_negatives=np.append(split.assumed_negatives, _some(split.candidates, design))
        ),
        design,
    )
    return RankedCandidates(
        1 / (1 + np.exp(-combine(components, design))),
        words[split.candidates],
        words[split.relevant],
        components.weights,
        vocabulary,
    )


def score_components(
    words: csr_matrix,
    vectors: NDArray[np.float32],
    known: NDArray[np.bool_],
    split: TrainingRows,
    design: TopicModelDesign,
) -> ComponentScores:
    """Train the components on the split, and score its candidates with each."""
    weights, by_words = _learnt(words, split, design.words_c, design)
    near_words = _near((words[split.candidates] @ words[split.relevant].T).toarray())
    by_meaning, near_meaning = np.full((2, len(split.candidates)), np.nan)
    there = known[split.candidates]
    usable = TrainingRows(*(rows[known[rows]] for rows in split))
    if (
        len(usable.relevant)
        and len(usable.candidates)
        and len(usable.irrelevant) + len(usable.assumed_negatives)
    ):
        by_meaning[there] = _learnt(vectors, usable, design.meaning_c, design)[1]
        near_meaning[there] = _near(vectors[usable.candidates] @ vectors[usable.relevant].T)
    return ComponentScores(
        by_words, near_words, by_meaning, near_meaning, weights, len(split.relevant)
    )


def combine(components: ComponentScores, design: TopicModelDesign) -> Scores:
    """The combined scores of all components."""
    scores = _standard(components.words) + design.nearest * _standard(components.near_words)
    there = ~np.isnan(components.meaning)
    if there.any():
        share = design.share(components.relevant)
        meaning = share * _standard(components.meaning[there])
        words = (1 - share) * _standard(components.words)[there]
        nearest = design.nearest * _standard(components.near_meaning[there])
        scores[there] = 2 * (meaning + words + nearest)
    return scores


def _learnt(
    papers: Matrix, split: TrainingRows, c: float, design: TopicModelDesign
) -> tuple[Scores, Scores]:
    """The weights of a linear SVM, and its scores of the candidates."""
    seen = np.concatenate(split[:3])
    labels = np.arange(len(seen)) < len(split.relevant)
    if labels.all():  # there are no negatives
        weights = np.asarray(papers[split.relevant].mean(axis=0)).ravel().astype(np.float64)
    else:
        weights = linear_svm(papers[seen], np.where(labels, 1.0, -1.0), c * _weights(split, design))
    return weights, np.asarray(papers[split.candidates] @ weights, np.float64)


def _weights(split: TrainingRows, design: TopicModelDesign) -> NDArray[np.float64]:
    """Sample weights with mean 1; relevant papers together weigh `ratio` times the others."""
    relevant, irrelevant, assumed_negatives, _ = map(len, split)
    others = np.append(np.full(irrelevant, design.dismissed), np.ones(assumed_negatives))
    others *= relevant / (design.ratio * others.sum())
    weights: NDArray[np.float64] = np.append(np.ones(relevant), others)
    weights *= len(weights) / weights.sum()
    return weights


def _near(similarities: NDArray[Any]) -> Scores:
    """The mean of the largest similarities in each row."""
    count = min(_NEAREST, similarities.shape[1])
    largest = -np.partition(-similarities, count - 1, axis=1)[:, :count]
    means: Scores = largest.mean(axis=1).astype(np.float64)
    return means


def _some(candidates: Rows, design: TopicModelDesign) -> Rows:
    """Candidates taken as negatives, which most of them are."""
    return np.random.default_rng(0).permutation(candidates)[
        : round(design.assumed_negatives * design.candidate_share)
    ]


def _is_informative(word: str) -> bool:
    """Whether a word, or a pair of words, is informative to a reader."""
    parts = word.split()
    return all(
        part not in EMPTY_WORDS and len(part) >= _SHORTEST_WORD and not part.isdigit()
        for part in parts
    )


def _standard(scores: Scores) -> Scores:
    """Scores standardized to mean 0 and deviation 1, so that those of two models can be added."""
    spread = float(scores.std())
    return (scores - scores.mean()) / spread if spread > 1e-12 else np.zeros(len(scores))
