"""The journal that a paper's first page or DOI names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from sciread_app.paths import resource

_SERVER = re.compile(r"\b(bioRxiv|medRxiv|ChemRxiv|PsyArXiv)\s+preprint", re.I)
_SERVERS = {name.lower(): name for name in ("bioRxiv", "medRxiv", "ChemRxiv", "PsyArXiv")}
_NAME = r"(?P<name>[A-Z][A-Za-z&.,:’' -]{4,70}?)"
# Computer Physics Communications 181 (2010) 687-702; Kidney International, Vol. 51 (1997)
_HEAD = re.compile(
    rf"^{_NAME},?\s+(?:Vol\.?\s*)?\d{{1,4}}\s*(?:,\s*)?\((?:\w+\.?\s)?(?:19|20)\d\d\)"
    rf"|^{_NAME.replace('name', 'n2')}\s*\((?:19|20)\d\d\)\s*\d+\s*[:,]"
    rf"|^{_NAME.replace('name', 'n3')},\s*\d+,\s*\d+\s*[–-]\s*\d+,\s*(?:19|20)\d\d",
    re.M,
)
_PROCEEDINGS = re.compile(
    r"^(?:In\s+)?((?:Proceedings\s+of\s+the|Advances\s+in)\s[^\n,]{10,140}?)(?=,|\s*\(|\n|$)", re.M
)
_NO_NAME = re.compile(
    r"\b(?:received|accepted|published|figure|table|section|et\s+al)\b|\d{5}", re.I
)


@cache
def _by_doi() -> tuple[tuple[str, str], ...]:
    """Beginnings of DOIs that belong to one journal, and the journal; the longest first."""
    lines = resource("doi_venues.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(" ") for line in lines)
    return tuple(sorted(((start, venue) for start, _, venue in pairs), key=_longest_first))


def _longest_first(pair: tuple[str, str]) -> int:
    return -len(pair[0])


def venue_of_doi(doi: str) -> str:
    """The journal that a DOI belongs to; empty if it does not say."""
    return next((venue for start, venue in _by_doi() if doi.startswith(start)), "")


def printed_venue(pages: Sequence[str], doi: str) -> str:
    """The journal, series or server; empty if none is certain."""
    if venue := venue_of_doi(doi):
        return venue
    page = pages[0] if pages else ""
    if match := _SERVER.search(page):
        return _SERVERS[match[1].lower()]
    for match in _HEAD.finditer(page):
        name: str = next(filter(None, match.groups())).strip(" ,")
        if not _NO_NAME.search(name) and len(name.split()) <= 10:
            return name
    match = _PROCEEDINGS.search(page)
    return str(match[1]).strip() if match else ""
