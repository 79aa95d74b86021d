"""Parser of author lists in plain text, as written by arXiv, journals and old catalogs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from sciread_app.domain.paper import Author
from sciread_app.formats.values import names
from sciread_app.formats.values.markup import prose

# Characters and words other than names and commas, which need the slow parser.
_ODD = re.compile(
    r"[^\w\s.,'’-]|\d|_|--|\s-|,\s*,|[a-z]\s+(?:for|on behalf)\s|\bal\b|\bothers\b|^\s*,|"
    r"\b(?:[JS]r|JR|SR|jr|sr|II|III|IV|[Tt]he|for)\b|ollaborat|onsorti|[Tt]eam\b|[Gg]roup\b|"
    r"ontributors|roject\b|ommittee"
)
_SUFFIX = re.compile(r"[JS]r\.?|JR\.?|SR\.?|[js]r\.|I{2,3}|IV")
_COMMA_BEFORE_SUFFIX = re.compile(r",\s*(?=(?:[JS]r|JR|SR|III?|[js]r\.)(?:[\s.,;]|$))")
_BETWEEN = re.compile(r"\s*,(?:\s*(?:and|&)\s)?\s*|\s+(?:and|&)\s+")
# Only at the start of a gap, so that a long one is not tried from each of its commas.
_ET_AL = re.compile(
    r"(?<![\s,])[\s,]*(?:\bet\.?\s*al\b\.?|\b(?:and )?others\b)[\s.]*$", re.IGNORECASE
)
_ON_BEHALF = re.compile(
    r",?\s+(?:(?:and\s+)?(?:for|on behalf of)(?:\s+the)?|and\s+the)\s+", re.IGNORECASE
)
_SPEAKS_FOR = re.compile(r"^(?:and\s+)?(?:(?:for|on behalf of)(?:\s+the)?|the)\s+", re.IGNORECASE)
_BODY = re.compile(
    r"collaborat|consorti|\bteam\b|\bgroups?\b|contributors|\bproject\b|committee|experiment\b|"
    r"\bnetwork\b|initiative|society|universit|institut|laborator|organi[sz]ation|department|"
    r"investigators|working party|task force",
    re.IGNORECASE,
)
_INSTITUTIONS = re.compile(r"\s*\(\s*\(.*$", re.DOTALL)
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_OF_MARKS = re.compile(r"[\d,\[]")
_LAST_BRACKET = re.compile(r"\s*\([^()]*\)?\s*$")
_MARK = re.compile(r"[\d*†‡§¶^$~#|<>=+_/\\\"]+")
_INITIALS = re.compile(r"(?:[^\W\d_](?:\.|\b)[\s-]*)+")
_ENDS_IN_INITIAL = re.compile(r"(?:^|[\s.,-])[^\W\d_]\.?(?:\s[JS]r\.)?$")
_COMMON_WORD = r"[A-ZÀ-Þ][A-Za-zÀ-ɏ.'’-]*"
_COMMON_NAME = re.compile(rf"({_COMMON_WORD}(?: {_COMMON_WORD})*) ({_COMMON_WORD})")
_NO_FAMILY_NAME = frozenset((
    "Jr", "Jr.", "Sr", "Sr.", "II", "III", "IV", "Collaboration", "Contributors", "Team",
    "Group", "Project",
))  # fmt: skip
_GLUED_INITIALS = re.compile(r"(\S*[^\W\d_]\.)([^\W\d_][^.\s]+(?:\s.*)?)")
_ONE_FAMILY_NAME = re.compile(r"(?:[^\W\dA-Z_][\w'’]*\s){0,3}[^\s]+")
_ONE_GIVEN_NAME = re.compile(r"[^\s]+(?:\s[JS]r\.?)?")
_HYPHENS = re.compile(r"(?<=\.)\s+-+\s*|\s*-{2,}\s*|(?<=\w)\s+-(?=\w)")
_CUT_ENTITY = re.compile(r"&#?\w+$")


def authors(value: object) -> tuple[Author, ...]:
    """The authors in `value`, a line or a list of names, in order."""
    if isinstance(value, str):
        line = prose(value)
        return tuple(_common(line) or _in_line(line))
    if isinstance(value, Sequence):
        whole = _mended(name for name in value if isinstance(name, str))
        return tuple(author for name in whole for author in _in_item(prose(name)))
    return ()


@lru_cache(maxsize=1 << 15)
def person(name: str) -> Author:
    """One name, given name first ("J.-A. van der Berg Jr") or last ("van der Berg, J.-A.")."""
    family, comma, given = name.partition(",")
    if comma:
        words = given.replace(",", " ").split()
        suffix = words.pop() if len(words) > 1 and _SUFFIX.fullmatch(words[-1]) else ""
        parts = (family, suffix, " ".join(words)) if suffix else (family, " ".join(words))
        return names.parse(", ".join(parts), str)[0]
    if name.islower():
        given, _, family = name.rpartition(" ")
        return Author(family, given)
    if match := _GLUED_INITIALS.fullmatch(name):
        name = f"{match[1]} {match[2]}"
    return names.parse(name, str)[0]


def split_particle(family: str) -> tuple[str, str]:
    """The lower-case particle of a family name ("van der"), and the name itself."""
    if family[:1].isupper() or " " not in family:
        return "", family
    words = family.split()
    count = next((i for i, word in enumerate(words) if not word[0].islower()), len(words) - 1)
    return " ".join(words[:count]), " ".join(words[count:])


def _common(line: str) -> list[Author]:
    """The result of `_in_line` for lines in the commonest form, else an empty list. Fast."""
    found = []
    for name in line.split(", "):
        match = _COMMON_NAME.fullmatch(name)
        if not match or "--" in name or match[2] in _NO_FAMILY_NAME or name.startswith("The "):
            return []
        found.append(Author(match[2], match[1]))
    return found


def _in_line(line: str) -> Iterator[Author]:
    odd = bool(_ODD.search(line))
    if odd:
        line = _tidy(line)
        parts = [part.strip(" ,") for part in line.split(";")]
        if len(parts) > 1 and all(part.count(",") <= 1 for part in parts):
            for part in parts:
                yield from _in_item(part)
            return
        line = line.replace(";", ",")
    if _is_inverted(line):
        yield from _inverted(line)
        return
    for name in _BETWEEN.split(line):
        if odd:
            yield from _odd_name(name)
        elif any(map(str.isalpha, name)):
            yield person(name)


def _in_item(item: str) -> Iterator[Author]:
    """The authors in one item of a list; one, unless an organization is named with a person."""
    if item.count(",") > 1:
        yield from _in_line(item)
    elif not _ODD.search(item):
        if item.strip(" ,.-"):
            yield person(item)
    else:
        yield from _odd_name(_tidy(item))


def _tidy(line: str) -> str:
    line = _INSTITUTIONS.sub("", line)
    line = _BRACKETED.sub(lambda found: " " if _OF_MARKS.search(found[0]) else found[0], line)
    line = " ".join(line.split())  # the patterns below would try a long gap from each of its spaces
    line = _ET_AL.sub("", line)
    line = _COMMA_BEFORE_SUFFIX.sub(" ", line)
    line = line.replace("{", "").replace("}", "").replace("\\and ", ", ")
    return _HYPHENS.sub("-", line)


def _odd_name(name: str) -> Iterator[Author]:
    person_name, body = _split_body(name)
    clean = _MARK.sub(" ", _LAST_BRACKET.sub("", person_name))
    clean = " ".join(clean.split()).strip(" ,;:-")
    if any(c.isalpha() for c in clean):
        yield person(clean)
    if any(c.isalpha() for c in body):
        yield Author(body, literal=True)


def _split_body(name: str) -> tuple[str, str]:
    """The person in `name`, and the organization: "Ann Lee for the CMS Collaboration" has both."""
    name = name.strip(" ,;:")
    body = _SPEAKS_FOR.sub("", name)
    if body != name:
        return "", body
    before, *after = _ON_BEHALF.split(name, maxsplit=1)
    if after and not _BODY.search(before):
        return before, after[0].strip(" ,")
    return ("", name) if _BODY.search(name) else (name, "")


def _is_inverted(line: str) -> bool:
    """Whether family names come first. "Ng, A. Li, B." has one first; "Ann Ng, B. Li" has not."""
    first, *others = [segment.strip() for segment in line.split(",")]
    if not others or "." in first or not _ONE_FAMILY_NAME.fullmatch(first):
        return False
    if any(_ENDS_IN_INITIAL.search(segment) for segment in others):
        return True
    return len(others) == 1 and bool(_ONE_GIVEN_NAME.fullmatch(others[0]))


def _inverted(line: str) -> Iterator[Author]:
    for chunk in re.split(r"\s+(?:and|&)\s+", line):
        family, *rest = [segment.strip() for segment in chunk.split(",")]
        while rest:
            given, following = _given_and_next(rest.pop(0), last=not rest)
            if family:
                yield person(f"{family}, {given}")
            family = following or (rest.pop(0) if rest else "")
        if family:
            yield person(family)


def _given_and_next(segment: str, *, last: bool) -> tuple[str, str]:
    """A given name, and the next family name if no comma separates them: "R. K. Sun"."""
    words = segment.split()
    if last or len(words) < 2 or _INITIALS.fullmatch(segment) or _SUFFIX.fullmatch(words[-1]):
        return segment, ""
    first = len(words) - 1
    while first > 1 and words[first - 1].islower() and "." not in words[first - 1]:
        first -= 1
    return " ".join(words[:first]), " ".join(words[first:])


def _mended(names: Iterable[str]) -> Iterator[str]:
    """Names, those rejoined that were split at the semicolon of "&scaron;"."""
    whole = ""
    for name in names:
        whole += name
        if _CUT_ENTITY.search(whole):
            whole += ";"
            continue
        yield whole
        whole = ""
    if whole:
        yield whole
