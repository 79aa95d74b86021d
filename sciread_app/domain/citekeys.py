"""Citation keys: cleaning and generation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import count

from sciread_app.domain.paper import Paper

PATTERN = "{author}{title}{year}"
_FIELD = re.compile(r"\{(author|title|year)\}")
_NOT_MADE_UP = re.compile(r"[^A-Za-z0-9]")
_NOT_IN_KEY = re.compile(r"[\s,{}()\"#%~\\=@]")
_SKIPPED = (
    "a an the on of in for and or to with from by at is are as via into der die das ein eine und "
    "von zur zum le la les un une des du de et el los las y"
)
_SKIPPED_WORDS = frozenset(_SKIPPED.split())
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
    | {"œ": "oe", "Œ": "Oe", "đ": "d", "Đ": "D", "ð": "d", "þ": "th", "ı": "i"}
)


def cleaned(key: str) -> str:
    """`key` without the characters that LaTeX cannot read in one."""
    return _NOT_IN_KEY.sub("", key)


def own(paper: Paper) -> str:
    """The key that the record came with; empty if none."""
    return cleaned(paper.identifier("citekey"))


def generated(paper: Paper, pattern: str = PATTERN) -> str:
    """A generated key. The fields of `pattern` are {author}, the last name of the first author in
    lower case, {title}, its first three words, and {year}. The default is that of Better BibTeX,
    auth.lower + shorttitle(3,3) + year: lecunDeepLearning2015."""
    author = paper.authors[0].last_name if paper.authors else ""
    words = [_ascii(word) for word in re.split(r"[^\w'’]+", paper.title)]
    words = [word for word in words if word and word.lower() not in _SKIPPED_WORDS][:3]
    title = "".join(word[0].upper() + word[1:] for word in words)
    parts = {"author": _ascii(author).lower(), "title": title, "year": paper.published[:4]}
    key = _FIELD.sub(lambda field: parts[field[1]], pattern)
    return key if any(parts[field] for field in _FIELD.findall(pattern)) else "paper"


def variants(stem: str) -> Iterator[str]:
    """Alternatives of a key: stem, stema, stemb ... stemz, stem27, ..."""
    yield stem
    for n in count(1):
        yield stem + (chr(ord("a") + n - 1) if n <= 26 else str(n))


def _ascii(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return _NOT_MADE_UP.sub("", folded)
