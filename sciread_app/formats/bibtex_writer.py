"""BibTeX and BibLaTeX files: writing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import count
from typing import TextIO

from sciread_app.domain.paper import Paper
from sciread_app.formats import dates, file_links, keyword_list, names
from sciread_app.formats.bibtex_fields import (
    DATE_FIELDS,
    IN_BOOKS,
    TYPES,
    date_fields,
    from_verbatim,
    is_verbatim,
    kind_of,
    published,
)
from sciread_app.formats.latex import Dialect, encode

# Fields in the order in which people look for them; the others follow by name.
_FIRST = (
    "author and-others editor title journal journaltitle booktitle date year month day volume "
    "number issue pages series edition publisher school institution address location doi eprint "
    "eprinttype archiveprefix eprintclass primaryclass isbn issn pmid pmcid url urldate keywords "
    "subjects abstract note file"
)
_PLACE = {name: place for place, name in enumerate(_FIRST.split())}
_NOT_IN_KEY = re.compile(r"[^A-Za-z0-9]")
_NOT_IN_CITEKEY = re.compile(r"[\s,{}()\"#%~\\=@]")
_SKIPPED_WORDS = (
    "a an the on of in for and or to with from by at is are as via into der die das ein eine und "
    "von zur zum le la les un une des du de et el los las y"
)
_PAGES = re.compile(r"(\w+)-(\w+)")
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
    | {"œ": "oe", "Œ": "Oe", "đ": "d", "Đ": "D", "ð": "d", "þ": "th", "ı": "i"}
)


def write(papers: Iterable[Paper], stream: TextIO, *, dialect: Dialect = "bibtex") -> None:
    """Write all papers as one bibliography, the same for the same papers.

    All papers are taken in before the first is written: no citation key that a paper brings may be
    changed because another paper's key was made up first.
    """
    papers = list(papers)
    for paper, key in zip(papers, _keys(papers), strict=True):
        entry_type, fields = _fields(paper, dialect)
        lines = [f"  {name} = {value},\n" for name, value in fields.items()]
        stream.write(f"@{entry_type}{{{key},\n{''.join(lines)}}}\n\n")


def _keys(papers: list[Paper]) -> list[str]:
    """A key for each paper, no two alike in lower case: its own, or one made up."""
    own = [_NOT_IN_CITEKEY.sub("", paper.identifier("citekey")) for paper in papers]
    taken = {key.lower() for key in own if key}
    used: set[str] = set()
    keys = []
    for paper, key in zip(papers, own, strict=True):
        if not key or key.lower() in used:
            stem = key or _made_up(paper)
            free = (k for k in _variants(stem) if k.lower() not in used | taken)
            key = next(free)
        used.add(key.lower())
        keys.append(key)
    return keys


def _variants(stem: str) -> Iterable[str]:
    """stem, stema, stemb ... stemz, stem27, ..."""
    yield stem
    for n in count(1):
        yield stem + (chr(ord("a") + n - 1) if n <= 26 else str(n))


def _made_up(paper: Paper) -> str:
    """Better BibTeX's default, auth.lower + shorttitle(3,3) + year: lecunDeepLearning2015."""
    author = paper.authors[0].last_name if paper.authors else ""
    words = [_ascii(word) for word in re.split(r"[^\w'’]+", paper.title)]
    words = [word for word in words if word and word.lower() not in _SKIPPED_WORDS.split()][:3]
    title = "".join(word[0].upper() + word[1:] for word in words)
    return f"{_ascii(author).lower()}{title}{paper.published[:4]}" or "paper"


def _ascii(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return _NOT_IN_KEY.sub("", folded)


def _fields(paper: Paper, dialect: Dialect) -> tuple[str, dict[str, str]]:
    """The entry's type, and its fields in order, each value with its braces."""
    extra = dict(paper.extra)
    entry_type = _type(paper, extra.pop("entrytype", ""))
    others = bool(extra.pop("and-others", ""))
    texts = _texts(paper, dialect) | _dates(paper, extra, dialect) | _names(paper, dialect)
    files = file_links.to_field(paper.files, extra.pop("file", ""))
    values = {n: _value(n, text, dialect) for n, text in (texts | extra).items() if text}
    if paper.authors or others:
        authors = names.to_bibtex(paper.authors, lambda t: encode(t, dialect), others=others)
        values["author"] = f"{{{authors}}}"
    if files:
        values["file"] = f"{{{from_verbatim(files)}}}"
    if "month" in values and values["month"][1:-1] in dates.MONTHS:
        values["month"] = values["month"][1:-1]  # A macro, which styles print in their language.
    order = sorted(values, key=lambda name: (_PLACE.get(name, len(_PLACE)), name))
    return entry_type, {name: values[name] for name in order}


def _type(paper: Paper, original: str) -> str:
    """The type that the entry once had, unless the paper has become something else."""
    arxiv, doi = bool(paper.identifier("arxiv")), bool(paper.identifier("doi"))
    if original and kind_of(original, paper.venue, arxiv=arxiv, doi=doi) == paper.kind:
        return original
    return TYPES[paper.kind]


def _texts(paper: Paper, dialect: Dialect) -> dict[str, str]:
    journal = "journaltitle" if dialect == "biblatex" else "journal"
    return {
        "title": paper.title,
        "booktitle" if paper.kind in IN_BOOKS else journal: paper.venue,
        "keywords": keyword_list.join(paper.keywords),
        "abstract": paper.abstract,
    }


def _dates(paper: Paper, extra: dict[str, str], dialect: Dialect) -> dict[str, str]:
    """The date's fields, as they were once written if they still say what the paper says."""
    written = {n: extra.pop(n) for n in DATE_FIELDS if n in extra}
    fields = date_fields(paper.published)
    if published(fields | written) == paper.published:
        return fields | written if written or dialect == "bibtex" else {"date": paper.published}
    return fields if dialect == "bibtex" else {"date": paper.published}


def _names(paper: Paper, dialect: Dialect) -> dict[str, str]:
    """Identifiers, and subject areas, which go with the arXiv id where there is one."""
    by_kind: dict[str, list[str]] = {}
    for kind, value in paper.identifiers:
        by_kind.setdefault(kind, []).append(value)
    fields: dict[str, str] = {k: by_kind[k][0] for k in ("doi", "pmid", "pmcid") if k in by_kind}
    fields["isbn"] = " ".join(by_kind.get("isbn", ()))
    fields["ids"] = ",".join(by_kind.get("citekey", ())[1:])
    areas = list(paper.fields)
    if arxiv := by_kind.get("arxiv"):
        archive, area = ("eprinttype", "eprintclass")
        if dialect == "bibtex":
            archive, area = ("archiveprefix", "primaryclass")
        fields |= {"eprint": arxiv[0], archive: "arXiv"}
        if areas:
            fields[area] = areas.pop(0)
    fields["subjects"] = "; ".join(areas)
    return fields


def _value(name: str, text: str, dialect: Dialect) -> str:
    if is_verbatim(name):
        return f"{{{from_verbatim(text)}}}"
    if name == "pages":
        text = _PAGES.sub(r"\1--\2", text) if _PAGES.fullmatch(text) else text
        return f"{{{text}}}" if "--" in text else f"{{{encode(text, dialect)}}}"
    return f"{{{encode(text, dialect, protect=name in ('title', 'booktitle'))}}}"
