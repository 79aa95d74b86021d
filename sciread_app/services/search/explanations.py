"""Explanations of matches: the query words in a paper, and its sentence nearest to the query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.paper import PaperId
from sciread_app.domain.text.sentences import sentences
from sciread_app.domain.text.term_matching import Span, distinct, spans
from sciread_app.domain.text.tex import readable
from sciread_app.errors import EncoderFailed
from sciread_app.storage.library import Library

# Similarities of each sentence to the query, given texts.
Nearness = Callable[[Sequence[str]], NDArray[np.float32]]


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
        paper: _why(
            title, abstract, marked[2 * n], marked[2 * n + 1], best[n] if best else None, sought
        )
        for n, (paper, (title, abstract)) in enumerate(zip(ids, texts, strict=True))
    }


def _why(
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
