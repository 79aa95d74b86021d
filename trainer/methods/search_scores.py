"""Validation scores of what the app does with a model: search by typed queries and by papers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trainer.data.corpus.corpus import Corpus, Split
from trainer.data.rng import random_permutation, random_sample
from trainer.data.typed_queries import typed_queries
from trainer.evaluations.metrics.ranking import rank_by_score
from trainer.evaluations.metrics.retrieval import ndcg_at, relevant_ranks
from trainer.methods.base import Encode, ValidationMetric

QUERIES = "queries"
# Papers of the training split among which those of the validation split must be found.
_OTHERS = 500
_CITED, _NOT_CITED = 5, 25


class SearchScores:
    """Scores from 0 to 1: `queries`, the nDCG@10 of finding validation papers by titles, sentences
    and questions, and `citations`, the MAP of ranking cited papers, if validation papers cite any.
    """

    def __init__(self, corpus: Corpus, most: int, seed: int) -> None:
        train, rows = corpus.rows(Split.train), corpus.rows(Split.validation)
        others = train[random_sample(_OTHERS, len(train), "other papers", seed)]
        rows = rows[random_sample(most, len(rows), "validation papers", seed)]
        self._corpus = corpus
        self._typed = typed_queries(corpus, rows, others, most, seed)
        self._lists: dict[int, dict[int, int]] = {}
        for row in rows.tolist():
            cited = corpus.cites[row]
            near = cited[corpus.split[cited] != Split.test]
            far = np.setdiff1d(others, cited)
            if not len(near) or len(far) < _NOT_CITED:
                continue
            near = near[random_permutation(len(near), "cited", seed, row)][:_CITED]
            far = far[random_permutation(len(far), "not cited", seed, row)][:_NOT_CITED]
            self._lists[row] = dict.fromkeys(near.tolist(), 1) | dict.fromkeys(far.tolist(), 0)

    def __call__(self, encode: Encode) -> dict[str, float]:
        """Return the scores of a model."""
        found = {}
        typed = self._typed
        if typed.queries:
            asked = encode([(query, "") for query in typed.queries], queries=True)
            read = encode(list(typed.documents.values()))
            ranks = relevant_ranks(asked, read, list(typed.answers[:, None]))
            found[QUERIES] = float(ndcg_at(ranks).mean())
        if self._lists:
            found["citations"] = self._citations(encode)
        return found

    @property
    def scored(self) -> Mapping[str, ValidationMetric]:
        """Return the metric of each score, and its number of queries or papers."""
        found = {}
        if self._typed.queries:
            n = len(self._typed.queries)
            found[QUERIES] = ValidationMetric("retrieval", "ndcg@10", n)
        if self._lists:
            found["citations"] = ValidationMetric("ranking", "map", len(self._lists))
        return found

    def _citations(self, encode: Encode) -> float:
        rows = sorted({*self._lists, *(at for judged in self._lists.values() for at in judged)})
        texts = [(self._corpus.title(row), self._corpus.abstract(row)) for row in rows]
        vectors = dict(zip(rows, encode(texts), strict=True))
        precisions = []
        for query, judged in self._lists.items():
            scores = {str(at): float(vectors[query] @ vectors[at]) for at in judged}
            relevance = {str(at): grade for at, grade in judged.items()}
            precisions.append(rank_by_score(scores, relevance).average_precision)
        return float(np.mean(precisions))
