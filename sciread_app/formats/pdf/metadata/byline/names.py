"""Names in one piece of a byline: whether it is one, and its parts."""

from __future__ import annotations

import re
from enum import Enum

from sciread_app.domain.paper import Author
from sciread_app.formats.pdf.metadata.byline.lexicon import (
    AFFILIATION,
    DEGREE,
    PARTICLES,
    is_initials,
    word_score,
)
from sciread_app.formats.values.author_list import person, split_particle

_SUFFIX = re.compile(r"(?:Jr|Sr|JR|SR)\.?|I{2,3}|IV")
_TITLES = re.compile(
    r"^(?:(?:Drs?|Prof|Professor|PD|Priv\.-Doz|Dipl|Ing|Mr|Mrs|Ms|Sir|M\.?Sc|Doctor|Dott)\b\.?-?\s*(?:ssa\b\s*)?)+",
    re.I,
)
_WORD = re.compile(r"[^\W\d_](?:[\w.'’‘`´\-‐‑]*[\w.])?[’']?")
_HAN = re.compile(r"[\u3400-\u9fff]")
_HAN_NAME = re.compile(
    r"[\u3400-\u9fff]\s?[\u3400-\u9fff]{1,3}|[\u3400-\u9fff]{2}\s?[\u3400-\u9fff]{1,2}"
    r"|[\u3400-\u9fff]{1,3}\s[\u3040-\u30ff\u3400-\u9fff]{1,3}"  # Japanese, with kana
)
_DOUBLE_FAMILY = frozenset(
    ("欧阳", "司马", "上官", "诸葛", "东方", "皇甫", "尉迟", "公孙", "慕容", "令狐")
)
_MOST_WORDS = 6
_GOOD, _POOR = 3.0, -4.0  # decibels
_ON_BEHALF = re.compile(r"^(?:and\s+)?(?:for|on\s+behalf\s+of)\s+(?:the\s+)?(?-i:(?=[A-Z]))", re.I)
_BODY = re.compile(
    r"collaborat|consorti|\bteam\b|\bgroup\b|\binitiative|investigators|\bnetwork\b|committee"
    r"|task\s+force|working\s+group",
    re.I,
)


class SegmentKind(Enum):
    name = "name"
    maybe = "maybe a name"  # the shape of a name, but its words are unknown
    part = "part of a name"  # one word, such as the end of a name on the next line
    organization = "organization"
    degree = "degree"
    suffix = "suffix"
    other = "other"


def kind_of(piece: str) -> SegmentKind:
    """Return the kind of a piece between two separators: a name, a degree, and so on."""
    piece = _ON_BEHALF.sub("", without_titles(piece))
    if not piece:
        return SegmentKind.degree
    if DEGREE.fullmatch(piece) or all(DEGREE.fullmatch(word) for word in piece.split()):
        return SegmentKind.degree
    if _SUFFIX.fullmatch(piece):
        return SegmentKind.suffix
    if _HAN.search(piece):
        return SegmentKind.name if _HAN_NAME.fullmatch(piece) else SegmentKind.other
    if _BODY.search(piece) and 2 <= len(piece.split()) <= 10 and piece[0].isupper():
        return SegmentKind.organization
    words = piece.split()
    is_short = len(words) <= _MOST_WORDS
    if not is_short or not all(w.lower() in PARTICLES or _WORD.fullmatch(w) for w in words):
        return SegmentKind.other
    if AFFILIATION.search(piece):
        return SegmentKind.other
    return _kind_of_words(words)


def _kind_of_words(words: list[str]) -> SegmentKind:
    lower = [word for word in words if not word[0].isupper() and not _starts_small(word)]
    if any(word.lower().rstrip(".") not in PARTICLES for word in lower):
        return SegmentKind.other
    main = [word for word in words if word not in lower]
    initials = [word for word in main if is_initials(word) and (len(word) < 3 or "." in word)]
    names = [word for word in main if word not in initials]
    if not names and len(initials) > 1 and re.fullmatch(r"[^\W\d_]{2,}", initials[-1]):
        return SegmentKind.name  # V. L. YU
    if not names:
        return SegmentKind.part if initials else SegmentKind.other
    scores = [word_score(word) for word in names]
    known = [score for score in scores if score is not None]
    mean = sum(known) / len(known) if known else 0.0
    if len(main) < 2:
        return SegmentKind.part if mean > _POOR else SegmentKind.other
    if initials:
        return SegmentKind.name if mean > -20 else SegmentKind.maybe
    if known and mean >= _GOOD and min(known) > -13:
        return SegmentKind.name
    return SegmentKind.maybe if mean > _POOR else SegmentKind.other


def _starts_small(word: str) -> bool:
    """d'Alembert, al-Khwarizmi."""
    return bool(re.match(r"[a-z]{1,2}['’‘\-]\s?[^\W\d_a-z]", word))


def has_shape_of_name(piece: str) -> bool:
    """Whether two to four words may be a name by their capitals, whatever the words are."""
    words = without_titles(piece).split()
    return (
        2 <= len(words) <= 4
        and all(_WORD.fullmatch(word) for word in words)
        and words[0][0].isupper()
        and words[-1][0].isupper()
        and len(words[-1]) > 1
        and not AFFILIATION.search(piece)
    )


def without_titles(piece: str) -> str:
    """Return a name without the titles before it, the degrees after it, and punctuation around
    it."""
    piece = _TITLES.sub("", piece.strip(" \t.,;:-–—•·|*()"))
    words = piece.split()
    # "Martin MD" has initials, "Alice Martin MD" a degree, and "Peter C. MA" a family name.
    while (
        len(words) > 2
        and DEGREE.fullmatch(words[-1])
        and len(words[-1].strip(".")) > 1
        and not _only_initials(words[-2])
    ):
        words.pop()
    return " ".join(words)


def author_of(piece: str, *, family_in_capitals: bool = False) -> Author:
    """The author in a piece that is a name; capitals become ordinary letters.

    `family_in_capitals` is whether short words in capitals are family names and no initials.
    """
    if _BODY.search(piece):
        return Author(_ON_BEHALF.sub("", piece), literal=True)
    name = without_titles(piece)
    if _HAN.search(name):
        return _han_author(name)
    name = re.sub(r"[‐‑]", "-", name)
    words = name.split()
    # Hao FANG and FANG Hao: the capitals are the family name.
    capital = [
        word.isupper()
        and (len(word) > 1 if family_in_capitals else len(word) > 2 and not is_initials(word))
        for word in words
    ]
    if all(
        c or is_initials(w) or w.lower() in PARTICLES for c, w in zip(capital, words, strict=True)
    ):
        words = [_in_small_letters(w) if len(w) > 1 and not _only_initials(w) else w for w in words]
        return _author(" ".join(words))
    if any(capital):
        family = [_in_small_letters(w) for w, c in zip(words, capital, strict=True) if c]
        given = [w for w, c in zip(words, capital, strict=True) if not c]
        particles = [w for w in given if w.lower() in PARTICLES and w[0].islower()]
        given = [w for w in given if w not in particles]
        if given:
            return Author(" ".join(family), " ".join(given), " ".join(particles))
    return _author(name)


def _author(name: str) -> Author:
    found = person(name)
    particle, family = split_particle(found.family)
    return found._replace(family=family, particle=found.particle or particle) if particle else found


def _only_initials(word: str) -> bool:
    return is_initials(word) and ("." in word or len(word) < 2)


def _in_small_letters(word: str) -> str:
    if word.lower() in PARTICLES and len(word) <= 3:
        return word.lower()
    small = re.sub(r"[^\W\d_]+", lambda part: part[0].capitalize(), word)
    return re.sub(r"^Mc([a-z])", lambda m: "Mc" + m[1].upper(), small)


def _han_author(name: str) -> Author:
    family, space, given = name.partition(" ")
    if space and " " not in given:
        return Author(family, given)
    name = name.replace(" ", "")
    size = 2 if name[:2] in _DOUBLE_FAMILY and len(name) > 2 else 1
    return Author(name[:size], name[size:])
