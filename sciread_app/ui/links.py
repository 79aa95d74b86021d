"""Identifiers as links to where the web knows a page for them."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from sciread_app.domain.paper import Identifier

ADDRESSES = {
    "doi": "https://doi.org/",
    "arxiv": "https://arxiv.org/abs/",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "pmcid": "https://pmc.ncbi.nlm.nih.gov/articles/",
    "isbn": "https://openlibrary.org/isbn/",
}
NAMES = {"doi": "DOI", "arxiv": "arXiv", "pmid": "PubMed", "pmcid": "PMC", "isbn": "ISBN"}


def link_of(name: Identifier) -> tuple[str, str]:
    """What a link to this identifier says, and its address; empty where the web knows none."""
    kind, value = name
    if kind not in ADDRESSES:
        return f"{kind} {value}", ""
    return f"{NAMES[kind]} {value}", ADDRESSES[kind] + quote(value, safe="/.:;()-_")


def links(identifiers: Iterable[Identifier]) -> list[tuple[str, str]]:
    """(text, address) of every identifier that the web knows a page for."""
    return [link for name in identifiers if (link := link_of(name))[1]]
