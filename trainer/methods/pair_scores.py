"""Validation scores: clustering of categories, retrieval of answers, classification of
citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.data.corpus.corpus import Corpus
from trainer.data.pairs import PairSet
from trainer.data.rng import random_permutation, random_sample
from trainer.evaluations.metrics.clustering import v_measure_of_k_means
from trainer.evaluations.metrics.pairs import best_threshold, cosine
from trainer.evaluations.metrics.retrieval import ndcg_at, relevant_ranks
from trainer.methods.base import Encode, ValidationMetric


class _Asked(NamedTuple):
    """A question, with the source and the row of its answer."""

    source: str
    row: int
    question: str
    answer: str


class PairScores:
    """PhysBERT's three metrics, which select its best weights; each from 0 to 1.

    `pairs` are the validation pairs by source, "category_pairs", "citation_pairs", "question_pairs"
    and "passage_pairs"; a missing source is not evaluated. At most `most` papers are used per
    metric.
    """

    def __init__(self, corpus: Corpus, pairs: Mapping[str, PairSet], most: int, seed: int) -> None:
        self._corpus, self._most, self._seed = corpus, most, seed
        self._pairs = {name: some for name, some in pairs.items() if len(some.rows) > 1}

    def __call__(self, encode: Encode) -> dict[str, float]:
        found = {}
        if pairs := self._pairs.get("category_pairs"):
            found["v_measure"] = self._v_measure(encode, pairs)
        if asked := self._asked():
            found["ndcg_at_10"] = self._ndcg_at_10(encode, asked)
        if pairs := self._pairs.get("citation_pairs"):
            found["cosine_accuracy"] = self._cosine_accuracy(encode, pairs)
        return found

    @property
    def scored(self) -> dict[str, ValidationMetric]:
        """Return the metric and the sample size of each score, by its name."""
        found = {}
        if pairs := self._pairs.get("category_pairs"):
            rows, _ = self._labelled(pairs)
            found["v_measure"] = ValidationMetric("v_measure", "v_measure", len(rows))
        if asked := self._asked():
            found["ndcg_at_10"] = ValidationMetric("retrieval", "ndcg@10", len(asked))
        if pairs := self._pairs.get("citation_pairs"):
            first, *_ = self._titles(pairs)
            found["cosine_accuracy"] = ValidationMetric(
                "cosine_accuracy", "cosine_accuracy", len(first)
            )
        return found

    def _v_measure(self, encode: Encode, pairs: PairSet) -> float:
        """Return the V-measure of clusters and categories, on the papers of the pairs."""
        rows, labels = self._labelled(pairs)
        vectors = encode([self._both(row) for row in rows.tolist()])
        return v_measure_of_k_means(vectors, labels, seed=self._seed).v

    def _ndcg_at_10(self, encode: Encode, asked: Sequence[_Asked]) -> float:
        """Return the nDCG@10 of finding a question's answer among those of all questions."""
        answers = sorted({(one.source, one.row): one.answer for one in asked}.items())
        places = {key: place for place, (key, _) in enumerate(answers)}
        queries = encode([(one.question, "") for one in asked], queries=True)
        read = encode([(answer, "") for _, answer in answers])
        right = [np.array([places[one.source, one.row]]) for one in asked]
        return float(ndcg_at(relevant_ranks(queries, read, right)).mean())

    def _asked(self) -> list[_Asked]:
        """Return questions, and the abstracts and passages that answer them."""
        corpus, found = self._corpus, []
        for source, questions, answers in (
            ("question_pairs", corpus.questions, corpus.abstracts),
            ("passage_pairs", corpus.passage_questions, corpus.passages),
        ):
            if pairs := self._pairs.get(source):
                for question, row in self._some(pairs, self._most).tolist():
                    found.append(_Asked(source, row, questions[question], answers[row]))
        return found

    def _cosine_accuracy(self, encode: Encode, pairs: PairSet) -> float:
        """Return the accuracy of distinguishing citing pairs of titles from as many other pairs."""
        first, second, belongs = self._titles(pairs)
        rows, places = np.unique(np.stack([first, second]), return_inverse=True)
        vectors = encode([(self._corpus.title(row), "") for row in rows.tolist()])
        one, another = vectors[places.reshape(2, -1)]
        return best_threshold(cosine(one, another), belongs).accuracy

    def _labelled(self, pairs: PairSet) -> tuple[NDArray[np.int32], NDArray[np.integer]]:
        """Return the papers of the pairs, and their categories."""
        rows, first = np.unique(pairs.rows, return_index=True)
        some = random_sample(self._most, len(rows), "scored", self._seed)
        return rows[some], np.repeat(pairs.labels, 2)[first][some]

    def _titles(
        self, pairs: PairSet
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
        """Return papers, as many other papers, and whether the one cites the other."""
        citing, cited = self._some(pairs, self._most // 2).T
        other = cited[random_permutation(len(cited), "scored", self._seed)]
        cites = self._corpus.cites
        stranger = [b != a and b not in cites[a] for a, b in zip(citing, other, strict=True)]
        first = np.concatenate([citing, citing[stranger]])
        second = np.concatenate([cited, other[stranger]])
        return first, second, np.arange(len(first)) < len(citing)

    def _some(self, pairs: PairSet, most: int) -> NDArray[np.int32]:
        return pairs.rows[random_sample(most, len(pairs.rows), "scored", self._seed)]

    def _both(self, row: int) -> tuple[str, str]:
        return self._corpus.title(row), self._corpus.abstract(row)
