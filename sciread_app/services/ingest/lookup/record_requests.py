"""Requests for many records by identifier or title, in the batches that each source allows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from sciread_app.domain.paper import Identifier, Paper
from sciread_app.errors import SourceError
from sciread_app.language import tr
from sciread_app.sources import crossref, datacite, open_library, openalex, web_page
from sciread_app.sources.arxiv import records as arxiv
from sciread_app.sources.http.client import Client
from sciread_app.sources.http.errors import RequestRejected
from sciread_app.sources.pubmed import records as pubmed
from sciread_app.tasks import Task


class Route(NamedTuple):
    """A source of records by one kind of identifier; `ask` takes `batch` values at most."""

    title: str
    kind: str
    batch: int
    ask: Callable[[Sequence[str], Client, Task], list[Paper]]


ARXIV = Route(arxiv.TITLE, "arxiv", arxiv.BATCH, arxiv.by_ids)
PMID = Route(pubmed.TITLE, "pmid", pubmed.BATCH, pubmed.by_pmids)
PMCID = Route(pubmed.TITLE, "pmcid", pubmed.BATCH, pubmed.by_pmcids)
CROSSREF = Route(crossref.TITLE, "doi", crossref.BATCH, crossref.by_dois)
DATACITE = Route(datacite.TITLE, "doi", datacite.BATCH, datacite.by_dois)
OPENALEX = Route(openalex.TITLE, "doi", openalex.BATCH, openalex.by_dois)
ISBN = Route(open_library.TITLE, "isbn", open_library.BATCH, open_library.by_isbns)
_TITLES = {
    arxiv.KEY: arxiv.TITLE,
    crossref.KEY: crossref.TITLE,
    datacite.KEY: datacite.TITLE,
    open_library.KEY: open_library.TITLE,
    openalex.KEY: openalex.TITLE,
    pubmed.KEY: pubmed.TITLE,
    web_page.KEY: tr("Web page"),
}
_FORBIDDEN = (401, 403)
_CANDIDATES = 10  # records requested for a title


def source_title(key: str) -> str:
    """The title of the source of a looked up field; the key itself if there is no such source."""
    return _TITLES.get(key, key)


class Records(NamedTuple):
    """Records by identifier, and the identifiers that could not be asked for."""

    found: dict[Identifier, Paper]
    unasked: frozenset[Identifier] = frozenset()


class RecordRequests:
    """The requests of one job. A source that has failed is not asked again in it: its retries take
    minutes. `failed` are the errors of such sources, by their titles."""

    def __init__(self, client: Client, task: Task) -> None:
        self._client = client
        self._task = task
        self.failed: dict[str, SourceError] = {}

    def by_identifiers(self, route: Route, names: Iterable[Identifier]) -> Records:
        """The records of those names that are of the route's kind. Raises Cancelled."""
        wanted = [name for name in dict.fromkeys(names) if name.kind == route.kind]
        found: dict[Identifier, Paper] = {}
        unasked: frozenset[Identifier] = frozenset()
        for start in range(0, len(wanted), route.batch):
            records = self._batch(route, wanted[start : start + route.batch])
            found |= records.found
            unasked |= records.unasked
        return Records(found, unasked)

    def by_doi(self, names: Iterable[Identifier]) -> Records:
        """The records of these DOIs at Crossref, else at DataCite."""
        names = [name for name in names if name.kind == "doi"]
        first = self.by_identifiers(CROSSREF, names)
        rest = [name for name in names if name not in first.found]
        second = self.by_identifiers(DATACITE, rest)
        found = first.found | second.found
        return Records(found, (first.unasked | second.unasked) - found.keys())

    def by_title(self, source: Route, title: str, author: str = "") -> list[Paper] | None:
        """Records of CROSSREF or OPENALEX with a similar title; None if it could not be asked."""
        if source.title in self.failed:
            return None
        self._note(source)
        try:
            if source is CROSSREF:
                return crossref.by_title(title, author, _CANDIDATES, self._client, self._task)
            return openalex.by_title(title, _CANDIDATES, self._client, self._task)
        except RequestRejected as error:
            if error.status not in _FORBIDDEN:
                return []
            self.failed[source.title] = error
        except SourceError as error:
            self.failed[source.title] = error
        return None

    def _note(self, source: Route) -> None:
        self._task.note(tr("Asking {source}", source=source.title))

    def _batch(self, route: Route, names: Sequence[Identifier]) -> Records:
        if route.title in self.failed:
            return Records({}, frozenset(names))
        self._note(route)
        try:
            papers = route.ask([name.value for name in names], self._client, self._task)
        except RequestRejected as error:
            # One identifier that the source cannot read may spoil the whole request.
            if error.status in _FORBIDDEN:
                self.failed[route.title] = error
                return Records({}, frozenset(names))
            if len(names) == 1:
                return Records({})
            middle = len(names) // 2
            halves = [self._batch(route, half) for half in (names[:middle], names[middle:])]
            return Records(halves[0].found | halves[1].found, halves[0].unasked | halves[1].unasked)
        except SourceError as error:
            self.failed[route.title] = error
            return Records({}, frozenset(names))
        asked = set(names)
        return Records(
            {name: paper for paper in papers for name in paper.identifiers if name in asked}
        )
