"""Comparison of titles: equality, and the kind of difference."""

from __future__ import annotations

import re
import unicodedata
from enum import IntEnum
from functools import lru_cache
from html import unescape

from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import ratio


def _words_of(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_TAG = re.compile(
    r"</?(?:[a-z]+:)?(?:a|b|br|em|font|i|inf|italic|bold|p|s|sc|scp|small|span|strong|sub|sup|title"
    r"|tt|u)(?:\s[^<>]*)?/?>",
    re.I,
)
_ACCENT = re.compile(r"""\\(?:["'`^~=.]|[cvuHkrdbt](?=\s*\{|\s+[A-Za-z]))\s*""")
_MACRO = re.compile(r"\\([A-Za-z]+)\s*")
_TEX_SIGNS = re.compile(r"[\\${}^_]")
_TEX_LETTERS = {
    "ss": "ss", "ae": "ae", "AE": "ae", "oe": "oe", "OE": "oe", "aa": "a", "AA": "a",
    "o": "o", "O": "o", "l": "l", "L": "l", "i": "i", "j": "j", "pm": "\u00b1",
    "leq": "\u2264", "le": "\u2264", "geq": "\u2265", "ge": "\u2265",
}  # fmt: skip
_TEX_STYLES = _words_of(
    "cal rm bf it sl sc sf tt em emph text textit textbf textrm textsc textsf texttt textsl "
    "mathrm mathbf mathit mathsf mathcal mathbb mathfrak bm boldsymbol ensuremath mbox hbox "
    "left right textsuperscript textsubscript displaystyle protect"
)
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma"
    " sigma tau upsilon phi chi psi omega"
)
_LETTERS = {0x3B1 + place: name for place, name in enumerate(_GREEK.split())} | {
    ord(letter): plain
    for letter, plain in {
        "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe",
        "ı": "i", "ϕ": "phi", "ϵ": "epsilon", "ϑ": "theta", "&": " and ",
    }.items()
}  # fmt: skip
_VARIANTS = re.compile(r"\bvar(epsilon|theta|phi|rho|sigma|pi)\b")
_APOSTROPHE = re.compile(r"['’‘`´ʼ]")
_THOUSANDS = re.compile(r"(?<=\d)[, \u2009\u202f](?=\d{3}(?!\d))")
_NOT_WORD = re.compile(r"[\W_]+")
_ACCENTS = re.compile(r"[\u0300-\u036f]+")  # on Latin, Greek and Cyrillic letters
_MARKED = re.compile(r"[\u0590-\u1fff\u3099\u309a]")  # scripts in which marks make different words
_BETWEEN_DIGITS = re.compile(r"(?<=\d) (?=\d)")
# Signs that change the meaning of a title: charges, enantiomers, comparisons, C++ and C#.
_SIGNS = re.compile(
    r"[+#<>=\u2264\u2265\u00b1]|\([-\u2212\u2013]\)|(?:(?<=^)|(?<=[\s(]))[-\u2212](?=\d)"
    r"|(?<=[0-9A-Z)])[-\u2212\u2013](?=[\s,;:)/]|$)"
)

# Titles that name the kind of text, not its subject.
_GENERIC = re.compile(
    r"(?:guest )?(?:editorial|introduction|preface|foreword|afterword|epilogue|prologue"
    r"|conclusions?|summary|abstracts?|book reviews?|new books|letters?|correspondence|commentary"
    r"|comments?"
    r"|(?:in |author'?s? |authors )?repl(?:y|ies)|(?:author'?s? |authors )?responses?|discussion"
    r"|obituary|in memoriam|news|announcements?|errat(?:um|a)|corrigend(?:um|a)|corrections?"
    r"|retraction|index|contents|table of contents|front matter|back matter|proceedings"
    r"|case reports?|annual report|acknowledge?ments?|welcome|in this issue|from the editors?"
    r"|message from|president'?s|note from|special issue|untitled|title page|cover|masthead)\b"
)
_GENERIC_WORDS = 8
_SHORT_LETTERS, _SHORT_WORDS = 20, 4

# If only one of two titles has one of these words, they belong to different papers.
_SETTING_APART = _words_of(
    "erratum errata corrigendum corrigenda correction corrections addendum retraction "
    "retracted reply replies response responses comment comments commentary rejoinder "
    "discussion supplement supplementary supporting appendix editorial letter part volume "
    "chapter section first second third fourth fifth i ii iii iv v vi vii viii ix x xi xii"
)
_NUMBERS = _words_of(
    "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty "
    "fifty hundred once twice single double triple half quarter"
)
_SMALL_WORDS = _words_of(
    "a an and as at by de der des die das du el en et for from in into la le les of on or the "
    "to und von with within"
)
_SLIP_LETTERS = 5  # in a shorter word one letter makes a different word: cat, rat
_DIFFERENT = 80  # titles less similar than this (0 to 100) are different
_PART_LETTERS = 30  # a shorter title contained in a longer one is weak evidence


class TitleMatch(IntEnum):
    """The similarity of two titles, in ascending order."""

    different = 0
    telling = 1  # similar, but they differ in a word that may indicate another study
    near = 2  # typing errors, inflections, function words, or a missing subtitle
    equal = 3


def split(text: str) -> tuple[str, ...]:
    """The words of a text without case, accents, markup, TeX and punctuation."""
    text = _THOUSANDS.sub("", _APOSTROPHE.sub("", _plain(text)))
    return tuple((_with_marks(text) if _MARKED.search(text) else _NOT_WORD.sub(" ", text)).split())


words = lru_cache(8192)(split)  # of titles and names, which are compared again and again


@lru_cache(8192)
def form(title: str) -> tuple[str, str]:
    """The normal form of a title: its letters and digits, and its significant signs.

    Spaces count between digits only: "health care" is "healthcare", but 1.5 is not 15.
    """
    spaced = " ".join(words(title))
    letters = _BETWEEN_DIGITS.sub(",", spaced).replace(" ", "")
    signs = "".join(found.strip("()") for found in _SIGNS.findall(_without_markup(title)))
    return letters, signs.replace("\u2212", "-").replace("\u2013", "-")


def is_generic(title: str) -> bool:
    """Whether many papers share such a title: a short one, or "Letter to the editor"."""
    found = words(title)
    if len(found) < _SHORT_WORDS or len(form(title)[0]) < _SHORT_LETTERS:
        # Chinese and Japanese have no spaces between words, and need fewer letters.
        return not _is_dense(title)
    return len(found) <= _GENERIC_WORDS and bool(_GENERIC.match(" ".join(found)))


def are_alike(a: str, b: str) -> bool:
    """Whether the titles share most letters, whatever their words."""
    form_a, form_b = form(a)[0], form(b)[0]
    return bool(form_a and form_b) and _alike(form_a, form_b)


def match(a: str, b: str) -> TitleMatch:
    """The similarity of two titles. Titles without letters and digits are different from all
    others."""
    form_a, form_b = form(a), form(b)
    if not form_a[0] or not form_b[0]:
        return TitleMatch.different
    if form_a == form_b:
        return TitleMatch.equal
    if form_a[0] == form_b[0]:
        return TitleMatch.telling  # CD4+ and CD4-
    words_a, words_b = words(a), words(b)
    if _is_part_of(words_a, words_b):
        return TitleMatch.near
    if not _alike(form_a[0], form_b[0]):
        return TitleMatch.different
    only_a, only_b = _differing(words_a, words_b)
    if any(map(_sets_apart, only_a + only_b)):
        return TitleMatch.different
    return TitleMatch.near if _are_slips(only_a, only_b) else TitleMatch.telling


def _alike(a: str, b: str) -> bool:
    return ratio(a, b, score_cutoff=_DIFFERENT) > 0


def _differing(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The words unique to each, except those written as one word in the other."""
    joined_a, joined_b = "".join(a), "".join(b)
    only_a, only_b = ([w for w in a if w not in b], [w for w in b if w not in a])
    if "".join(only_a) == "".join(only_b) and joined_a != joined_b:
        return [], []
    return only_a, only_b


def _sets_apart(word: str) -> bool:
    """Whether a title with this word belongs to another paper than the same title without it."""
    return word in _SETTING_APART or word in _NUMBERS or any(sign.isdigit() for sign in word)


def _is_part_of(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether one title is the beginning or end of the other: "Short report:", or a subtitle."""
    short, long = sorted((a, b), key=len)
    if len("".join(short)) < _PART_LETTERS or len(short) < _SHORT_WORDS:
        return False
    if short == long[: len(short)]:
        more = long[len(short) :]
    elif short == long[-len(short) :]:
        more = long[: -len(short)]
    else:
        return False
    return len(more) > 1 and not any(word in _SETTING_APART for word in more)


def _are_slips(only_a: list[str], only_b: list[str]) -> bool:
    """Whether each differing word has a similar one on the other side, function words aside."""
    left = [word for word in only_a if word not in _SMALL_WORDS]
    right = [word for word in only_b if word not in _SMALL_WORDS]
    if len(left) != len(right):
        return _are_one_word(left, right)
    return all(_is_slip(one, other) for one, other in zip(left, right, strict=True))


def _are_one_word(left: list[str], right: list[str]) -> bool:
    """Whether the same letters are split into words differently, up to one typing error."""
    one, other = "".join(left), "".join(right)
    return bool(one and other) and OSA.distance(one, other) <= 1


def _is_slip(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _SLIP_LETTERS:
        return False
    if OSA.distance(one, other, score_cutoff=1) <= 1:
        return True
    same = 0
    for x, y in zip(one, other, strict=False):
        if x != y:
            break
        same += 1
    # effusions, effusing; gynecology, gynaecology is one letter
    return same >= _SLIP_LETTERS and max(len(one), len(other)) - same <= 3


def _without_markup(title: str) -> str:
    return unicodedata.normalize("NFKD", _TAG.sub("", unescape(unescape(title))))


def _plain(title: str) -> str:
    if title.isascii() and not any(sign in title for sign in "\\<&$^_{"):
        return title.lower()
    text = _TAG.sub("", unescape(unescape(title)))
    text = _TEX_SIGNS.sub("", _MACRO.sub(_macro, _ACCENT.sub("", text)))
    text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).casefold().translate(_LETTERS)
    return _VARIANTS.sub(r"\1", text)


def _macro(found: re.Match[str]) -> str:
    name = found[1]
    if name in _TEX_STYLES:
        return ""
    return _TEX_LETTERS.get(name, name if len(name) < 3 else f"{name} ")


def _with_marks(text: str) -> str:
    """Only letters, digits and marks that belong to letters, such as the vowels of Devanagari; all
    else becomes spaces."""
    return "".join(
        sign if sign.isalnum() or unicodedata.category(sign)[0] == "M" else " " for sign in text
    )


def _is_dense(title: str) -> bool:
    return sum(unicodedata.east_asian_width(sign) == "W" for sign in title) >= 10
