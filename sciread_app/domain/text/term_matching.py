"""Matches of query terms in a text, as the text index finds them, for highlighting."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from sciread_app.domain.text.folding import Token, forms, spellings, tokens
from sciread_app.domain.text.stemming import stem

Span = tuple[int, int]  # first character, and the one after the last
_Words = tuple[frozenset[str], ...]  # for each word of a phrase, the accepted stems


class _Sought(NamedTuple):
    words: _Words
    prefix: str  # the beginning of the last word, where only that is given


class _Beginnings(NamedTuple):
    """Letters, stems and prefixes, one of which the first word of every match has."""

    letters: frozenset[str]  # their first letters
    stems: frozenset[str]
    prefixes: tuple[str, ...]

    def fit(self, word: str) -> bool:
        """Return whether a match may begin with this word. Finding its stem takes long, and most
        words of a text begin with other letters."""
        if word.isascii() and word[0].lower() not in self.letters:
            return False
        if not self.stems.isdisjoint(_stems(word)):
            return True
        return any(form.startswith(self.prefixes) for form in forms(word))


def spans(text: str, sought: Iterable[str]) -> list[Span]:
    """The (start, end) of all matches of `sought` in `text`, in order, in any form of the word.

    `sought` are words, phrases (words separated by blanks), and prefixes, which end with a star.
    """
    wanted = _prepared(tuple(sought))
    if not wanted:
        return []
    found, there = list[Span](), tokens(text)
    begins = _beginnings(wanted)
    fitting = {word for word in {token.text for token in there} if begins.fit(word)}
    place = 0
    while fitting and place < len(there):
        length = 0
        if there[place].text in fitting:
            length = max(_length(one, there, place) for one in wanted)
        if length:
            found.append((there[place].start, there[place + length - 1].end))
        place += max(1, length)
    return found


def distinct(words: Iterable[str]) -> list[str]:
    """Each word once, in its first form; a bare stem only if there is no other form."""
    kept: dict[frozenset[str], str] = {}
    for word in words:
        key = _stems(word)
        if key not in kept or (kept[key] in key and word not in key):
            kept[key] = word
    return list(kept.values())


def holds_in_order(text: str, words: Iterable[str]) -> bool:
    """Whether a text contains all these words in this order."""
    stems = iter([_stems(token.text) for token in tokens(text)])
    return all(
        any(wanted & there for there in stems)
        for wanted in (_stems(token.text) for word in words for token in tokens(word))
    )


def _length(one: _Sought, there: list[Token], place: int) -> int:
    """The number of words matched in the text at `place`; 0 if none."""
    words, last = one.words, place + len(one.words)
    if last + bool(one.prefix) > len(there):
        return 0
    for n, wanted in enumerate(words):
        if wanted.isdisjoint(_stems(there[place + n].text)):
            return 0
    if one.prefix and not any(form.startswith(one.prefix) for form in forms(there[last].text)):
        return 0
    return len(words) + bool(one.prefix)


@lru_cache(maxsize=200)
def _prepared(sought: tuple[str, ...]) -> tuple[_Sought, ...]:
    found = dict[_Sought, None]()
    for text in sought:
        for way in spellings(text):
            if way and text.endswith("*"):
                begun = forms(way[-1])[0]
                found[_Sought(tuple(map(_stems, way[:-1])), begun)] = None
            elif way:
                found[_Sought(tuple(map(_stems, way)), "")] = None
    return tuple(found)


@lru_cache(maxsize=200)
def _beginnings(sought: tuple[_Sought, ...]) -> _Beginnings:
    stems = frozenset(stem for one in sought if one.words for stem in one.words[0])
    prefixes = tuple({one.prefix for one in sought if not one.words})
    return _Beginnings(frozenset(way[0] for way in (*stems, *prefixes)), stems, prefixes)


@lru_cache(maxsize=20_000)
def _stems(word: str) -> frozenset[str]:
    return frozenset(map(stem, forms(word)))
