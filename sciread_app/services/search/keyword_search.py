"""Keyword search: the papers that contain the words of a query, and their scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.query.parser import Condition, Term
from sciread_app.domain.ranking import selective_expression
from sciread_app.domain.text.folding import spellings
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.storage.id_sets import Ids
from sciread_app.storage.library import Library

# Papers passed on to the fusion. More change nothing among the first ten.
_BY_WORDS = 1000
# Papers whose BM25 score is computed for one query: some 1.3 µs each.
_SCORED = 12_000
# The number of papers that hold a common word is slow to count, and hardly changes.
_COMMON = 1000


@dataclass(frozen=True, slots=True)
class RankedList:
    """The ranking of one retrieval method: papers, best first, and their scores."""

    ids: Ids
    scores: NDArray[np.float64]

    @classmethod
    def of(cls, ids: Iterable[int] = (), scores: Iterable[float] = ()) -> RankedList:
        return cls(np.fromiter(ids, np.int64), np.fromiter(scores, np.float64))

    def ranks(self) -> dict[int, int]:
        return {paper: rank for rank, paper in enumerate(self.ids.tolist(), start=1)}


class KeywordSearch:
    def __init__(self, library: Library, space: EmbeddingIndex | None) -> None:
        self._library = library
        self._space = space
        self._common: dict[str, int] = {}

    def find(
        self,
        terms: Sequence[Term],
        conditions: Sequence[Condition],
        allowed: Ids | None,
        limit: int,
    ) -> tuple[RankedList, Ids]:
        """Return the best papers by BM25, and the ids, ascending, of all papers that contain one of
        the rarer words."""
        papers = self._space.count() if self._space else self._library.count()
        at_most: float = _SCORED
        if allowed is not None:
            at_most *= papers / max(len(allowed), 1)
        if limit > _BY_WORDS:
            at_most = math.inf  # a request for thousands waits for all of them
        words = [word.lower() for term in terms for way in spellings(term.text) for word in way]
        expression = selective_expression(terms, self._document_frequencies(words), papers, at_most)
        most = max(_BY_WORDS, limit)
        found = self._library.search_text(expression, most, conditions)
        leg = RankedList.of((id for id, _ in found), (score for _, score in found))
        if len(found) < most:
            return leg, np.sort(leg.ids)
        return leg, self._library.matching(conditions, expression)

    def _document_frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return the document frequency of each word."""
        words = set(words)
        unknown = [word for word in words if word not in self._common]
        counts = self._library.document_frequencies(unknown) if unknown else {}
        self._common.update({word: n for word, n in counts.items() if n >= _COMMON})
        return {word: counts.get(word) or self._common.get(word, 0) for word in words}
