"""Papers from records in the tags of RIS.

The readers of other reference managers and databases translate their tags to these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from sciread_app.domain.metadata.identifiers import (
    closed_up,
    doi_as_written,
    identifier,
    identifiers,
)
from sciread_app.domain.paper import OTHERS, Author, Identifier, Paper, is_truncation_mark
from sciread_app.formats.ris.tags import (
    EXTRA_NAMES,
    KINDS,
    NUMBERED_KINDS,
    OTHER,
    STANDALONE_KINDS,
    TYPES,
    is_report_number,
)
from sciread_app.formats.values import dates, file_links, names
from sciread_app.formats.values.institutions import from_publisher
from sciread_app.formats.values.markup import plain

_DOI = re.compile(r"doi(?:\.org/|\s*:?\s*)(10\.\d{4,9}/[^\s&?]+)", re.I)
_PMID = re.compile(r"\b(\d{1,9})\s*\[pmid\]|\bPMID:?\s*(\d{1,9})|pubmed[\w.]*/(\d{1,9})", re.I)
_PMCID = re.compile(r"\bPMC\d+")
_ARXIV = re.compile(r"arxiv(?:\.org/(?:abs|pdf)/|[:.]\s*)([a-z.-]+/\d{7}|\d{4}\.\d{4,5})", re.I)
_ONLY_A_NUMBER = re.compile(
    r"\d{1,9}\s*\[pmid\]|PMC\d+\s*\[pmcid\]|arXiv:(?:[a-z.-]+/\d{7}|\d{4}\.\d{4,5})", re.I
)
_NAMED = re.compile(r"([a-z][\w+.:-]*): (.*)", re.S)
# Tags in which databases put identifiers that have no tag of their own.
_IDENTIFIER_TAGS = ("AN", "U1", "U2", "U3", "U4", "C2", "C6", "N1", "M1", "M3", "UR", "L2")
_DAY = re.compile(r"\d{4}/\d\d?/\d\d?")
_DATES = ("PY", "Y1", "DA")

Fields = dict[str, list[str]]  # tag to its values, in file order


def paper(fields: Fields, folders: Sequence[Path], source: str) -> Paper | None:
    """The paper of a record, or None if it has no title.

    Values are taken out of `fields`. `folders` are where relative paths of files begin.
    """
    title = plain(_take(fields, "TI", "T1", "CT", "BT"))
    return _paper(title, fields, folders, source) if title else None


def name(fields: Fields) -> str:
    """A name for a record without a title in a report: its number, DOI or URL; else empty."""
    return next((fields[tag][0] for tag in ("ID", "DO", "AN", "UR") if tag in fields), "")


def _take(fields: Fields, *tags: str) -> str:
    """Remove and return the first value under the first of these tags that has one."""
    for tag in tags:
        if tag in fields and fields[tag][0]:
            values = fields[tag]
            if len(values) == 1:
                del fields[tag]
                return values[0]
            return values.pop(0)
    return ""


def _paper(title: str, fields: Fields, folders: Sequence[Path], source: str) -> Paper:
    """Takes the known tags out of `fields`; the rest is kept in `extra`."""
    ris_type = _take(fields, "TY").upper()
    key = fields["ID"][0] if "ID" in fields else ""
    known, written_doi = _identify(fields)
    kind = KINDS.get(ris_type, "article")
    tags = ("JF", "JO") if kind in STANDALONE_KINDS else ("JF", "T2", "BT", "JO", "JA", "J2", "J1")
    venue = plain(_take(fields, *tags))
    if venue and kind == "article" and not ris_type:
        kind = "article-journal"
    authors, others = _authors(fields)
    abstract = plain(_abstract(fields))
    keywords = _keywords(fields)
    published = _published(fields)
    files = _files(fields, folders)
    if (
        kind in NUMBERED_KINDS
        and "IS" not in fields
        and is_report_number("\n".join(fields.get("SN", ())))
    ):
        fields["IS"] = fields.pop("SN")
    publisher = "\n".join(dict.fromkeys(filter(None, fields.pop("PB", ()))))
    extra = _extra(fields, venue)
    if publisher != venue:
        extra |= from_publisher(kind, publisher, extra)
    extra |= written_doi
    if others:
        extra["and-others"] = "true"
    subjects = extra.pop("fields", "").split("; ")
    if ris_type and TYPES[kind] != ris_type:
        extra["ty"] = ris_type
    return Paper(
        title=title,
        abstract=abstract,
        authors=authors,
        kind=kind,
        published=published,
        venue=venue,
        identifiers=known,
        fields=tuple(subject for subject in subjects if subject),
        keywords=keywords,
        extra=extra,
        files=files,
        source=source,
        source_id=key,
    )


def _authors(fields: Fields) -> tuple[tuple[Author, ...], bool]:
    """The authors, and whether the list is marked as truncated."""
    text = "\n".join((*fields.pop("AU", ()), *fields.pop("A1", ())))
    listed = [name for name in text.split("\n") if name.strip(" ,;.")]
    others = bool(listed) and is_truncation_mark(listed[-1])
    return tuple(map(names.from_plain, listed[:-1] if others else listed)), others


def _abstract(fields: Fields) -> str:
    abstract = _take(fields, "AB", "N2")
    if fields.get("N2") == [abstract]:
        del fields["N2"]
    return abstract


def _keywords(fields: Fields) -> tuple[str, ...]:
    lines = "\n".join(fields.pop("KW", ())).split("\n")
    parts = [part.strip() for line in lines for part in plain(line).split(";")]
    return tuple(dict.fromkeys(filter(None, parts)))


def _published(fields: Fields) -> str:
    """The publication date; the parts that are understood are removed from `fields`."""
    published, understood = date(*(fields[tag][0] if tag in fields else "" for tag in _DATES))
    for tag in understood:
        _take(fields, tag)
    return published


@lru_cache(maxsize=1 << 14)  # a file has few distinct dates, each in many records
def date(*texts: str) -> tuple[str, tuple[str, ...]]:
    """The most exact of the _DATES that agree on the year, and those fully expressed by it.

    The first date with a year determines the year.
    """
    raw = dict(zip(_DATES, texts, strict=True))
    found = {tag: dates.parse(text) for tag, text in raw.items()}
    year = next((date[:4] for date in found.values() if date), "")
    if not year:
        return "", ()
    if raw["DA"] and not found["DA"]:
        found["DA"] = dates.parse(f"{raw['DA']} {year}")
    agreed = {tag: date for tag, date in found.items() if date[:4] == year}
    understood = tuple(tag for tag in agreed if not _has_more_words(raw[tag]))
    return max(agreed.values(), key=len), understood


def _has_more_words(text: str) -> bool:
    """Whether a date contains more than one word: JUL-AUG, Spring, 2013/02/15/received."""
    words = re.findall(r"[^\W\d_]+", text)
    return len(words) > 1 or any(not dates.month_of(word) for word in words)


def _files(fields: Fields, folders: Sequence[Path]) -> tuple[str, ...]:
    """The existing files linked by L1 and L4, removed from `fields`."""
    found: list[str] = []
    if "L1" not in fields and "L4" not in fields:
        return ()
    for tag in ("L1", "L4"):
        links = [link for value in fields.pop(tag, ()) for link in value.split("\n")]
        files = [file_links.existing(_path(link), folders) for link in links]
        found += [file for file in files if file]
        if missing := [link for link, file in zip(links, files, strict=True) if not file]:
            fields[tag] = missing
    return tuple(dict.fromkeys(found))


def _path(link: str) -> str:
    return file_links.path_of_url(link) if link.startswith("file:") else link


def _identify(fields: Fields) -> tuple[tuple[Identifier, ...], dict[str, str]]:
    """All identifiers, and the DOI in its original case for `extra`.

    Those with a tag of their own are removed from `fields`.
    """
    pairs = []
    doi = identifier("doi", fields["DO"][0]) if "DO" in fields else None
    written = _take(fields, "DO") if doi else ""
    texts = "\n".join([value for tag in _IDENTIFIER_TAGS if tag in fields for value in fields[tag]])
    if not doi and (found_doi := _DOI.search(closed_up(texts))):
        pairs.append(("doi", found_doi[1]))
    pairs += _numbers(fields, texts)
    for tag in ("U1", "U2", "U3"):
        if tag in fields:
            fields[tag] = [text for text in fields[tag] if not _ONLY_A_NUMBER.fullmatch(text)]
    pairs += [("isbn", isbn) for isbn in _take_isbns(fields)]
    if key := _take(fields, "ID"):
        pairs.append(("citekey", key))
    found = identifiers(*pairs)
    known = (doi, *(name for name in found if name != doi)) if doi else found
    return known, doi_as_written(known, written, texts)


def _numbers(fields: Fields, texts: str) -> Iterator[tuple[str, str]]:
    """PMID, PMCID and arXiv id, for which RIS has no tags."""
    lower = texts.lower()
    database = " ".join((*fields.get("DB", ()), *fields.get("DP", ()))).lower()
    from_pubmed = any(part in database for part in ("pubmed", "medline", "nlm"))
    if "AN" in fields and from_pubmed and "embase" not in database:
        yield "pmid", fields["AN"][0]
    if "C5" in fields and "embase" in database:  # where Embase gives the PMID
        yield "pmid", fields["C5"][0]
    if "pmid" in lower or "pubmed" in lower:
        yield from (("pmid", "".join(match.groups(""))) for match in _PMID.finditer(texts))
    if "PMC" in texts:
        yield from (("pmcid", match) for match in _PMCID.findall(texts))
    if "arxiv" in lower and (match := _ARXIV.search(texts)):
        yield "arxiv", match[1]


def _take_isbns(fields: Fields) -> list[str]:
    """The ISBNs under SN and BN; other numbers stay there, under SN, line by line."""
    if "SN" not in fields and "BN" not in fields:
        return []
    lines = [
        part.strip()
        for tag in ("SN", "BN")
        for value in fields.pop(tag, ())
        for part in re.split(r"[\n;,]", value)
    ]
    isbns = [line for line in lines if len(line) > 9 and identifier("isbn", line)]
    if others := list(dict.fromkeys(line for line in lines if line and line not in isbns)):
        fields["SN"] = others
    return isbns


def _extra(fields: Fields, venue: str) -> dict[str, str]:
    """All remaining fields, each tag under its name, its values line by line."""
    extra: dict[str, str] = {}
    if pages := _pages(fields):
        extra["pages"] = pages
    if issns := fields.pop("SN", None):
        extra["issn"] = "\n".join(issns)
    for value in fields.pop(OTHER, ()):
        named = _NAMED.fullmatch(value)
        name, text = (named[1], named[2]) if named else (OTHER.lower(), value)
        extra[name] = f"{extra[name]}\n{text}" if name in extra else text
    editors = [name for tag in ("A2", "ED") for name in fields.pop(tag, ())]
    if editors:
        if is_truncation_mark(editors[-1]):
            editors[-1] = OTHERS
        extra.setdefault("editor", " and ".join(editors))
    for tag, values in fields.items():
        text = values[0] if len(values) == 1 else "\n".join(dict.fromkeys(filter(None, values)))
        # PubMed's records in EndNote have the day of publication in the place of the edition.
        is_date = tag == "ET" and _DAY.fullmatch(text)
        name = tag.lower() if is_date else EXTRA_NAMES.get(tag, tag.lower())
        if text and text != venue:
            extra[name] = f"{extra[name]}\n{text}" if name in extra else text
    return extra


def _pages(fields: Fields) -> str:
    first, last = _take(fields, "SP"), _take(fields, "EP")
    return f"{first}-{last}" if first and last and "-" not in first else first or last
