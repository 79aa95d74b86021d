"""Selection of query terms, and fusion of keyword and semantic scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.query.parser import Term, any_of
from sciread_app.domain.text.folding import spellings

Scores = NDArray[np.float64]
Vectors = NDArray[np.float32]

# Weight of meaning relative to words. On judged queries anything from 0.4 to 0.6 performs equally
# well.
MEANING = 0.5
# Weight of example papers beside a typed query, see `rocchio`.
LIKED = 0.75
DISLIKED = 0.25
# Weight of negative examples where there is no query.
_UNLIKE = 0.5
# Repetition of a word in a text adds weight up to this count. (FTS5 has no term weights, so a term
# is repeated in the expression.)
_MOST_REPETITIONS = 4
# More distinct words than this make a long text slower to search, but not better.
_MOST_WORDS = 32


def fuse(bm25: Scores, similarity: Scores, average: float) -> Scores:
    """Relevance scores of papers (1: best in both), from their keyword and semantic scores.

    Each score is scaled from that of a random paper (no BM25; the `average` similarity of the
    library to the query) to that of the best one, so that neither the scale of BM25 nor the range
    of a model's similarities matters (a convex combination: Bruch et al., 2023). BM25 is 0 for a
    paper without the words; the similarity of a paper without a vector is nan, and words alone
    count.
    """
    words = bm25 / max(float(bm25.max(initial=0.0)), 1e-9)
    best = float(similarity[~np.isnan(similarity)].max(initial=average))
    meaning = (similarity - average) / max(best - average, 1e-9)
    meaning = np.where(np.isnan(meaning), words, meaning)
    return MEANING * meaning + (1 - MEANING) * words


def rocchio(query: Vectors | None, like: Vectors, unlike: Vectors) -> Vectors:
    """The query vector for papers similar to the rows of `like`, dissimilar to those of `unlike`,
    and close to the query.

    q + 0.75 mean(like) - 0.25 mean(unlike), of length 1: Rocchio's formula (1971) with the weights
    that Salton and Buckley (1990) found best, all vectors being of length 1. Without a query, which
    requires a row in `like`: mean(like) - 0.5 mean(unlike).
    """
    target = np.zeros(like.shape[1], np.float32) if query is None else query.copy()
    if len(like):
        target += like.mean(0) * (1.0 if query is None else LIKED)
    if len(unlike):
        target -= unlike.mean(0) * (_UNLIKE if query is None else DISLIKED)
    steered: Vectors = target / max(float(np.linalg.norm(target)), 1e-9)
    return steered


def selective_expression(
    terms: Sequence[Term], held_by: Mapping[str, int], papers: int, at_most: float
) -> str:
    """The FTS5 expression that finds papers by the rarer terms, and ranks them by all.

    BM25 of very many papers is slow, and a paper with only the commonest words of a query is never
    among the best. So a paper must contain one of the rarer terms: as many terms as occur together
    in at most `at_most` of the `papers`, but at least one. `held_by` is the document frequency of
    each word. The scores are twice BM25 where some terms only rank.
    """
    counts = Counter(terms)
    count = {term: _count(term, held_by) for term in counts}
    weight = {
        term: min(times, _MOST_REPETITIONS) * math.log((papers + 1) / (count[term] + 0.5))
        for term, times in counts.items()
    }
    kept = sorted(counts, key=lambda term: (-weight[term], term))[:_MOST_WORDS]
    finding, ranking, found = list[Term](), list[Term](), 0
    for term in sorted(kept, key=lambda term: (count[term], term)):
        found += count[term]
        repeated = [term] * min(counts[term], _MOST_REPETITIONS)
        (ranking if finding and found > at_most else finding).extend(repeated)
    if not ranking:
        return any_of(finding)
    # FTS5 counts a term as often as it occurs in the expression, and has no optional terms.
    return f"({any_of(finding)}) AND ({any_of([*finding, *ranking, *ranking])})"


def _count(term: Term, held_by: Mapping[str, int]) -> int:
    if term.prefix:
        return 0  # unknown, but a star is explicit
    return sum(
        min((held_by.get(word.lower(), 0) for word in way), default=0)
        for way in spellings(term.text)
    )
