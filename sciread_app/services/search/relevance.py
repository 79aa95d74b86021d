"""Relevance thresholds: which papers match a query, and which are merely the nearest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.parser import Query
from sciread_app.domain.search_hit import MatchInfo
from sciread_app.domain.text.term_matching import holds_in_order
from sciread_app.errors import EncoderFailed
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.storage.library import Library

# Queries unrelated to any paper, of several lengths. The similarity of the nearest paper to such a
# query depends on the model and on the library, and bounds the similarity that means nothing. In
# libraries of 1,400 to 5,200 papers and with the starter model that is 0.10 to 0.38 whatever the
# length; half of the relevant papers of judged queries lie above 0.42, 0.49 and 0.57.
UNRELATED = (
    *("zzzzqqqq", "xqvbrt", "wkjdfh plokijuh", "asdf qwer zxcv", "qqqqq xxxx zzzz", "brmpf"),
    *("umbrella", "pancakes", "my red bicycle", "two train tickets", "leaking kitchen tap"),
    *("wedding guest list", "lost house keys", "summer holiday photos", "blue garden chair"),
    "the neighbour's dog barked at the postman again",
    "please remember to buy milk and eggs today",
    "we missed the last bus home after dinner",
    "her new shoes did not fit the dress",
    "he painted the garden fence green last weekend",
    "could you book a table for four tonight",
    "our landlord is away until next Tuesday",
    "lorem ipsum dolor sit amet consectetur adipiscing elit",
    "thank you for the lovely card and the flowers that you sent for my birthday last week",
)
_ROUNDING = 1e-3  # of a similarity, when a text is encoded in another batch
_QUANTILE = 0.85  # a library may well be about the subject of some of them
# A paper is like another one if fewer than one in twenty pairs of the library are that alike, or
# fewer than one in twenty papers are that like it.
ALIKE = 95.0
_NEAREST = 0.05
_FEW = 30  # papers among which nothing is rare
# Queries of fewer words are too unlike papers to be compared with pairs of papers.
COMPARABLE_WORDS = 4
_MOST_TERMS = 12  # of a query of which a paper may hold all


class RelevanceFloor:
    """The similarity to a query that papers also reach with unrelated texts."""

    def __init__(self, space: EmbeddingIndex) -> None:
        self._space = space
        self._known: tuple[int, float, float] | None = None

    def value(self, *, words_known: bool) -> float:
        """Return the floor; `words_known`: whether the library or the model knows a query word.

        If no word is known, a paper is relevant only if it is nearer than any paper is to an
        unrelated text. The floor is recomputed, which takes the model, when the number of
        vectors has changed by a quarter.
        """
        count = self._space.count()
        if self._known is None or abs(count - self._known[0]) > self._known[0] / 4:
            try:
                vectors = self._space.encode_texts(UNRELATED)
            except EncoderFailed:
                return -np.inf
            best = [similarities[0] for _, similarities in self._nearest(vectors)]
            usual, highest = np.quantile(best, (_QUANTILE, 1.0)) if best else (-np.inf, -np.inf)
            self._known = count, float(usual), float(highest) + _ROUNDING
        return self._known[1 if words_known else 2]

    def _nearest(self, vectors: Iterable[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
        found = (self._space.nearest(vector, 1) for vector in vectors)
        return [one for one in found if len(one[0])]


def is_comparable(query: Query) -> bool:
    """Whether the similarity to this query may be compared with that of pairs of papers."""
    steered = query.like or query.unlike
    return not steered and len(query.meaning.split()) >= COMPARABLE_WORDS


def are_alike(percentile: float | None, rank: int, papers: int) -> bool:
    """Return whether the paper with this rank among `papers` is similar to the examples: more
    similar than most pairs of papers, or among the few nearest."""
    return percentile is None or percentile >= ALIKE or papers < _FEW or rank <= _NEAREST * papers


def matches(library: Library, query: Query, papers: list[PaperId]) -> Mapping[PaperId, MatchInfo]:
    """Return which of these papers contain all words of a query, anywhere or in order in the
    title."""
    terms = list(dict.fromkeys(query.terms))
    if not terms or len(terms) > _MOST_TERMS or query.pasted:
        return {}
    every = " AND ".join(term.expression for term in terms)
    holding = {paper for paper, _ in library.search_text(every, 1_000, query.conditions)}
    found = [paper for paper in papers if paper in holding]
    titles = [title for title, _ in library.texts(found)]
    return {
        paper: MatchInfo.in_title if holds_in_order(title, query.sought) else MatchInfo.all_words
        for paper, title in zip(found, titles, strict=True)
    }
