"""The web page of a paper: its identifier, or its record, in the page's meta tags.

Publishers, OpenReview and the ACL Anthology describe the paper of a page in tags for Google
Scholar: https://scholar.google.com/intl/en/scholar/inclusion.html#indexing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from contextlib import suppress
from html.parser import HTMLParser
from urllib.parse import urlsplit

from sciread_app.domain.metadata.identifiers import doi_as_written, identifiers
from sciread_app.domain.paper import Paper
from sciread_app.formats.files.encoding import WINDOWS
from sciread_app.formats.values import dates, names
from sciread_app.formats.values.markup import plain, prose
from sciread_app.sources.http.client import MIB, Client
from sciread_app.sources.http.errors import invalid_address
from sciread_app.tasks import Task

KEY = "web_page"

_LONGEST_PAGE = 4 * MIB
_LONGEST_HEAD = 8 << 10  # bytes in which a page may declare its encoding
_CHARSET = re.compile(rb"<meta\b[^<>]{0,200}\bcharset\s*=\s*[\"']?\s*([\w-]{1,40})", re.I)
_LONGEST_VALUE = 20_000  # characters
_MOST_TAGS = 2_000
_VENUES = (
    ("citation_journal_title", "article-journal"),
    ("citation_conference_title", "paper-conference"),
    ("citation_inbook_title", "chapter"),
    ("citation_dissertation_institution", "thesis"),
)
_IDENTIFIERS = (
    ("doi", "citation_doi"),
    ("doi", "dc.identifier"),
    ("doi", "prism.doi"),
    ("arxiv", "citation_arxiv_id"),
    ("pmid", "citation_pmid"),
)
_EXTRA = {
    "volume": "citation_volume",
    "number": "citation_issue",
    "publisher": "citation_publisher",
    "issn": "citation_issn",
}


def is_address(text: str) -> bool:
    """Whether the text is the address of a web page."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and " " not in text
    except ValueError:
        return False


def paper_at(address: str, client: Client, task: Task) -> Paper | None:
    """The paper that a page describes, with its identifiers; None if it describes none.

    The record may be incomplete or wrong: where it has an identifier, its source knows better.
    Raises SourceError.
    """
    parts = urlsplit(address)
    if not is_address(address) or parts.username or parts.password:
        raise invalid_address(address)
    tags: dict[str, list[str]] = client.ask(
        KEY,
        address.partition("#")[0],
        accept=("html",),
        most=_LONGEST_PAGE,
        task=task,
        parse=_tags,
    )
    return _paper(tags, address)


class _MetaTags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: dict[str, list[str]] = defaultdict(list)
        self._count = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag != "meta" or self._count >= _MOST_TAGS:
            return
        named = dict(attributes)
        name = (named.get("name") or named.get("property") or "").lower()
        value = (named.get("content") or "").strip()
        if name and value and len(value) <= _LONGEST_VALUE:
            self._count += 1
            self.tags[name].append(value)


def _tags(body: bytes) -> dict[str, list[str]]:
    parser = _MetaTags()
    parser.feed(_text(body))
    return dict(parser.tags)


def _text(body: bytes) -> str:
    """The text of a page in UTF-8, the encoding that it declares, or else Windows-1252."""
    with suppress(UnicodeDecodeError):
        return body.decode("utf-8")
    declared = _CHARSET.search(body[:_LONGEST_HEAD])
    with suppress(LookupError, UnicodeError):  # no text encoding, or none that can be incomplete
        if declared:
            return body.decode(declared[1].decode("ascii"), "replace")
    return body.decode("utf-8", WINDOWS)


def _paper(tags: dict[str, list[str]], address: str) -> Paper | None:
    def first(name: str) -> str:
        return plain(tags.get(name, [""])[0])

    found = identifiers(*((kind, first(name)) for kind, name in _IDENTIFIERS))
    title = first("citation_title")
    if not title and not found:
        return None
    venue, kind = next(((first(tag), kind) for tag, kind in _VENUES if first(tag)), ("", "article"))
    pages = "-".join(filter(None, (first("citation_firstpage"), first("citation_lastpage"))))
    extra = {name: first(tag) for name, tag in _EXTRA.items()} | {"pages": pages, "url": address}
    date = first("citation_publication_date") or first("citation_date") or first("citation_year")
    people = (plain(name) for name in tags.get("citation_author", []))
    return Paper(
        title=title,
        abstract=prose(tags.get("citation_abstract", [""])[0]),
        authors=tuple(names.from_plain(name) for name in people if name),
        kind=kind,
        published=dates.parse(date),
        venue=venue,
        identifiers=found,
        extra={name: value for name, value in extra.items() if value}
        | doi_as_written(found, *(first(name) for kind, name in _IDENTIFIERS if kind == "doi")),
        source=KEY,
        source_id=address,
    )
