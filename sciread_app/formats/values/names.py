"""Names of people and organizations in bibliographies, and lists of them ("and others")."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from sciread_app.domain.paper import OTHERS, Author, is_truncation_mark

# Words that occur in no person's name: a name with one of them, and no comma, is an organization.
_BODY_WORDS = (
    "of the for and on in group society university organization organisation committee "
    "consortium association institute institution agency collaboration network centre center "
    "council department ministry office team project initiative foundation commission inc ltd "
    "company corporation federation investigators study trial panel board health"
)
_BODY = frozenset(_BODY_WORDS.split())
_NEVER_A_NAME = frozenset(["of", "the", "for"])
# "V." is an initial: Anna K. V.
_JUNIOR = re.compile(r"(?:jr|sr|ii|iii|iv|vi{1,3})\.?|v", re.I)
_INITIALS = re.compile(r"[^\W\d_](?:[\s.\-‐]*[^\W\d_]){0,3}\.?")
# Only at the start of a gap: else one of a million spaces would be tried from each of them.
_AND = r"(?<!\s)\s+and(?=\s)"
# `B Balakrisnan`: initials, then a name.
_GIVEN_FIRST = re.compile(r"(?:[^\W\d_](?:\.-?\s*|\s+))+[^\W\d_]{2}.*")


def split_people(text: str) -> tuple[list[str], bool]:
    """The names in a field of people other than the authors, and whether it ends with `and
    others`."""
    people = [name for name in text.split(" and ") if name.strip()]
    others = bool(people) and is_truncation_mark(people[-1])
    return people[:-1] if others else people, others


def split_list(text: str) -> tuple[list[str], bool]:
    """The names in a BibTeX list, and whether it ends with `and others`."""
    if "{" in text:
        names = _split_grouped(text, re.compile(rf"{_AND}|[{{}}]", re.I))
    else:
        names = re.split(_AND, text, flags=re.I)
    if len(names) == 1 and ";" in text:
        names = _split_grouped(text, re.compile(r"[;{}]"))
    names = [name.strip() for name in names]
    others = bool(names) and is_truncation_mark(names[-1])
    return [name for name in (names[:-1] if others else names) if name], others


def _split_grouped(text: str, marks: re.Pattern[str]) -> list[str]:
    """Split at every match outside of braces."""
    parts, depth, start = [], 0, 0
    for mark in marks.finditer(text):
        if mark[0] == "{":
            depth += 1
        elif mark[0] == "}":
            depth = max(depth - 1, 0)
        elif depth == 0:
            parts.append(text[start : mark.start()])
            start = mark.end()
    return [*parts, text[start:]]


def parse(name: str, plain: Callable[[str], str]) -> list[Author]:
    """The authors in one name of a BibTeX list.

    Braces in `name` group their content, and `plain` removes them. Mostly one; some exporters omit
    `and` and separate a whole list by commas.
    """
    if name.startswith("{") and _whole_group(name):
        return [Author(plain(name), literal=True)]
    parts = _split_grouped(name, _COMMAS) if "{" in name else name.split(",")
    if len(parts) == 1:
        words = _words(name)
        if not _NEVER_A_NAME.isdisjoint(words):
            return [Author(plain(name), literal=True)]
        return [_first_last(words, plain)]
    parts = [part.strip() for part in parts]
    if all(_GIVEN_FIRST.fullmatch(part) for part in parts):
        return [_first_last(_words(part), plain) for part in parts]
    if len(parts) > 3:
        parts = [part for part in parts if part]
        return _comma_separated(parts, plain)
    if len(parts) == 3:
        family, suffix, given = parts
        if _JUNIOR.fullmatch(given) and not _JUNIOR.fullmatch(suffix):
            suffix, given = given, suffix
        return [_last_first(family, given, suffix, plain)]
    return [_last_first(parts[0], parts[1], "", plain)]


_COMMAS = re.compile(r"[,{}]")
_BLANKS = re.compile(r"\s+|[{}]")


def _words(text: str) -> list[str]:
    if "{" not in text:
        return text.split()
    return [word for word in _split_grouped(text, _BLANKS) if word]


def _whole_group(name: str) -> bool:
    """Whether the first brace is closed only by the last character."""
    depth = 0
    for i, letter in enumerate(name):
        depth += (letter == "{") - (letter == "}")
        if depth == 0:
            return i == len(name) - 1
    return False


def _is_lower(word: str) -> bool:
    """Whether this is a particle such as `von`: lower case, and not in braces."""
    if word[0] == "{":
        return len(word) > 2 and word[2] == "}" and word[1].islower()
    return word[0].islower() or (word[0] in "'’`" and word[1:2].islower())


def _first_last(words: list[str], plain: Callable[[str], str]) -> Author:
    """`First von Last`: all before the first lower-case word is given, the last is family."""
    suffix = words.pop() if len(words) > 2 and _JUNIOR.fullmatch(words[-1]) else ""
    first = next((i for i, word in enumerate(words[:-1]) if _is_lower(word)), None)
    if first is None:
        return Author(plain(words[-1]), plain(" ".join(words[:-1])), "", suffix)
    last = next(i for i in range(len(words) - 2, -1, -1) if _is_lower(words[i])) + 1
    given, von, family = words[:first], words[first:last], words[last:]
    return Author(plain(" ".join(family)), plain(" ".join(given)), plain(" ".join(von)), suffix)


def _last_first(family: str, given: str, suffix: str, plain: Callable[[str], str]) -> Author:
    words = _words(family)
    von = 0
    while von < len(words) - 1 and _is_lower(words[von]):
        von += 1
    return Author(
        plain(" ".join(words[von:])), plain(given), plain(" ".join(words[:von])), plain(suffix)
    )


def _comma_separated(parts: list[str], plain: Callable[[str], str]) -> list[Author]:
    """The authors of `Smith, SR, Newton, K, Hill, J` or `Jane Smith, Al Newton, Bo Hill, Cy
    Doe`."""
    if len(parts) % 2 == 0 and all(_INITIALS.fullmatch(part) for part in parts[1::2]):
        pairs = zip(parts[::2], parts[1::2], strict=True)
        return [_last_first(family, given, "", plain) for family, given in pairs]
    if all(" " in part for part in parts):
        return [_first_last(_words(part), plain) for part in parts]
    return [_last_first(parts[0], ", ".join(parts[1:]), "", plain)] if parts else []


def from_plain(name: str) -> Author:
    """An author in a format without braces: `Last, First, Jr`, where organizations end with a
    comma.

    That comma is EndNote's custom; most exporters omit it, so that a name of several words is an
    organization if one of them indicates so.
    """
    name = " ".join(name.split())
    family, comma, given = name.partition(",")
    if comma and not given.strip():
        return Author(family.strip(), literal=True)
    if not comma:
        words = name.split()
        if len(words) > 4 or any(word.lower().strip(".") in _BODY for word in words):
            return Author(name, literal=True)
        return _first_last(words, str)
    given, _, suffix = given.partition(",")
    if " " not in family and not suffix:
        return Author(family, given.strip())
    return _last_first(family, given.strip(), suffix.strip(), str)


def to_plain(author: Author) -> str:
    """The inverse of `from_plain`."""
    if author.literal:
        return f"{author.family},"
    if not author.given and not author.suffix:
        return author.last_name
    parts = [author.last_name, author.given, author.suffix]
    return ", ".join(parts if author.suffix else parts[:2])


def to_bibtex(authors: Iterable[Author], encode: Callable[[str], str], *, others: bool) -> str:
    """The inverse of `split_list` and `parse`."""
    names = [_bibtex_name(author, encode) for author in authors]
    return " and ".join([*names, OTHERS] if others else names)


def _bibtex_name(author: Author, encode: Callable[[str], str]) -> str:
    if author.literal:
        return f"{{{encode(author.family)}}}"
    family = _grouped(author.family, encode)
    if " " in author.family and _is_lower(author.family) and family[0] != "{":
        family = f"{{{family}}}"
    last = f"{encode(author.particle)} {family}".strip()
    given = _grouped(author.given, encode)
    if _GIVEN_FIRST.fullmatch(last) and _GIVEN_FIRST.fullmatch(given):
        last = f"{{{last}}}"  # else these would be two: B Balakrisnan, K Smith
    if author.suffix:
        return f"{last}, {_grouped(author.suffix, encode)}, {given}"
    if given:
        return f"{last}, {given}"
    # Without its comma, a family name of several words would be split, and one in braces would be
    # an organization.
    return f"{last}," if " " in last or last[0] == "{" else last


def _grouped(name: str, encode: Callable[[str], str]) -> str:
    encoded = encode(name)
    apart = "," in name or ";" in name or re.search(r"(?:^|\s)and(?:\s|$)", name, re.I)
    return f"{{{encoded}}}" if apart else encoded
