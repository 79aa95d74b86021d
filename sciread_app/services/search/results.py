"""Results of a search, and the reasons for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.parser import Query
from sciread_app.domain.search_hit import MatchInfo, SearchHit
from sciread_app.domain.text.sentences import sentences
from sciread_app.domain.text.stop_words import EMPTY_WORDS
from sciread_app.domain.text.term_matching import Span, distinct, holds_in_order, spans
from sciread_app.domain.text.tex import readable
from sciread_app.errors import EncoderFailed
from sciread_app.storage.id_sets import Ids
from sciread_app.storage.library import Library

# Similarities of each sentence to the query, given texts.
Nearness = Callable[[Sequence[str]], NDArray[np.float32]]

_MOST_TERMS = 12  # of a query of which a paper may hold all
# A word in more of the papers than this says nothing about any two of them.
_COMMON = 0.05
_SHARED_SHOWN = 4
_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The results of a search, best first or in the requested order.

    `ids`: all matching papers; they contain one of the rarer words of the query, or are among the
    nearest by meaning and not weak. Of the versions of a work a ranked query has one. `total`:
    their number.
    `weaker`: the nearest weak papers, best first. `note`: a message for the user, or empty.
    `whole`: `ids` are in the order of the list, and `hits` are its beginning; `further`: the ranked
    papers that come later in it.
    """

    hits: list[SearchHit]
    total: int
    note: str = ""
    query: Query = field(default_factory=lambda: Query(""))
    ids: Ids = field(default_factory=lambda: np.empty(0, np.int64))
    whole: bool = False
    further: list[SearchHit] = field(default_factory=list)
    weaker: list[SearchHit] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class MatchExplanation:
    """The reasons for which a paper was found.

    `words`: the words of its title and abstract that match the query, each once, in lower case.
    `in_title` and `in_abstract`: the positions of these words. `sentence`: the sentence of the
    abstract nearest to the query; empty if there is none.
    """

    words: tuple[str, ...] = ()
    sentence: str = ""
    in_title: tuple[Span, ...] = ()
    in_abstract: tuple[Span, ...] = ()


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


def reasons(
    library: Library, sought: Sequence[str], nearness: Nearness | None, ids: Sequence[PaperId]
) -> dict[PaperId, MatchExplanation]:
    """Explain the match of each paper with the words `sought` (see `spans`).

    The best sentence is the one with the highest `nearness`; without `nearness`, or when the model
    fails, the one with most of the words.
    """
    texts = library.texts(ids)
    marked = [spans(part, sought) for text in texts for part in text]
    best = _by_meaning(texts, nearness) if nearness else None
    return {
        paper: _reason(
            title, abstract, marked[2 * n], marked[2 * n + 1], best[n] if best else None, sought
        )
        for n, (paper, (title, abstract)) in enumerate(zip(ids, texts, strict=True))
    }


def _reason(
    title: str,
    abstract: str,
    in_title: list[Span],
    in_abstract: list[Span],
    sentence: str | None,
    sought: Sequence[str],
) -> MatchExplanation:
    words = _shown(title, in_title, sought) + _shown(abstract, in_abstract, sought)
    if sentence is None:
        sentence = _by_words(abstract, in_abstract)
    return MatchExplanation(tuple(distinct(words)), sentence, tuple(in_title), tuple(in_abstract))


def _shown(text: str, found: list[Span], sought: Sequence[str]) -> list[str]:
    """Return the words at these positions, in lower case; formulas as they are displayed."""
    if (line := readable(text)) != text:
        text, found = line, spans(line, sought)
    return [text[a:b].lower() for a, b in found]


def _by_words(abstract: str, spans: list[Span]) -> str:
    """Return the first sentence with most distinct query words; empty if none has any."""
    best, most, start = "", 0, 0
    for sentence in sentences(abstract):
        start = abstract.index(sentence, start)
        end = start + len(sentence)
        words = {abstract[a:b].lower() for a, b in spans if start <= a < end}
        if len(words) > most:
            best, most = sentence, len(words)
        start = end
    return best


def _by_meaning(texts: Sequence[tuple[str, str]], nearness: Nearness) -> list[str] | None:
    """Return the sentence of each abstract nearest to the query; None if the model fails."""
    parts = [sentences(abstract) for _, abstract in texts]
    flat = [sentence for part in parts for sentence in part]
    try:
        near = nearness(flat) if flat else np.empty(0, np.float32)
    except EncoderFailed:
        return None
    best, start = [], 0
    for part in parts:
        best.append(part[int(near[start : start + len(part)].argmax())] if part else "")
        start += len(part)
    return best


def shared_words(
    library: Library, paper: PaperId, others: Sequence[PaperId]
) -> dict[PaperId, tuple[str, ...]]:
    """The rarest words common to this paper and each of the others, rarest first."""
    own, *theirs = (_words(" ".join(text)) for text in library.texts([paper, *others]))
    common = [own & words for words in theirs]
    held = library.document_frequencies(sorted(set().union(*common)))
    most = max(_COMMON * library.count(), 3)
    return {
        other: tuple(
            sorted(
                (word for word in words if 1 < held.get(word, 0) <= most),
                key=lambda word: (held[word], word),
            )[:_SHARED_SHOWN]
        )
        for other, words in zip(others, common, strict=True)
    }


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if word not in EMPTY_WORDS}
