"""Names in the lines of a byline, from their separators and marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sciread_app.domain.paper import Author
from sciread_app.formats.pdf.metadata.byline.lexicon import AFFILIATION, is_initials, word_score
from sciread_app.formats.pdf.metadata.byline.names import (
    SegmentKind,
    author_of,
    has_shape_of_name,
    kind_of,
    without_titles,
)
from sciread_app.formats.pdf.metadata.layout import LOWERED, RAISED
from sciread_app.formats.pdf.metadata.text_cleanup import SOFT_HYPHEN

MARK = "\ue002"  # stands for the marks after a name
_RAISED = re.compile(rf"{RAISED}[^{LOWERED}]*{LOWERED}?")
# Digits and symbols set at full size beside a name.
# An accent that its letter has lost: TeX places some beside the word.
_STRAY_ACCENT = re.compile(r"(?<=\w)\s?[´`ˆ˜¨¸ˇ˚˝˙˘¯](?!\w)")
_FULL_SIZE_MARKS = re.compile(
    # "(B)" is an envelope in a font of symbols.
    r"(?:\(\s*[B✉*∗]\s*\)"
    r"|\(\s*\d{1,2}(?:\s*,\s*\d{1,2})*\s*\)|\[\d{1,2}(?:,\s?\d{1,2})*\]|[\d*∗†‡§¶‖∥⋆★☆✩♯♮#✉✝⊠\ufffd"
    r"\u2709\ue000-\uf8ff\u00b9\u00b2\u00b3\u2070-\u2079◦♢△▽⋄⊥¹²³]"
    rf"|(?<=[*∗†‡§¶{MARK}])\s*,(?=\s*[\d*∗†‡§¶])|(?<=\d),(?=\d)|(?<![^\W\d_A-Z])iD\b|(?<=[^\W\d_A-Z])iD(?![^\W\d_])|\bORCID\b)+"
)
# {ann, bob}@example.org, ann@example.org, an address on the web
_EMAIL = re.compile(
    r"[({\[<]{1,2}[^(){}<>\[\]]{1,300}[)}\]>]{1,2}\s*@\s*[^\s,;]+|https?://\S+|[^\s,;]*@\s*[^\s,;]*"
)
_LEADING = re.compile(
    r"^\W*(?:written\s+by|vorgelegt\s+von|eingereicht\s+von|submitted\s+by|authors?\s*(?:\(s\))?\s*:|autor(?:es|en)?\s*:|"
    # "Di" and "Par" are given names, too.
    r"presented\s+by|présentée?\s+par|by\s*:?)\s+(?-i:(?=[^\W\d_a-z]))"
    # "von Stein" is the end of a name.
    r"|^\W*(?-i:[Vv]on|[Pp]ar|[Pp]or|[Dd]i)\s+(?-i:(?=[^\W\d_a-z][\w.'’-]*\s+[^\W\d_a-z]))",
    re.I,
)
_SEPARATOR = re.compile(
    # Short words of other languages are separators only after a mark.
    rf"\s*(?:[,;，、；|•·∙⋅/]|{MARK}\s*(?:e|y|i|en|och|og|és|ja|ve)(?=\s+[^\W\d_a-z])|{MARK}|(?<!\w)&|&(?!\w)"
    r"|(?<!\w)(?:and|AND|And|und|et|и)(?!\w)|\s[–—-]\s)\s*"
)
# "(Senior Member, IEEE)", which may go on in the next line.
_MEMBER = re.compile(
    r"\(\s*(?:(?:senior|student|graduate|life|associate)\s+)*(?:member|fellow)\b[^()]*(?:\)|$)",
    re.I,
)
ET_AL = re.compile(r"\bet\.?\s+al\b\.?|\band\s+others\b", re.I)


_MOST_INITIALS = 3
_FAMILY = 8.0  # the score of a word that is a family name, in decibels
_LIST = 3  # names, at least, that make a list in which others are names, too
ADDITIONS = (SegmentKind.degree, SegmentKind.suffix)
_OF_PEOPLE = (SegmentKind.name, *ADDITIONS)


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of a text between separators."""

    texts: tuple[str, ...]
    kinds: tuple[SegmentKind, ...]
    cut_at: bool = False  # whether an affiliation follows the names on the same line

    @property
    def names(self) -> int:
        return sum(kind in (SegmentKind.name, SegmentKind.organization) for kind in self.kinds)

    @property
    def doubtful(self) -> int:
        return sum(kind is SegmentKind.maybe for kind in self.kinds)

    @property
    def others(self) -> int:
        return sum(kind in (SegmentKind.other, SegmentKind.part) for kind in self.kinds)


def marked_text(text: str) -> str:
    """The text with every run of marks as one MARK, without addresses and the word before names."""
    text = _RAISED.sub(MARK, text.replace(SOFT_HYPHEN, "-"))
    text = _EMAIL.sub(" ", _STRAY_ACCENT.sub("", text))
    text = _FULL_SIZE_MARKS.sub(MARK, text)
    text = re.sub(rf"{MARK}[\s,]*(?={MARK})", "", text)
    return " ".join(_LEADING.sub("", text).split())


def begins_with_mark(text: str) -> bool:
    """Whether a line begins as an affiliation does: with a number, letter or symbol of its own, not
    with the mark of a name that ends the line above."""
    if re.match(rf"\W*{RAISED}[^{LOWERED}]*{LOWERED}\s*(?:[,;&|·•]|and\b)", text):
        return False
    return bool(
        re.match(rf"\W*{RAISED}|\(?[\d*∗†‡§¶‖]{{1,2}}[).\s]?\s*[^\W\d_]|\(?[a-z]\)\s", text)
    )


def pieces_of(text: str, *, is_marked: bool = False) -> Pieces:
    """The pieces of a text prepared by `marked_text`.

    `is_marked` is whether the names beside it have marks; then unknown words with one may be a
    name.
    """
    text = _MEMBER.sub("", ET_AL.sub("", text))
    if ";" in text and all(part.count(",") == 1 for part in text.split(";") if part.strip()):
        return _inverted_pieces(
            [part for part in text.replace(MARK, "").split(";") if part.strip()]
        )
    parts = [part.strip(" .:") if len(part.strip()) > 3 else part.strip() for part in _split(text)]
    parts = [part for part in parts if any(map(str.isalpha, part))]
    if inverted := _initials_after(parts):
        return inverted
    kinds = [kind_of(part) for part in parts]
    if kinds.count(SegmentKind.name) >= _LIST or is_marked:
        kinds = [
            SegmentKind.maybe if kind is SegmentKind.other and _is_marked(part, text) else kind
            for part, kind in zip(parts, kinds, strict=True)
        ]
    if is_marked and SegmentKind.name in kinds:
        kinds = [
            SegmentKind.maybe if place and _is_single_name(part, kind, text) else kind
            for place, (part, kind) in enumerate(zip(parts, kinds, strict=True))
        ]
    if _is_inverted(parts, kinds):
        return _inverted_pieces([text.replace(MARK, "")])
    first = next((i for i, kind in enumerate(kinds) if kind is SegmentKind.other), None)
    if first and kinds[0] is SegmentKind.name and AFFILIATION.search(" ".join(parts[1:])):
        end = next(i for i, kind in enumerate(kinds) if kind not in _OF_PEOPLE)
        return Pieces(tuple(parts[:end]), tuple(kinds[:end]), cut_at=True)
    return Pieces(tuple(parts), tuple(kinds))


def _is_marked(part: str, text: str) -> bool:
    """Whether a piece with unknown words is set like the names beside it, with a mark after it."""
    is_followed = re.search(rf"{re.escape(part)}[\s,.]*{MARK}", text)
    return bool(is_followed) and has_shape_of_name(part)


def _is_single_name(part: str, kind: SegmentKind, text: str) -> bool:
    """Whether a piece of one word is a whole name, set like the others with a mark after it."""
    is_followed = re.search(rf"{re.escape(part)}[\s,.]*{MARK}", text)
    is_word = len(part) > 2 and part[0].isupper() and part[1:].islower()
    return kind is SegmentKind.part and is_word and bool(is_followed)


def _is_inverted(parts: Sequence[str], kinds: Sequence[SegmentKind]) -> bool:
    """ "Lovelace, Ada", and "Boyer, Timothy H."."""
    if kinds == [SegmentKind.part, SegmentKind.part]:
        return all((word_score(part) or 0) > 6 for part in parts)
    words = parts[1].split() if kinds == [SegmentKind.part, SegmentKind.name] else []
    return len(words) > 1 and not is_initials(words[0]) and all(map(is_initials, words[1:]))


def _split(text: str) -> list[str]:
    """Split at separators, but not "Santiago Ramón y Cajal"."""
    parts: list[str] = []
    for part in _SEPARATOR.split(text):
        halves = re.split(r"\s[ye]\s", part)
        parts += halves if len(halves) > 1 and all(" " in half for half in halves) else [part]
    return parts


def _inverted_pieces(parts: Sequence[str]) -> Pieces:
    turned = []
    for part in parts:
        family, _, given = part.strip(" ,").partition(",")
        turned.append(f"{given.strip()} {family.strip()}")
    return Pieces(tuple(turned), tuple(kind_of(part) for part in turned))


def _initials_after(parts: Sequence[str]) -> Pieces | None:
    """ "Smith J, Lee AB", and "Smith, J., Lee, A. B."; None for any other list."""
    turned = []
    for part in parts:
        words = part.split()
        if not (
            len(words) > 1
            and re.fullmatch(r"(?![^\W\d_a-z]{4})(?:[^\W\d_a-z]\.?[-\s]?){1,4}", words[-1])
        ):
            break
        if is_initials(words[0]):
            break
        given = " ".join(f"{letter}." for letter in words[-1] if letter.isalpha())
        turned.append(f"{given} {' '.join(words[:-1])}")
    else:
        # Hao FANG has a family name in capitals, and no initials.
        families = sum((word_score(part.split()[-1]) or 0) > 8 for part in parts)
        if turned and families <= len(parts) / 2 and not any(map(str.isupper, parts)):
            return Pieces(tuple(turned), tuple(kind_of(part) for part in turned))
    if len(parts) > 1 and len(parts) % 2 == 0:
        pairs = list(zip(parts[::2], parts[1::2], strict=True))
        if all(
            all(map(is_initials, given.split()))
            and not is_initials(family.split()[0])
            and kind_of(given) is not SegmentKind.suffix
            # "Ann Lee, MD, Ben Cho, MD" has degrees, and "Lee, MD, Cho, BS" may have initials.
            and not (kind_of(given) is SegmentKind.degree and kind_of(family) is SegmentKind.name)
            for family, given in pairs
        ):
            turned = [f"{given} {family}" for family, given in pairs]
            return Pieces(tuple(turned), tuple(kind_of(part) for part in turned))
    return None


def authors_of(pieces: Pieces) -> list[Author]:
    """The authors among the pieces; a suffix belongs to the name before it."""
    found: list[Author] = []
    in_capitals = _families_in_capitals(pieces)
    for text, kind in zip(pieces.texts, pieces.kinds, strict=True):
        if kind is SegmentKind.suffix and found:
            found[-1] = found[-1]._replace(suffix=text)
        elif kind in (
            SegmentKind.name,
            SegmentKind.maybe,
            SegmentKind.organization,
        ) and without_titles(text):
            found.append(author_of(text, family_in_capitals=in_capitals))
    return found


def _families_in_capitals(pieces: Pieces) -> bool:
    """Whether all names have a word in capitals beside one in small letters: XU Wei, MARTIN Alice.

    One alone may have initials, as "AB Martin" has.
    """
    names = [
        text.split()
        for text, kind in zip(pieces.texts, pieces.kinds, strict=True)
        if kind in (SegmentKind.name, SegmentKind.maybe)
    ]
    capitals = [[word for word in words if word.isupper() and len(word) > 1] for words in names]
    if len(names) < 2 or not all(
        found and "." not in "".join(found) and any(not w.isupper() for w in words)
        for found, words in zip(capitals, names, strict=True)
    ):
        return False
    return all(
        any(len(word) > _MOST_INITIALS or (word_score(word) or 0) > _FAMILY for word in found)
        for found in capitals
    )
