"""Names of PDFs, made from a paper's fields, that every file system accepts."""

from __future__ import annotations

import re
import unicodedata

from sciread_app.domain.paper import Paper
from sciread_app.domain.text.tex import readable

MAX_BYTES = 180  # of a name in UTF-8; file systems allow 255, encrypted ones down to 143 characters
MAX_TITLE = 100  # characters, as in Zotero
MAX_AUTHOR = 60
MAX_WORD = 20
_SUFFIX_ROOM = 20  # bytes for " (12).pdf"
_FIELD = re.compile(r"\{(author|year|title|venue)\}")
_EMPTY = "\0"  # stands for a field without a value
_EMPTY_BRACKETS = re.compile(rf"[(\[]\s*{_EMPTY}\s*[)\]]")
_GAP = re.compile(rf"([^\w{_EMPTY}()\[\]]*){_EMPTY}(?:[^\w{_EMPTY}()\[\]]*{_EMPTY})*[^\w()\[\]]*")
_DASHED = str.maketrans("/\\", "--")
_ILLEGAL = re.compile(r'[<>:"|?*]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)", re.IGNORECASE)
_EDGES = " .-_,;~"


def file_stem(paper: Paper, pattern: str) -> str:
    """The name of a paper's PDF, without its suffix, after `pattern`; empty if no field of the
    pattern has a value.

    {author} is the last name of the first author, with that of the second if there are two, and
    with "et al." if there are more. A field without a value is left out, with the separator before
    it. The name is valid on Linux, macOS and Windows, in Unicode's form C, and leaves room for a
    number and a suffix.
    """
    values = {
        "author": _clean(_authors(paper), MAX_AUTHOR),
        "year": _clean(paper.published[:4], 4),
        "title": _clean(readable(paper.title), MAX_TITLE),
        "venue": _clean(readable(paper.venue), MAX_TITLE),
    }
    if not any(values[name] for name in _FIELD.findall(pattern)):
        return ""
    name = _FIELD.sub(lambda field: values[field[1]] or _EMPTY, pattern)
    name = _EMPTY_BRACKETS.sub(_EMPTY, name)
    return valid_stem(_GAP.sub(lambda gap: gap[1] or " ", name))


def valid_stem(text: str) -> str:
    """Return `text` as a file name without suffix: without characters and endings that a file
    system forbids, and no longer than one allows. Empty if nothing is left."""
    name = _within(_clean(text).strip(_EDGES), MAX_BYTES - _SUFFIX_ROOM).rstrip(_EDGES)
    return f"{name}_" if _RESERVED.match(name) else name


def name_key(name: str) -> str:
    """A key that is equal for names that some file system takes for the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _clean(text: str, most: int = 1000) -> str:
    """Return the first words of `text`, of at most `most` characters together, without those that
    cannot be in a name."""
    # Invisible characters could hide what a name says: control, format and unassigned ones.
    text = "".join(
        " " if char.isspace() else char
        for char in text.translate(_DASHED)
        if char.isspace() or not unicodedata.category(char).startswith("C")
    )
    text = unicodedata.normalize("NFC", " ".join(_ILLEGAL.sub("", text).split()))
    if len(text) <= most:
        return text
    return _at_a_word(text[: most + 1])[:most]


def _authors(paper: Paper) -> str:
    names = [author.last_name for author in paper.authors]
    if len(names) > 2 or (names and paper.has_more_authors):
        return f"{names[0]} et al."
    return " and ".join(names)


def _within(text: str, most: int) -> str:
    """Return the first words of `text`, of at most `most` bytes in UTF-8."""
    if len(text.encode()) <= most:
        return text
    cut = text.encode()[:most].decode(errors="ignore")
    # No letter is separated from its accent.
    while cut and unicodedata.combining(text[len(cut)]):
        cut = cut[:-1]
    return _at_a_word(cut)


def _at_a_word(cut: str) -> str:
    """Return a text that ends anywhere without its last word, unless this is very long, as in
    languages that put no spaces between words."""
    words, _, last = cut.rpartition(" ")
    return words if words and len(last) < MAX_WORD else cut
