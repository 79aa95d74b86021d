"""Comparison of journal names: "Am J Infect Control" is "American Journal of Infection Control"."""

from __future__ import annotations

import re
from functools import lru_cache

from sciread_app.domain.matching.titles import words

# Additions to a name: "(London, England)"; a translation after "=" or in brackets.
_ADDED = re.compile(r"\s*\([^()]*\)\s*")
_PARTS = re.compile(r"\s*[:=/]\s+|\s+[:=/]\s*|\s*\[|\]\s*")
_LEFT_OUT = (
    "a an and as at by de da do dei del della der des di din die das du e el en et for fur "
    "from il in la le les los na of on or och og para por pour si the to und van voor y zur"
)
_SMALL = frozenset(_LEFT_OUT.split())
_COUNTRY = re.compile(r"\bu s a\b")
_ACRONYM_LETTERS = 3
_EXPLAINING_WORDS = 3


def same_venue(a: str, b: str) -> bool:
    """Whether two names are forms of one: abbreviated by ISO 4 or otherwise, as an acronym, or with
    a place or a translation added."""
    return _same(a, b) or _same(b, a)


@lru_cache(8192)
def _same(a: str, b: str) -> bool:
    whole_a, whole_b = _words(a), _words(b)
    if not whole_a or not whole_b:
        return False
    if _abbreviates(whole_a, whole_b) or _is_acronym(whole_a, whole_b):
        return True
    parts_a, parts_b = _parts(a), _parts(b)
    if len(parts_a) == len(parts_b) == 1:
        return False
    # "Chest : the official journal of ...", "CMAJ = Journal de l'Association medicale ...": one
    # name is all that the other begins with, and what follows explains it.
    first_a, first_b = parts_a[0], parts_b[0]
    if len(parts_a) > 1 and len(parts_b) > 1:
        return _abbreviates(first_a, first_b)
    short, long = (first_a, parts_b) if len(parts_a) == 1 else (first_b, parts_a)
    head, rest = long[0], long[1:]
    if not (_abbreviates(short, head) or _abbreviates(head, short)):
        return any(_abbreviates(short, part) or _is_acronym(short, part) for part in rest)
    return any(_explains(part, head) for part in rest)


def _explains(part: tuple[str, ...], head: tuple[str, ...]) -> bool:
    """Whether this addition explains a journal's name, rather than naming a section of its own, as
    in "Journal of Allergy and Clinical Immunology: In Practice"."""
    return len(part) >= _EXPLAINING_WORDS or _is_acronym(part, head)


def _words(name: str) -> tuple[str, ...]:
    text = _COUNTRY.sub("united states america", " ".join(words(_ADDED.sub(" ", name))))
    return tuple(word for word in text.split() if word not in _SMALL)


def _parts(name: str) -> list[tuple[str, ...]]:
    found = [_words(part) for part in _PARTS.split(_ADDED.sub(" ", name))]
    return [part for part in found if part] or [()]


def _abbreviates(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether each word of one abbreviates a word of the other, in order."""
    return len(short) == len(long) and all(map(_stands_for, short, long))


def _stands_for(a: str, b: str) -> bool:
    """Whether the letters of the shorter word occur in the longer in order: Natl, Int, J."""
    short, long = sorted((a, b), key=len)
    if short == long:
        return True
    if short[0] != long[0] or short.isdigit() or long.isdigit():
        return False
    letters = iter(long)
    return all(letter in letters for letter in short)


def _is_acronym(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether `short` consists of the first letters of the words: JAMA, BMJ, PNAS."""
    if len(short) != 1 or len(long) < _ACRONYM_LETTERS:
        return False
    initials = "".join(word[0] for word in long)
    return len(short[0]) >= _ACRONYM_LETTERS and (
        short[0] == initials or (short[0] == "pnas" and initials.startswith("pnas"))
    )
