"""Where the sources are on the network, and how often each may be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

OFFICIAL_PAGE = "https://github.com/sciread/sciread"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address. Those of one lane share their limit."""

    key: str
    title: str
    url: str
    pause: float  # seconds from one request to the next
    lane: str
    alone: bool = False  # one request at a time, of all programs on this computer
    pause_with_key: float | None = None  # where a key of one's own allows more
    api_key: str = ""  # what the key is called in keys.py
    key_header: str = ""  # the header the key goes into; else it goes into a posted form


OFFICIAL = (
    Endpoint("arxiv", "arXiv", "https://export.arxiv.org/api/query", 3.0, "arxiv", alone=True),
    Endpoint("arxiv_oai", "arXiv", "https://oaipmh.arxiv.org/oai", 3.0, "arxiv", alone=True),
    Endpoint(
        "eutils",
        "PubMed",
        "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/",
        0.34,
        "ncbi",
        pause_with_key=0.1,
        api_key="ncbi",
    ),
    Endpoint(
        "semantic_scholar",
        "Semantic Scholar",
        "https://api.semanticscholar.org/graph/v1/",
        1.0,
        "semantic_scholar",
        api_key="semantic_scholar",
        key_header="x-api-key",
    ),
)


def endpoints(environ: Mapping[str, str], settings: object) -> dict[str, Endpoint]:
    """Every endpoint, at the address that the environment or else the settings name for it.

    SCIREAD_ARXIV_URL and SCIREAD_ARXIV_PAUSE, or `arxiv_url` in the settings, and so on. At an
    official address nobody may ask more often than it allows.
    """
    return {official.key: _chosen(official, environ, settings) for official in OFFICIAL}


def _chosen(official: Endpoint, environ: Mapping[str, str], settings: object) -> Endpoint:
    name = f"SCIREAD_{official.key.upper()}"
    url = environ.get(f"{name}_URL") or getattr(settings, f"{official.key}_url", "")
    if not url or _host(url) == _host(official.url):
        return official
    pause = float(environ.get(f"{name}_PAUSE") or official.pause)
    return replace(official, url=url, pause=pause)


def _host(url: str) -> str:
    return url.split("//")[-1].split("/")[0].lower()
