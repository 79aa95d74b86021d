"""Writer of BibTeX and BibLaTeX files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TextIO

from sciread_app.domain import citekeys
from sciread_app.domain.metadata.identifiers import other_fields
from sciread_app.domain.paper import Paper
from sciread_app.formats.bibtex.fields import (
    DATE_FIELDS,
    IN_BOOKS,
    TYPES,
    date_fields,
    from_verbatim,
    is_verbatim,
    kind_of,
    published,
)
from sciread_app.formats.values import dates, field_names, file_links, keywords, names
from sciread_app.formats.values.latex import Dialect, encode

# Fields in conventional order; the others follow by name.
_FIRST = (
    "author and-others editor title journal journaltitle booktitle date year month day volume "
    "number issue pages series edition publisher school institution address location doi eprint "
    "eprinttype archiveprefix eprintclass primaryclass isbn issn pmid pmcid url urldate keywords "
    "subjects abstract note file"
)
_PLACE = {name: place for place, name in enumerate(_FIRST.split())}
_PAGES = re.compile(r"(\w+)-(\w+)")


def write(papers: Iterable[Paper], stream: TextIO, *, dialect: Dialect = "bibtex") -> None:
    """Write all papers as one bibliography, deterministically.

    All papers are read before the first is written: a paper's own citation key must not change
    because a key generated for another paper was assigned first.
    """
    papers = list(papers)
    for paper, key in zip(papers, _keys(papers), strict=True):
        entry_type, fields = _fields(paper, dialect)
        lines = [f"  {name} = {value},\n" for name, value in fields.items()]
        stream.write(f"@{entry_type}{{{key},\n{''.join(lines)}}}\n\n")


def _keys(papers: list[Paper]) -> list[str]:
    """A key for each paper, unique ignoring case: its own, or a generated one."""
    own = [citekeys.own(paper) for paper in papers]
    taken = {key.lower() for key in own if key}
    used: set[str] = set()
    keys = []
    for paper, key in zip(papers, own, strict=True):
        if not key or key.lower() in used:
            stem = key or citekeys.generated(paper)
            free = (k for k in citekeys.variants(stem) if k.lower() not in used | taken)
            key = next(free)
        used.add(key.lower())
        keys.append(key)
    return keys


def _fields(paper: Paper, dialect: Dialect) -> tuple[str, dict[str, str]]:
    """The entry's type, and its fields in order, each value with its braces."""
    extra = field_names.named(other_fields(paper))
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
    """The original entry type, unless the item type has changed."""
    arxiv, doi = bool(paper.identifier("arxiv")), bool(paper.identifier("doi"))
    if original and kind_of(original, paper.venue, arxiv=arxiv, doi=doi) == paper.kind:
        return original
    return TYPES[paper.kind]


def _texts(paper: Paper, dialect: Dialect) -> dict[str, str]:
    journal = "journaltitle" if dialect == "biblatex" else "journal"
    return {
        "title": paper.title,
        "booktitle" if paper.kind in IN_BOOKS else journal: paper.venue,
        "keywords": keywords.join(paper.keywords),
        "abstract": paper.abstract,
    }


def _dates(paper: Paper, extra: dict[str, str], dialect: Dialect) -> dict[str, str]:
    """The date fields, as originally written if they still agree with the paper."""
    written = {n: extra.pop(n) for n in DATE_FIELDS if n in extra}
    fields = date_fields(paper.published)
    if published(fields | written) == paper.published:
        return fields | written if written or dialect == "bibtex" else {"date": paper.published}
    return fields if dialect == "bibtex" else {"date": paper.published}


def _names(paper: Paper, dialect: Dialect) -> dict[str, str]:
    """Fields for identifiers, and for subject areas, which accompany the arXiv id if there is
    one."""
    by_kind: dict[str, list[str]] = {}
    for kind, value in paper.written_identifiers:
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
