"""Addresses and rate limits of the sources."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from sciread_app.errors import SourceError
from sciread_app.language import tr


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address. Endpoints with one `limit_group` share their rate limit.

    Timeouts and retries are the same for all: see `sciread_app.sources.http.client.RetryPolicy`.
    """

    key: str
    title: str
    url: str
    pause: float  # seconds between requests
    limit_group: str
    alone: bool = False  # one request at a time, of all programs on this computer
    pause_with_key: float | None = None  # if the user's API key allows more
    api_key: str = ""  # the key's name in api_keys.py
    key_header: str = ""  # the header for the key, or the parameter of the address; without
    key_parameter: str = ""  # either, the key is sent in a posted form
    sends: str = ""  # the data of the user that requests contain
    occasion: str = ""  # when it is asked


OFFICIAL = (
    Endpoint(
        "arxiv",
        "arXiv",
        "https://export.arxiv.org/api/query",
        3.0,
        "arxiv",
        alone=True,
        sends=tr("Your query, or arXiv IDs of papers"),
        occasion=tr(
            "When you preview, fetch or refresh a query, add papers by arXiv ID, or look up "
            "metadata"
        ),
    ),
    Endpoint(
        "arxiv_oai",
        "arXiv",
        "https://oaipmh.arxiv.org/oai",
        3.0,
        "arxiv",
        alone=True,
        sends=tr("Categories and dates"),
        occasion=tr(
            "When you preview, fetch or refresh all papers of arXiv categories, or a query while "
            "arXiv's query service is overloaded"
        ),
    ),
    Endpoint(
        "eutils",
        "PubMed",
        "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/",
        0.34,
        "ncbi",
        pause_with_key=0.1,
        api_key="ncbi",
        sends=tr("Your query, or identifiers of papers"),
        occasion=tr(
            "When you preview, fetch or refresh a query, add papers by PMID or PMCID, look up "
            "metadata, or fetch citations"
        ),
    ),
    Endpoint(
        "crossref",
        "Crossref",
        "https://api.crossref.org/",
        1.0,
        "crossref",
        sends=tr("Your query, or DOIs, titles and first authors of papers"),
        occasion=tr(
            "When you preview, fetch or refresh a query, add papers by identifier or title, or "
            "look up metadata"
        ),
    ),
    Endpoint(
        "europepmc",
        "Europe PMC",
        "https://www.ebi.ac.uk/europepmc/webservices/rest/",
        0.5,
        "europepmc",
        sends=tr("Your query"),
        occasion=tr("When you preview, fetch or refresh a query"),
    ),
    Endpoint(
        "datacite",
        "DataCite",
        "https://api.datacite.org/",
        0.6,
        "datacite",
        sends=tr("DOIs that Crossref does not know"),
        occasion=tr("When you add papers by DOI, or look up metadata"),
    ),
    Endpoint(
        "openalex",
        "OpenAlex",
        "https://api.openalex.org/",
        0.2,
        "openalex",
        api_key="openalex",
        key_parameter="api_key",
        sends=tr("Your query, or DOIs or titles of papers"),
        occasion=tr(
            "When you preview, fetch or refresh a query, add papers by title, or look up metadata"
        ),
    ),
    Endpoint(
        "open_library",
        "Open Library",
        "https://openlibrary.org/",
        1.0,
        "open_library",
        sends=tr("ISBNs"),
        occasion=tr("When you add books by ISBN, or look up metadata"),
    ),
    Endpoint(
        "web_page",
        tr("Web page of a paper"),
        "",  # each request has an address of its own
        1.0,
        "web_page",
        sends=tr("A request for the page"),
        occasion=tr("When you add a paper by the address of a page that does not contain its DOI"),
    ),
    # arXiv asks programs to use this server: https://info.arxiv.org/help/robots.html
    Endpoint(
        "arxiv_pdf",
        "arXiv",
        "https://export.arxiv.org/pdf/",
        3.0,
        "arxiv",
        alone=True,
        sends=tr("arXiv IDs"),
        occasion=tr("When you find PDFs of papers"),
    ),
    # https://pmc.ncbi.nlm.nih.gov/tools/oa-service/
    Endpoint(
        "pmc_oa",
        "PubMed Central",
        "https://www.ncbi.nlm.nih.gov/pmc/utils/oa/oa.fcgi",
        0.34,
        "ncbi",
        sends=tr("PMCIDs"),
        occasion=tr("When you find PDFs of papers"),
    ),
    # 100,000 requests a day: https://unpaywall.org/products/api
    Endpoint(
        "unpaywall",
        "Unpaywall",
        "https://api.unpaywall.org/v2/",
        0.9,
        "unpaywall",
        sends=tr("DOIs, and your email address"),
        occasion=tr("When you find PDFs of papers"),
    ),
    Endpoint(
        "open_access",
        tr("Publishers and repositories"),
        "",  # each request has an address of its own
        1.0,
        "open_access",
        sends=tr("A request for the file"),
        occasion=tr("When you find PDFs of papers"),
    ),
    Endpoint(
        "semantic_scholar",
        "Semantic Scholar",
        "https://api.semanticscholar.org/graph/v1/",
        1.0,
        "semantic_scholar",
        api_key="semantic_scholar",
        key_header="x-api-key",
        sends=tr("Identifiers of papers"),
        occasion=tr(
            "When you fetch citations, look up the titles of cited papers, or add a paper by the "
            "address of its page there"
        ),
    ),
    Endpoint(
        "zotero",
        "Zotero",
        "http://127.0.0.1:23119/api/users/0/",
        0.0,
        "zotero",
        sends=tr("None that leaves this computer"),
        occasion=tr("When you import from Zotero"),
    ),
)
_DOMAINS = (
    "arxiv.org",
    "crossref.org",
    "datacite.org",
    "ebi.ac.uk",
    "nih.gov",
    "openalex.org",
    "openlibrary.org",
    "semanticscholar.org",
    "unpaywall.org",
)


def endpoints(environ: Mapping[str, str], settings: object) -> dict[str, Endpoint]:
    """All endpoints, with the addresses set in the environment or else in the settings.

    SCIREAD_ARXIV_URL, or `arxiv_url` in the settings, and so on. SCIREAD_ARXIV_PAUSE, in seconds,
    applies to mirrors only. Raises SourceError, naming the invalid variable.
    """
    return {official.key: _selected(official, environ, settings) for official in OFFICIAL}


def _selected(official: Endpoint, environ: Mapping[str, str], settings: object) -> Endpoint:
    name = f"SCIREAD_{official.key.upper()}"
    url = environ.get(f"{name}_URL") or getattr(settings, f"{official.key}_url", "")
    if not url:
        return official
    host = _host(url, f"{name}_URL")
    if any(host == domain or host.endswith(f".{domain}") for domain in _DOMAINS):
        return replace(official, url=url)  # the limits of the official servers are fixed
    # A mirror's pause must not delay requests to the official servers.
    limit_group = re.sub(
        r"[^a-z0-9]+", "_", f"{official.limit_group} at {urlsplit(url).netloc}".lower()
    )
    mirror = replace(official, url=url, limit_group=limit_group)
    pause = environ.get(f"{name}_PAUSE")
    if not pause:
        return mirror
    return replace(mirror, pause=_seconds(pause, f"{name}_PAUSE"), pause_with_key=None)


def _host(url: str, name: str) -> str:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https"):
        raise SourceError(
            tr("{name} is not a valid web address: {value}.", name=name, value=repr(url)),
            tr("Enter an address that starts with https:// and contains a server name."),
        )
    return host


def _seconds(text: str, name: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise SourceError(
            tr("{name} is not a valid number of seconds: {value}.", name=name, value=repr(text)),
            tr("For example: {example}", example="0.5"),
        )
    return seconds
