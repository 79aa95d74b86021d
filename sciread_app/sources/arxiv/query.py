"""arXiv's query language: ti:"neural networks" AND (au:hinton OR cat:cs.*) ANDNOT abs:spiking."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from sciread_app.domain.metadata.identifiers import arxiv_id
from sciread_app.domain.paper import Author, Paper
from sciread_app.domain.text.folding import fold_accents
from sciread_app.errors import BadQuery
from sciread_app.language import tr
from sciread_app.sources.arxiv.sets import ARCHIVES, ONLY_WITH_SUBJECT

FIELDS = {
    "all": "any field",
    "ti": "title",
    "au": "author",
    "abs": "abstract",
    "co": "comment",
    "jr": "journal reference",
    "cat": "category",
    "rn": "report number",
    "id": "arXiv id",
    "submittedDate": "date of the first version",
}
_OPERATORS = ("AND", "OR", "ANDNOT")
_DEEPEST = 50
_TOKEN = re.compile(
    r"""\s*(?:(?P<bracket>[()])
        | (?P<field>[A-Za-z]\w*):\s*(?=\S)
        | "(?P<phrase>[^"]*)(?P<closed>"?)
        | \[(?P<range>[^\]]*)(?P<ended>\]?)
        | (?P<word>[^\s()"\[]+))""",
    re.X,
)
_MINUTES = re.compile(r"(\d{8})(?:\d{2}){0,3}\*?\s+TO\s+(\d{8})(?:\d{2}){0,3}\*?")
_ALL = ("ti", "au", "abs", "co", "jr", "cat", "rn", "id")


class ArxivQuery:
    """A query, or a part of it, as a syntax tree. This node alone finds every paper."""

    def matches(self, paper: Paper) -> bool:
        """Whether arXiv would find the paper, approximately.

        arXiv compares stems of words; this only allows an "s" at the end. Of dates only the day
        counts.
        """
        return True

    def categories(self) -> list[str] | None:
        """Categories, possibly with wildcards, that include every paper found.

        None if the query finds papers of any category.
        """
        return None


def parse(text: str) -> ArxivQuery:
    """Parse a query; an empty one finds everything. Raises BadQuery."""
    return _Parser(text).whole() if text.strip() else ArxivQuery()


def check(text: str) -> str:
    """The error in a query, as a sentence; "" if there is none."""
    try:
        parse(text)
    except BadQuery as error:
        return error.message
    return ""


@dataclass(frozen=True)
class _Both(ArxivQuery):
    left: ArxivQuery
    right: ArxivQuery

    def matches(self, paper: Paper) -> bool:
        return self.left.matches(paper) and self.right.matches(paper)

    def categories(self) -> list[str] | None:
        known = [c for c in (self.left.categories(), self.right.categories()) if c is not None]
        return min(known, key=len, default=None)


@dataclass(frozen=True)
class _Either(ArxivQuery):
    left: ArxivQuery
    right: ArxivQuery

    def matches(self, paper: Paper) -> bool:
        return self.left.matches(paper) or self.right.matches(paper)

    def categories(self) -> list[str] | None:
        left, right = self.left.categories(), self.right.categories()
        return None if left is None or right is None else list(dict.fromkeys(left + right))


@dataclass(frozen=True)
class _Without(ArxivQuery):
    left: ArxivQuery
    right: ArxivQuery

    def matches(self, paper: Paper) -> bool:
        return self.left.matches(paper) and not self.right.matches(paper)

    def categories(self) -> list[str] | None:
        return self.left.categories()


@dataclass(frozen=True)
class _Words(ArxivQuery):
    field: str
    text: str

    def matches(self, paper: Paper) -> bool:
        fields = _ALL if self.field == "all" else (self.field,)
        return any(_FINDS[field](self.text, paper) for field in fields)

    def categories(self) -> list[str] | None:
        return [self.text] if self.field == "cat" else None


@dataclass(frozen=True)
class _Days(ArxivQuery):
    first: str
    last: str

    def matches(self, paper: Paper) -> bool:
        day = paper.published.replace("-", "")
        return bool(day) and self.first[: len(day)] <= day <= self.last[: len(day)]


class _Parser:
    """Recursive descent; AND and ANDNOT bind tighter than OR, and adjacent words are joined by
    AND."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._depth = 0

    def whole(self) -> ArxivQuery:
        node = self._either("all")
        if self._at < len(self._tokens):
            raise BadQuery(tr("A ) has no matching (."))
        return node

    def _either(self, field: str) -> ArxivQuery:
        node = self._both(field)
        while self._take("OR"):
            node = _Either(node, self._both(field))
        return node

    def _both(self, field: str) -> ArxivQuery:
        node = self._term(field)
        while (kind := self._kind()) not in ("", "OR", ")"):
            if kind in ("AND", "ANDNOT"):
                self._at += 1
            right = self._term(field)
            node = _Without(node, right) if kind == "ANDNOT" else _Both(node, right)
        return node

    def _term(self, field: str) -> ArxivQuery:
        kind = self._kind()
        if kind == "" or kind == ")" or kind in _OPERATORS:
            raise BadQuery(self._missing())
        text = self._tokens[self._at][1]
        self._at += 1
        if kind == "(":
            return self._group(field)
        if kind == "field":
            return self._term(_known(text))
        return _leaf(field, kind, text)

    def _group(self, field: str) -> ArxivQuery:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise BadQuery(tr("The parentheses are nested too deeply."))
        node = self._either(field)
        if not self._take(")"):
            raise BadQuery(tr("A ( is not closed."))
        self._depth -= 1
        return node

    def _kind(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _take(self, kind: str) -> bool:
        if self._kind() != kind:
            return False
        self._at += 1
        return True

    def _missing(self) -> str:
        before = self._tokens[self._at - 1][0] if self._at else ""
        if before in _OPERATORS:
            return tr("A search term is missing after {word}.", word=before)
        if self._kind() in _OPERATORS:
            return tr("A search term is missing before {word}.", word=self._kind())
        if before == "(":
            return tr("The parentheses are empty.")
        return tr("A search term is missing before {word}.", word=")")


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """The tokens of the query as (kind, text); brackets and operators are their own kind."""
    text, at = text.strip(), 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise BadQuery(tr("The query has an error at: {text}", text=text[at : at + 20]))
        at = match.end()
        kind, found = match.lastgroup, match
        if kind == "bracket" or found["word"] in _OPERATORS:
            yield match[0].strip(), ""
        elif kind == "closed":
            message = tr("A quotation mark is not closed.")
            yield _closed("phrase", match["phrase"], match["closed"], message)
        elif kind == "ended":
            yield _closed("range", match["range"], match["ended"], tr("A [ is not closed."))
        elif kind == "word" and match["word"] in ("and", "or", "andnot", "NOT", "not"):
            word = match["word"].upper()
            word = "ANDNOT" if "NOT" in word else word
            raise BadQuery(
                tr(
                    'Use {operator}, or put "{word}" in quotation marks.',
                    operator=word,
                    word=match["word"],
                )
            )
        elif kind == "word" and match["word"].endswith(":"):
            raise BadQuery(tr("A search term is missing after {word}", word=match["word"]))
        else:
            assert kind is not None
            yield kind, match[kind]


def _closed(kind: str, text: str, end: str, else_said: str) -> tuple[str, str]:
    if not end:
        raise BadQuery(else_said)
    return kind, text


def _known(field: str) -> str:
    for known in FIELDS:
        if field.lower() == known.lower():
            return known
    known = ", ".join(f"{name}:" for name in FIELDS)
    raise BadQuery(
        tr("arXiv has no field {field}. Available fields: {known}.", field=field, known=known)
    )


def _leaf(field: str, kind: str, text: str) -> ArxivQuery:
    if field == "submittedDate" or kind == "range":
        return _days(field, text)
    text = text.strip()
    if field != "cat" and not text.strip("*? "):
        raise BadQuery(tr("A search term is missing after {field}:.", field=field))
    if field == "cat":
        _check_category(text)
    if field == "id" and not arxiv_id(text)[0]:
        raise BadQuery(
            tr("{text} is not an arXiv ID. Examples: 2101.00001, hep-th/9901001.", text=text)
        )
    return _Words(field, text)


def _days(field: str, text: str) -> ArxivQuery:
    match = _MINUTES.fullmatch(text.strip())
    if field != "submittedDate" or match is None:
        raise BadQuery(tr("Enter dates in the form submittedDate:[202401010000 TO 202412312359]."))
    return _Days(match[1], match[2])


def _check_category(text: str) -> None:
    archive = text.partition(".")[0].lower()
    if not re.search(r"[*?]", archive) and archive not in ARCHIVES:
        raise BadQuery(
            tr(
                "arXiv has no category {name}. Examples: cs.CL for one category, cs.* for all "
                "of computer science.",
                name=text,
            )
        )
    if text.lower() in ONLY_WITH_SUBJECT:
        raise BadQuery(
            tr(
                "{name} is an archive, not a category. Enter cat:{name}.* for all its papers.",
                name=text,
            )
        )


# ---- matching papers ----------------------------------------------------------------------------


def _finds_words(read: Callable[[Paper], str]) -> Callable[[str, Paper], bool]:
    return lambda text, paper: bool(_pattern(text).search(_line(read(paper))))


def _finds_author(text: str, paper: Paper) -> bool:
    wanted = _line(text.replace("_", " "), wild=True).split()
    return any(_is_named(wanted, author) for author in paper.authors)


def _is_named(wanted: list[str], author: Author) -> bool:
    """Whether all words are names of the author; an initial suffices beside a whole name."""
    names = _line(author.name).split()
    whole = any(_is_name(word, names) for word in wanted)
    return whole and all(
        _is_name(word, names) or any(_is_initial(word, name) for name in names) for word in wanted
    )


def _is_name(word: str, names: list[str]) -> bool:
    if "*" in word or "?" in word:
        return any(_wildcards(word).fullmatch(name) for name in names)
    return word in names


def _is_initial(word: str, name: str) -> bool:
    return word[0] == name[0] and (len(word) == 1 or len(name) == 1)


def _finds_category(text: str, paper: Paper) -> bool:
    wanted = _wildcards(text.lower())
    return any(wanted.fullmatch(category.lower()) for category in paper.fields)


def _finds_id(text: str, paper: Paper) -> bool:
    base = arxiv_id(text)[0]
    return bool(base) and paper.identifier("arxiv") == base


_FINDS: dict[str, Callable[[str, Paper], bool]] = {
    "ti": _finds_words(lambda paper: paper.title),
    "abs": _finds_words(lambda paper: paper.abstract),
    "co": _finds_words(lambda paper: paper.extra.get("comment", "")),
    "jr": _finds_words(lambda paper: paper.extra.get("journal_ref", "")),
    "rn": _finds_words(lambda paper: paper.extra.get("number", "")),
    "au": _finds_author,
    "cat": _finds_category,
    "id": _finds_id,
}


@lru_cache(maxsize=256)
def _pattern(text: str) -> re.Pattern[str]:
    """The pattern of a word or phrase in a `_line`."""
    words = _line(text.replace("_", " "), wild=True).split()
    return re.compile(rf" {' '.join(_wild(word) for word in words)} ")


@lru_cache(maxsize=256)
def _wildcards(text: str) -> re.Pattern[str]:
    return re.compile(_wild(text))


def _wild(word: str) -> str:
    return re.escape(word).replace(r"\*", r"\S*").replace(r"\?", r"\S")


@lru_cache(maxsize=64)
def _line(text: str, *, wild: bool = False) -> str:
    """The words in lower case without accents and plural, a space around each."""
    words = re.findall(r"[\w*?]+" if wild else r"\w+", fold_accents(text))
    return f" {' '.join(map(_singular, words))} "


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" else word
