"""The language of the search box: what is typed, as words, conditions and a text to encode."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sciread_app.domain.paper import Identifier
from sciread_app.domain.pasted import pasted_identifier
from sciread_app.errors import BadQuery

# Fields that are looked up in the text index, and the columns of it that they mean.
TEXT_FIELDS = {
    "text": ("title", "abstract", "authors", "venue", "keywords", "notes", "body"),
    "title": ("title",),
    "abstract": ("abstract",),
    "author": ("authors",),
    "venue": ("venue",),
    "keyword": ("keywords",),
    "notes": ("notes",),
}
CHOICES = {"is": ("unread", "read"), "has": ("pdf", "abstract", "notes")}
FIELDS = (*TEXT_FIELDS, "year", "cat", "tag", "in", *CHOICES)
ALIASES = {
    "authors": "author",
    "journal": "venue",
    "keywords": "keyword",
    "note": "notes",
    "category": "cat",
    "collection": "in",
}
# In lower case these may be followed by a space before their value. The others stand like that in
# titles and pasted text ("Title: a subtitle"), and are left as they are.
_SPACED = ("author", "venue", "year", "cat", "tag")

# From here on a text was pasted rather than typed, and nothing in it is an operator.
PASTED_WORDS = 25
SHORTEST_PREFIX = 3

_STOP_WORDS = """
    a about above after again against all also am among an and any are as at be because been
    before being between both but by can cannot could did do does doing down during each either
    etc few for from further had has have having he her here hers him his how however i if in into
    is it its itself just may me might more most must my no nor not of off on once only or other
    our ours out over own per same shall she should so some such than that the their theirs them
    then there therefore these they this those through thus to too under until up upon us very via
    was we were what when where whether which while who whom whose why will with within without
    would yet you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(
    r"""(?P<minus>(?<!\S)-(?=[^\s\d-]))?
        (?:(?P<field>[A-Za-z]+):)?
        (?:"(?P<quoted>[^"]*)(?P<close>"?)(?P<star>\*)? | (?P<bare>[^\s"()][^\s()]*))?""",
    re.VERBOSE,
)
_YEARS = re.compile(r"(?P<first>\d{4})?(?P<range>\.\.+|-)?(?P<last>\d{4})?")
_YEAR_LIMIT = re.compile(r"(?P<sign>[<>]=?)(?P<year>\d{4})")
_QUOTES = str.maketrans("“”„‟«»", '"' * 6)
_EXAMPLES = {
    "author": 'author:curie or author:"van der Berg"',
    "venue": "venue:nature",
    "year": "year:2015, year:2015..2019 or year:>=2015",
    "cat": "cat:cs.CL",
    "tag": 'tag:"to read"',
    "in": "in:thesis/methods",
}
_AROUND_AUTHOR = 3  # words that may stand between the parts of a name


class Condition(NamedTuple):
    """Something a paper must meet, or must not (`negated`).

    `value` depends on `field`, which is one of FIELDS. Alternatives are separated by line breaks.
    - text, title, abstract, author, venue, keyword, notes: words; `expression` finds them.
    - year: "2015..2019", "2015..", "..2019" (see `years`).
    - cat: a subject without regard to case. "cs" holds "cs.CL" too; "cs.*" is the same.
    - tag: its name; in: the path of a collection, which holds those below it.
    - is: read, unread. has: pdf, abstract, notes.
    """

    field: str
    value: str
    negated: bool = False

    @property
    def alternatives(self) -> tuple[str, ...]:
        return tuple(self.value.split("\n"))

    @property
    def expression(self) -> str:
        """The FTS5 expression that finds it, whatever `negated` says; empty if not for FTS5."""
        if self.field not in TEXT_FIELDS:
            return ""
        find = _name if self.field == "author" else _phrase
        columns = "" if self.field == "text" else f"{{{' '.join(TEXT_FIELDS[self.field])}}} : "
        return " OR ".join(f"{columns}{find(text)}" for text in self.alternatives)

    @property
    def years(self) -> tuple[int, int]:
        """First and last year of a `year` condition, 0 and 9999 where it is open."""
        first, _, last = self.value.partition("..")
        return int(first or 0), int(last or 9999)


class Term(NamedTuple):
    """A word or a phrase (words with blanks between) that ranks papers; `prefix`: its beginning."""

    text: str
    prefix: bool = False

    @property
    def expression(self) -> str:
        return _phrase(f"{self.text}*" if self.prefix else self.text)


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked for.

    `terms` rank by words, each as often as it was said; `meaning` is what the model encodes
    (empty if there is nothing to encode); `conditions` must be met. With an `identifier` the rest
    is empty: one paper is meant.
    """

    text: str
    terms: tuple[Term, ...] = ()
    conditions: tuple[Condition, ...] = ()
    meaning: str = ""
    identifier: Identifier | None = None
    pasted: bool = False  # a whole abstract: more meaning than words


class _Part(NamedTuple):
    """One thing in the box. Plain words have no field."""

    field: str
    value: str
    negated: bool
    required: bool  # quoted, or joined by OR: must be there


def parse(text: str) -> Query:
    """Understand what is in the search box. Raises BadQuery, and nothing else."""
    text = _tidy(text)
    if found := pasted_identifier(text):
        return Query(text, identifier=found)
    if text and not _WORD.search(text):
        raise BadQuery(
            f"“{_short(text)}” holds no letters or digits to look for.",
            "Type some words, such as: graph neural networks",
        )
    if len(text.split()) >= PASTED_WORDS:
        return Query(text, terms=terms_of(text), meaning=text, pasted=True)
    parts = _joined(_parts(text))
    ranking = [p for p in parts if not p.negated and p.field in ("", "text", "title", "abstract")]
    return Query(
        text,
        terms=_terms(ranking),
        conditions=tuple(
            dict.fromkeys(
                Condition(p.field or "text", p.value, p.negated)
                for p in parts
                if p.field or p.negated or p.required
            )
        ),
        meaning=_meaning(ranking),
    )


def terms_of(text: str) -> tuple[Term, ...]:
    """What of a plain text ranks by words."""
    return _terms([_Part("", text, False, False)])


def any_of(terms: Iterable[Term]) -> str:
    """The FTS5 expression for papers that hold at least one of these terms."""
    return " OR ".join(term.expression for term in terms)


def words_in(text: str) -> list[str]:
    """The words of a text as the text index cuts them, in order, in lower case."""
    return [word.lower() for word in _WORD.findall(unicodedata.normalize("NFC", text))]


def _tidy(text: str) -> str:
    text = unicodedata.normalize("NFC", text).translate(_QUOTES)
    return " ".join(text.replace("\0", " ").split())


def _parts(text: str) -> list[_Part | str]:
    """The things in the box, in order; AND, OR and NOT come as they are."""
    parts: list[_Part | str] = []
    position = 0
    while position < len(text):
        match = _PART.match(text, position)
        if match is None or match.end() == position:
            position += 1  # a blank, a bracket, a lone minus
            continue
        position = match.end()
        if match["bare"] in ("AND", "OR", "NOT") and not match["field"] and not match["minus"]:
            parts.append(match["bare"])
        elif match["field"] and _field(match["field"]):
            value, position = _value(match, text)
            parts += _field_part(match, value)
        else:
            parts += _plain_part(match)
    return parts


def _field(name: str) -> str:
    """The field of this name, or an empty string: "10:30" and "Re: x" are plain words."""
    name = ALIASES.get(name.lower(), name.lower())
    return name if name in FIELDS and name != "text" else ""


def _value(match: re.Match[str], text: str) -> tuple[str, int]:
    """What stands behind the colon, and where in `text` it ends."""
    _closed(match)
    if match["quoted"] is None and match["bare"] is None and match["field"] in _SPACED:
        later = re.compile(r'\s+(?:"([^"]+)"|([^\s"()]+))').match(text, match.end())
        if later is None:
            raise BadQuery(
                f"Nothing stands behind “{match[0]}”.",
                f"For example: {_EXAMPLES[_field(match['field'])]}",
            )
        return later[1] or later[2], later.end()
    return (match["quoted"] or match["bare"] or "") + (match["star"] or ""), match.end()


def _field_part(match: re.Match[str], value: str) -> list[_Part]:
    field, negated = _field(match["field"]), bool(match["minus"])
    if not value and match["quoted"] is None:  # "Title: a subtitle"
        return [_Part("", match["field"], negated, False)]
    if field == "year":
        value = _years(match[0].strip(), value)
    elif field in CHOICES:
        value = value.lower()
        if value not in CHOICES[field]:
            forms = " or ".join(f"{field}:{choice}" for choice in CHOICES[field])
            raise BadQuery(f"“{field}:{value}” is not something to ask for.", f"Write {forms}.")
    elif field in TEXT_FIELDS:
        value = _words(match[0].strip(), value)
    elif not value.strip():
        raise BadQuery(f"Nothing stands in “{match[0]}”.", f"For example: {_EXAMPLES[field]}")
    return [_Part(field, value.strip(), negated, True)]


def _plain_part(match: re.Match[str]) -> list[_Part]:
    _closed(match)
    if match["quoted"] is None:
        value = f"{match['field'] or ''}{':' if match['field'] else ''}{match['bare'] or ''}"
        if not _WORD.search(value):
            return []
        if value.endswith("*"):
            # "A* search" is about an algorithm, not about everything that begins with an a.
            short = len(_WORD.findall(value)[-1]) < SHORTEST_PREFIX
            value = value.rstrip("*") if short else _words(value, value)
        return [_Part("", value, bool(match["minus"]), False)]
    words = [_Part("", match["field"], False, False)] if match["field"] else []
    if not _WORD.search(match["quoted"]):
        return words
    value = _words(match[0], match["quoted"] + (match["star"] or ""))
    return [*words, _Part("text", value, bool(match["minus"]), True)]


def _closed(match: re.Match[str]) -> None:
    if match["quoted"] is not None and not match["close"]:
        raise BadQuery(
            f"The quotation mark in “{_short(match[0])}” is never closed.",
            f'Write "{_short(match["quoted"].strip()) or "exact words"}", or leave the mark out.',
        )


def _words(part: str, value: str) -> str:
    """The words of a value with one blank between them, and its star."""
    found = _WORD.findall(value)
    star = value.rstrip().endswith("*")
    if not found:
        raise BadQuery(
            f"“{_short(part)}” holds no letters or digits to look for.",
            'Put words there, such as author:curie or "exact words".',
        )
    if star and len(found[-1]) < SHORTEST_PREFIX:
        raise BadQuery(
            f"“{_short(part)}” is the beginning of too many words.",
            f"Put at least {SHORTEST_PREFIX} letters before the star, such as photo*",
        )
    return " ".join(found) + ("*" if star else "")


def _years(part: str, value: str) -> str:
    value = value.replace("…", "..").replace("–", "-").replace(" ", "")
    if limit := _YEAR_LIMIT.fullmatch(value):
        year = int(limit["year"]) + {">": 1, "<": -1}.get(limit["sign"], 0)
        return f"{year}.." if limit["sign"].startswith(">") else f"..{year}"
    match = _YEARS.fullmatch(value)
    first, last = (match["first"] or "", match["last"] or "") if match else ("", "")
    if not match or not (first or last) or (last and not match["range"]):
        raise BadQuery(f"“{_short(part)}” holds no year.", f"For example: {_EXAMPLES['year']}")
    if first and last and first > last:
        raise BadQuery(
            f"“{_short(part)}” ends before it begins.", f"Did you mean year:{last}..{first}?"
        )
    return f"{first}..{last}" if match["range"] else f"{first}..{first}"


def _joined(parts: list[_Part | str]) -> list[_Part]:
    """Parts with NOT and OR carried out; AND says what is so anyway."""
    joined: list[_Part] = []
    join = negate = False
    for part in parts:
        if isinstance(part, str):
            join, negate = join or (part == "OR" and bool(joined)), negate or part == "NOT"
            continue
        if negate:
            part = part._replace(negated=not part.negated)
        joined.append(_either(joined.pop(), part) if join else part)
        join = negate = False
    return joined


def _either(one: _Part, other: _Part) -> _Part:
    field, same = one.field or "text", (one.field or "text") == (other.field or "text")
    if not same or one.negated or other.negated or field in ("year", *CHOICES):
        shown = [
            f"{p.field}:{p.value}" if p.field not in ("", "text") else p.value for p in (one, other)
        ]
        raise BadQuery(
            f"“{_short(shown[0])} OR {_short(shown[1])}” cannot be joined.",
            "OR stands between words, or between values of one field, such as "
            "cat:cs.CL OR cat:cs.LG.",
        )
    values = [value for p in (one, other) for value in p.value.split("\n")]
    if field in TEXT_FIELDS:
        values = [_words(value, value) for value in values]
    return _Part(field, "\n".join(values), False, True)


def _terms(parts: list[_Part]) -> tuple[Term, ...]:
    """What ranks by words: phrases whole, the rest word by word, without words that say nothing."""
    terms: list[Term] = []
    for part in parts:
        for text in part.value.split("\n"):
            words = words_in(text)
            prefix = text.endswith("*")
            if part.required and part.field == "text":
                terms.append(Term(" ".join(words), prefix))
                continue
            terms += [Term(word) for word in (words[:-1] if prefix else words)]
            if prefix:
                terms.append(Term(words[-1], True))
    telling = tuple(term for term in terms if term.prefix or term.text not in STOP_WORDS)
    return telling or tuple(terms)


def _meaning(parts: list[_Part]) -> str:
    # The beginning of a word means nothing to a model, unless there is nothing else.
    texts = [text for part in parts for text in part.value.split("\n")]
    whole = [text for text in texts if not text.endswith("*")]
    return " ".join(whole or [text.rstrip("*") for text in texts])


def _phrase(text: str) -> str:
    star = " *" if text.endswith("*") else ""
    return f'"{" ".join(_WORD.findall(text))}"{star}'


def _name(text: str) -> str:
    """The parts of a name in any order, close together; a single letter is an initial."""
    words = _WORD.findall(text)
    last_is_prefix = text.endswith("*")
    parts = [
        f'"{word}"' + (" *" if len(word) == 1 or (last_is_prefix and word is words[-1]) else "")
        for word in words
    ]
    return parts[0] if len(parts) == 1 else f"NEAR({' '.join(parts)}, {_AROUND_AUTHOR})"


def _short(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
