"""Parser of the query language: typed text to terms, conditions and a text to encode."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

from sciread_app.domain.metadata.identifiers import pasted_identifier
from sciread_app.domain.paper import Identifier, PaperId
from sciread_app.domain.query import ranges
from sciread_app.domain.query.ast import CHOICES, RANGES, TEXT_FIELDS, WHOLE, Condition, Term
from sciread_app.domain.query.fields import FIELD_SYNTAX, field_named, is_unknown, no_field
from sciread_app.domain.text import folding
from sciread_app.domain.text.stop_words import STOP_WORDS
from sciread_app.errors import BadQuery
from sciread_app.language import tr, trn

__all__ = [
    "STOP_WORDS",
    "TEXT_FIELDS",
    "Condition",
    "Query",
    "Term",
    "any_of",
    "parse",
    "terms_of",
    "words_in",
]

# In lower case these may be followed by a space before their value. The others occur like that in
# titles and pasted text ("Title: a subtitle"), and are left as they are.
SPACED = ("author", "venue", "year", "cat", "tag")
# Fields that are still conditions before a pasted text.
_BEFORE_PASTED = (*RANGES, *CHOICES, "author", "venue", "cat", "tag", "in", "like")

_NAMED = "like, named"  # field of a _Part: papers by citation key or identifier

# From this length on, text counts as pasted rather than typed, and has no operators.
PASTED_WORDS = 25
SHORTEST_PREFIX = 3

_PART = re.compile(
    r"""(?P<minus>(?<!\S)-(?=[^\s\d-]))?
        (?:(?P<field>[A-Za-z]+):(?P<whole>=(?=["\w]))?)?
        (?:"(?P<quoted>[^"]*)"(?P<star>\*)? | (?P<bare>[^\s"()][^\s()]*))?""",
    re.VERBOSE,
)
_LED = re.compile(
    rf"""(?:(?:-?(?:{"|".join(_BEFORE_PASTED)}):=?(?:"[^"]*"|[^\s"()]+)|OR)(?:\s+|$))+"""
)
_PAPERS = re.compile(r"\d{1,18}(?:,\d{1,18})*")
_NAME = re.compile(r'[^\s"]+')  # a DOI may contain brackets
_UNCLOSED = re.compile(r'"\s*([^\s"()]+)')
_LATER = re.compile(r'\s+(?:"([^"]+)"|([^\s"()]+))')
_QUOTES = str.maketrans("“”„‟«»", '"' * 6)


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    `terms` rank by words, repeated as often as they occur; `meaning` is the text that the model
    encodes (empty if there is none); all `conditions` must be met; results are ranked close to the
    papers in `like` and far from those in `unlike`. With an `identifier` terms and meaning are
    empty: the query names one paper. `like` and `unlike` are paper ids; `named_like` and
    `named_unlike` are citation keys or identifiers, which only a library can resolve.
    """

    text: str
    terms: tuple[Term, ...] = ()
    conditions: tuple[Condition, ...] = ()
    meaning: str = ""
    identifier: Identifier | None = None
    pasted: bool = False  # a whole abstract: ranked more by meaning than by words
    like: tuple[PaperId, ...] = ()
    unlike: tuple[PaperId, ...] = ()
    named_like: tuple[str, ...] = ()
    named_unlike: tuple[str, ...] = ()

    @property
    def has_examples(self) -> bool:
        return bool(self.like or self.named_like)

    @property
    def is_ranked(self) -> bool:
        """Whether results are ranked; otherwise they are all papers that meet the conditions."""
        return bool(self.terms or self.has_examples or self.identifier)

    @property
    def sought(self) -> tuple[str, ...]:
        """The words and phrases that rank, in the notation of `term_matching.spans`."""
        return tuple(dict.fromkeys(term.marked for term in self.terms))


class _Part(NamedTuple):
    """One part of the typed text. Plain words have no field."""

    field: str
    value: str
    negated: bool
    required: bool  # quoted, or joined by OR: must occur


def parse(text: str) -> Query:
    """Parse the text of the search box. Raises BadQuery, and nothing else."""
    text = _tidy(text)
    led = _LED.match(text)
    rest = text[led.end() :] if led else text
    if found := pasted_identifier(rest):
        return _query(text, _joined(_parts(text[: len(text) - len(rest)])), identifier=found)
    if rest and not words_in(rest):
        raise BadQuery(
            tr("“{text}” contains no letters or digits to search for.", text=_short(rest)),
            tr("Enter some words, such as: graph neural networks"),
        )
    if len(rest.split()) < PASTED_WORDS:
        return _query(text, _joined(_parts(text)))
    before = _query(text, _joined(_parts(text[: len(text) - len(rest)])))
    return replace(before, terms=terms_of(rest), meaning=rest, pasted=True)


def _query(text: str, parts: list[_Part], identifier: Identifier | None = None) -> Query:
    ranking = [p for p in parts if not p.negated and p.field in ("", "text", "title", "abstract")]
    return Query(
        text,
        terms=_terms(ranking),
        conditions=tuple(
            dict.fromkeys(
                Condition(p.field or "text", p.value, p.negated)
                for p in parts
                if (p.field or p.negated or p.required) and p.field not in ("like", _NAMED)
            )
        ),
        meaning=_meaning(ranking),
        identifier=identifier,
        like=_papers(p for p in parts if not p.negated),
        unlike=_papers(p for p in parts if p.negated),
        named_like=_named(p for p in parts if not p.negated),
        named_unlike=_named(p for p in parts if p.negated),
    )


def terms_of(text: str) -> tuple[Term, ...]:
    """The ranking terms of a plain text."""
    return _terms([_Part("", text, False, False)])


def any_of(terms: Iterable[Term]) -> str:
    """The FTS5 expression for papers that contain at least one of these terms."""
    return " OR ".join(term.expression for term in terms)


def words_in(text: str) -> list[str]:
    """The words of a text without TeX, in order, in lower case."""
    plain = folding.without_markup(unicodedata.normalize("NFC", text))
    return [word.lower() for word in folding.WORD.findall(plain)]


def _tidy(text: str) -> str:
    text = unicodedata.normalize("NFC", text).translate(_QUOTES)
    return " ".join(text.replace("\0", " ").split())


def _parts(text: str) -> list[_Part | str]:
    """The parts of the text, in order; AND, OR and NOT are returned as strings."""
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
        elif match["field"] and field_named(match["field"]):
            value, position = _value(match, text)
            parts += _field_part(match, value, at_end=position == len(text))
        elif match["field"] and is_unknown(match["field"], match["quoted"] or match["bare"] or ""):
            raise no_field(match["field"], words_in(match[0]))
        else:
            parts += _plain_part(match)
    return parts


def _value(match: re.Match[str], text: str) -> tuple[str, int]:
    """The value after the colon, and where in `text` it ends."""
    field, end = field_named(match["field"]), match.end()
    if field == "like" and match["bare"] and (name := _NAME.match(text, match.start("bare"))):
        return name[0], name.end()
    if match["quoted"] is None and match["bare"] is None:
        if opened := _UNCLOSED.match(text, end):
            return opened[1], opened.end()
        if field in SPACED and match["field"].islower() and (later := _LATER.match(text, end)):
            return later[1] or later[2], later.end()
    return (match["quoted"] or match["bare"] or "") + (match["star"] or ""), end


def _field_part(match: re.Match[str], value: str, *, at_end: bool) -> list[_Part]:
    field, negated = field_named(match["field"]), bool(match["minus"])
    if not value and match["quoted"] is None:  # "Title: a subtitle"
        if at_end and match["field"].islower():
            raise BadQuery(
                tr("A value is missing after “{text}”.", text=match[0].strip()),
                tr("For example: {query}", query=FIELD_SYNTAX[field].query),
            )
        return [_Part("", match["field"], negated, False)]
    if field == "like":
        return _like_part(match, value.strip())
    if field in _READ_RANGE:
        value = _READ_RANGE[field](match[0].strip(), value)
    elif field in CHOICES:
        value = value.lower()
        if value not in CHOICES[field]:
            raise _not_asked_for(field, value)
    elif field in WHOLE and match["whole"]:
        _words(match[0].strip(), value.rstrip(" *"))
        value = f"={value.strip()}"
    elif field in TEXT_FIELDS:
        value = _words(match[0].strip(), value)
    elif not value.strip():
        raise BadQuery(
            tr("“{text}” contains no value.", text=match[0]),
            tr("For example: {query}", query=FIELD_SYNTAX[field].query),
        )
    return [_Part(field, value.strip(), negated, True)]


def _not_asked_for(field: str, value: str) -> BadQuery:
    forms = [f"{field}:{choice}" for choice in CHOICES[field]]
    all_forms = reduce(lambda a, b: tr("{first} or {second}", first=a, second=b), forms)
    return BadQuery(
        tr("“{query}” is not a valid filter.", query=f"{field}:{value}"),
        tr("Enter {query}.", query=all_forms),
    )


def _like_part(match: re.Match[str], value: str) -> list[_Part]:
    """Papers by their ids, or one by its citation key or identifier."""
    if not value:
        raise BadQuery(
            tr("A value is missing after “{text}”.", text=match[0].strip()),
            tr("For example: {query}", query=FIELD_SYNTAX["like"].query),
        )
    negated = bool(match["minus"])
    if _PAPERS.fullmatch(value):
        return [_Part("like", value.replace(",", "\n"), negated, True)]
    return [_Part(_NAMED, value, negated, True)]


def _plain_part(match: re.Match[str]) -> list[_Part]:
    if match["quoted"] is None:
        value = f"{match['field'] or ''}{':' if match['field'] else ''}{match['bare'] or ''}"
        if not (found := words_in(value)):
            return []
        if value.endswith("*"):
            # "A* search" is about an algorithm, not about everything that begins with an a.
            short = len(found[-1]) < SHORTEST_PREFIX
            value = value.rstrip("*") if short else _words(value, value)
        return [_Part("", value, bool(match["minus"]), False)]
    words = [_Part("", match["field"], False, False)] if match["field"] else []
    if not folding.WORD.search(match["quoted"]):
        return words
    value = _words(match[0], match["quoted"] + (match["star"] or ""))
    return [*words, _Part("text", value, bool(match["minus"]), True)]


def _words(part: str, value: str) -> str:
    """The words of a value separated by single blanks, with its star."""
    found = folding.WORD.findall(folding.without_markup(value))
    star = value.rstrip().endswith("*")
    if star and found and folding.is_ideographic(found[-1]):
        star = False  # each part of such a word is found in any case
    if not found:
        raise BadQuery(
            tr("“{text}” contains no letters or digits to search for.", text=_short(part)),
            tr('Enter a search, such as author:curie or "exact words".'),
        )
    if star and len(found[-1]) < SHORTEST_PREFIX:
        raise BadQuery(
            tr("Too many words begin with “{text}”.", text=_short(part)),
            trn(
                "Enter at least {n} letter before the asterisk, such as photo*",
                "Enter at least {n} letters before the asterisk, such as photo*",
                SHORTEST_PREFIX,
            ),
        )
    return " ".join(found) + ("*" if star else "")


def _joined(parts: list[_Part | str]) -> list[_Part]:
    """The parts with NOT and OR applied; AND is implied."""
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
    if not same or one.negated or other.negated or field in (*RANGES, *CHOICES):
        shown = [
            f"{p.field}:{p.value}" if p.field not in ("", "text") else p.value for p in (one, other)
        ]
        raise BadQuery(
            tr("“{query}” is not a valid combination.", query=" OR ".join(map(_short, shown))),
            tr(
                "Use OR between words, or between values of the same field, such as cat:cs.CL "
                "OR cat:cs.LG."
            ),
        )
    values = [value for p in (one, other) for value in p.value.split("\n")]
    if field in TEXT_FIELDS:
        values = [v if v.startswith("=") else _words(v, v) for v in values]
    return _Part(field, "\n".join(values), False, True)


def _terms(parts: list[_Part]) -> tuple[Term, ...]:
    """The ranking terms: phrases whole, the rest word by word, without stop words."""
    terms: list[Term] = []
    for part in parts:
        for text in part.value.split("\n"):
            words = words_in(text)
            prefix = text.endswith("*")
            if part.required and part.field == "text":
                terms.append(Term(" ".join(words), prefix))
                continue
            found = folding.terms(text)
            terms += [Term(word.lower()) for word in (found[:-1] if prefix else found)]
            if prefix:
                terms.append(Term(words[-1], True))
    telling = tuple(term for term in terms if term.prefix or term.text not in STOP_WORDS)
    return telling or tuple(terms)


def _meaning(parts: list[_Part]) -> str:
    # A prefix means nothing to a model, unless there is nothing else.
    texts = [text for part in parts for text in part.value.split("\n")]
    whole = [text for text in texts if not text.endswith("*")]
    return " ".join(whole or [text.rstrip("*") for text in texts])


def _papers(parts: Iterable[_Part]) -> tuple[PaperId, ...]:
    numbers = [value for p in parts if p.field == "like" for value in p.value.split("\n")]
    return tuple(dict.fromkeys(PaperId(int(number)) for number in numbers))


def _named(parts: Iterable[_Part]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(p.value for p in parts if p.field == _NAMED))


def _short(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


_READ_RANGE: Mapping[str, Callable[[str, str], str]] = {
    "year": ranges.year_range,
    "rating": ranges.star_range,
    "added": ranges.day_range,
}
