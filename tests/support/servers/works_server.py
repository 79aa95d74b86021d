"""A fake Crossref, DataCite, OpenAlex, Open Library and web site over the same works."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import unquote

from sciread_app.sources.endpoints import Endpoint
from tests.support.servers.local import Answer, Asked, LocalServer

_JSON = "application/json"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Work:
    """`registry` is "crossref" or "datacite". An abstract is given by the registry if `open`, and
    always by OpenAlex. A book has an ISBN in place of a DOI."""

    doi: str
    title: str
    authors: tuple[str, ...] = ("Curie, Marie",)
    year: int = 2015
    venue: str = "Annals of Works"
    abstract: str = ""
    registry: str = "crossref"
    open: bool = True
    isbn: str = ""
    notices: tuple[tuple[str, str], ...] = ()  # kinds and DOIs, at Crossref
    retracted: bool = False  # at OpenAlex
    topic: str = ""  # at OpenAlex


def numbered(number: int, **values: Any) -> Work:
    """A work that depends on its number only."""
    defaults: dict[str, Any] = {
        "title": f"Study number {number} of radiation in {_kind(number)} crystals",
        "abstract": f"We irradiate crystals of kind {number} and observe them.",
        "year": 1950 + number % 70,
    }
    return Work(f"10.5555/work.{number}", **(defaults | values))


def _kind(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number)) + "ite"


class WorksServer(LocalServer):
    """All services at one address, told apart by the first part of the path."""

    def __init__(self, works: Iterable[Work] = ()) -> None:
        super().__init__()
        self.works = {work.doi or work.isbn: work for work in works}
        self.pages: dict[str, str] = {}  # HTML by path, as of /page
        self.shas: dict[str, str] = {}  # DOIs by the name of a page at Semantic Scholar
        self.rejected: set[str] = set()  # DOIs for which Crossref rejects a request

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """Endpoints without a pause between requests."""
        titles = {
            "crossref": "Crossref",
            "datacite": "DataCite",
            "openalex": "OpenAlex",
            "open_library": "Open Library",
            "semantic_scholar": "Semantic Scholar",
        }
        known = {
            key: Endpoint(key, title, f"{self.url}{key}/", 0.0, key)
            for key, title in titles.items()
        }
        return known | {"web_page": Endpoint("web_page", "Web page", "", 0.0, "web_page")}

    @property
    def environ(self) -> dict[str, str]:
        """The variables that make the program use this server."""
        urls = {
            f"SCIREAD_{key.upper()}_URL": one.url for key, one in self.endpoints.items() if one.url
        }
        return urls | {name.replace("_URL", "_PAUSE"): "0" for name in urls}

    def add(self, *works: Work) -> None:
        self.works |= {work.doi or work.isbn: work for work in works}

    def asked(self, service: str) -> list[Asked]:
        """The requests to one service, so far."""
        return [one for one in self.requests if one.path.startswith(f"/{service}/")]

    def page_of(self, path: str, **tags: str | Iterable[str]) -> str:
        """Add a page with these meta tags, and return its address."""
        metas = "".join(
            f'<meta name="{name}" content="{escape(value)}">'
            for name, values in tags.items()
            for value in ([values] if isinstance(values, str) else values)
        )
        self.pages[path] = f"<html><head><title>Page</title>{metas}</head><body>Text</body></html>"
        return f"{self.url}page/{path}"

    def respond(self, asked: Asked) -> Answer:
        service, _, path = asked.path.removeprefix("/").partition("/")
        if service == "page":
            page = self.pages.get(path)
            return Answer(page.encode(), "text/html; charset=utf-8") if page else _nothing()
        if service == "crossref":
            return self._crossref(path, asked.params)
        if service == "datacite":
            dois = re.findall(r'doi:"([^"]+)"', asked.params["query"])
            return _json({"data": [_datacite(one) for one in self._of(dois, "datacite")]})
        if service == "openalex":
            return self._openalex(asked.params)
        if service == "open_library":
            isbns = re.findall(r"ISBN:(\d+)", asked.params["bibkeys"])
            found = [self.works[isbn] for isbn in isbns if isbn in self.works]
            return _json({f"ISBN:{one.isbn}": _book(one) for one in found})
        if service == "semantic_scholar":
            doi = self.shas.get(path.removeprefix("paper/"))
            return _json({"paperId": "x", "externalIds": {"DOI": doi}}) if doi else _nothing()
        return _nothing()

    def _of(self, dois: Iterable[str], registry: str) -> list[Work]:
        works = [self.works[doi] for doi in dois if doi in self.works]
        return [work for work in works if work.registry == registry]

    def _crossref(self, path: str, params: dict[str, str]) -> Answer:
        if path.startswith("works/"):
            found = self._of([unquote(path.split("/")[1]).lower()], "crossref")
            return _json(_crossref(found[0])) if found else _nothing()
        if filter := params.get("filter", ""):
            dois = [part.removeprefix("doi:") for part in filter.split(",")]
            if self.rejected & set(dois):
                return Answer(b'{"message": "invalid filter"}', _JSON, 400)
            items = [_crossref(one) for one in self._of(dois, "crossref")]
        else:
            items = [_crossref(one) for one in self._titled(params["query.bibliographic"])]
        return _json({"status": "ok", "message": {"items": items[: int(params["rows"])]}})

    def _openalex(self, params: dict[str, str]) -> Answer:
        kind, _, value = params["filter"].partition(":")
        if kind == "doi":
            found = [self.works[doi] for doi in value.split("|") if doi in self.works]
        else:
            found = self._titled(value)
        results = [_openalex(n, one) for n, one in enumerate(found, start=1)]
        return _json({"meta": {}, "results": results[: int(params["per_page"])]})

    def _titled(self, title: str) -> list[Work]:
        """The works that share half of the words, most words first."""
        words = set(_WORD.findall(title.lower()))

        def shared(work: Work) -> int:
            return len(words & set(_WORD.findall(work.title.lower())))

        found = [one for one in self.works.values() if one.doi and shared(one) * 2 >= len(words)]
        return sorted(found, key=shared, reverse=True)


def _names(work: Work) -> list[tuple[str, str]]:
    pairs = (name.partition(",") for name in work.authors)
    return [(family.strip(), given.strip()) for family, _, given in pairs]


def _crossref(work: Work) -> dict[str, Any]:
    record = {
        "DOI": work.doi.upper(),
        "type": "journal-article",
        "title": [work.title],
        "author": [{"family": family, "given": given} for family, given in _names(work)],
        "container-title": [work.venue],
        "issued": {"date-parts": [[work.year, 3]]},
        "volume": "7",
        "page": "1-12",
        "publisher": "Works Press",
        "ISSN": ["1234-5679"],
    }
    if work.abstract and work.open:
        record["abstract"] = f"<jats:p>{escape(work.abstract)}</jats:p>"
    if work.notices:
        record["updated-by"] = [
            {"DOI": doi.upper(), "type": kind, "source": "retraction-watch"}
            for kind, doi in work.notices
        ]
    return record


def _datacite(work: Work) -> dict[str, Any]:
    descriptions = [{"descriptionType": "Abstract", "description": work.abstract}]
    return {
        "id": work.doi,
        "attributes": {
            "doi": work.doi,
            "titles": [{"title": work.title}],
            "creators": [
                {"name": f"{family}, {given}", "familyName": family, "givenName": given}
                for family, given in _names(work)
            ],
            "publicationYear": work.year,
            "dates": [{"dateType": "Issued", "date": f"{work.year}-03-01"}],
            "publisher": "Zenodo",
            "types": {"resourceTypeGeneral": "Dataset", "citeproc": "dataset"},
            "descriptions": descriptions if work.abstract and work.open else [],
        },
    }


def _openalex(number: int, work: Work) -> dict[str, Any]:
    index: dict[str, list[int]] = {}
    for place, word in enumerate(work.abstract.split()):
        index.setdefault(word, []).append(place)
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/{work.doi}",
        "title": work.title,
        "publication_date": f"{work.year}-03-01",
        "type": "article",
        "authorships": [{"raw_author_name": f"{given} {family}"} for family, given in _names(work)],
        "primary_location": {"source": {"display_name": work.venue, "type": "journal"}},
        "abstract_inverted_index": index,
        "is_retracted": work.retracted,
        "topics": [{"display_name": work.topic}] if work.topic else [],
    }


def _book(work: Work) -> dict[str, Any]:
    return {
        "title": work.title,
        "authors": [{"name": f"{given} {family}"} for family, given in _names(work)],
        "publish_date": f"March {work.year}",
        "publishers": [{"name": "Works Press"}],
    }


def _json(value: Any) -> Answer:
    return Answer(json.dumps(value).encode(), _JSON)


def _nothing() -> Answer:
    return Answer(b"Resource not found.", "text/plain", 404)
