"""Fetches from PubMed by NCBI's E-utilities: whole result sets, in slices where they are large."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from sciread_app.domain.fetch import BOOLEAN, FetchPage, Preview, QueryField, SourceQuery
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import Busy, SourceError
from sciread_app.formats.pubmed import xml as pubmed_xml
from sciread_app.language import tr, trn
from sciread_app.sources import date_bounds, query_syntax
from sciread_app.sources.http.client import Client
from sciread_app.sources.progress_guard import ProgressGuard
from sciread_app.sources.pubmed.search import (
    MOST,
    PubmedSlice,
    SearchResult,
    search,
    slice_of,
    understood,
)
from sciread_app.tasks import Task

KEY = "pubmed"
TITLE = "PubMed"
FIELDS = (
    QueryField(tr("Title or abstract"), '"{}"[tiab]', "gut microbiome"),
    QueryField(tr("Title"), '"{}"[ti]', "machine learning"),
    QueryField(tr("Author"), "{}[au]", "hinton g"),
    QueryField(tr("MeSH term"), '"{}"[mh]', "Sepsis"),
    QueryField(tr("Journal"), '"{}"[ta]', "Lancet"),
    QueryField(tr("Publication type"), '"{}"[pt]', "Randomized Controlled Trial"),
    QueryField(tr("Affiliation"), "{}[ad]", "karolinska"),
    QueryField(tr("Language"), "{}[la]", "english"),
)
OPERATORS = BOOLEAN
HELP = tr(
    "Put fields after the words, and write AND, OR, and NOT in capitals. For example: "
    "sepsis[mh] AND (biomarker[tiab] OR procalcitonin[tiab]) NOT review[pt]."
)

_BATCH = 500
_SHOWN = 10
_MANY = 50_000  # papers that need more than a hundred requests
_NEWER = 500  # new papers at the head of a list up to which the position in it is found again
# More papers than this were not all deleted between the search and the response.
_FEW = 20
# PubMed's messages that a result list has expired, or is temporarily unavailable.
_FORGOTTEN = re.compile(r"obtain query|history|webenv|query_key|external viewer", re.I)
_NEVER_CAME = tr(
    "PubMed lists this paper but did not send its record, which may have been deleted."
)


@dataclass(frozen=True, slots=True)
class _PubmedCursor:
    """The position of a fetch."""

    todo: tuple[PubmedSlice, ...]  # the last one is the current one
    done: int = 0  # papers of the current slice already fetched,
    mark: int = 0  # and a hash by which these are recognized
    total: int = 0

    def cursor(self) -> str:
        return json.dumps([self.todo, self.done, self.mark, self.total], separators=(",", ":"))

    @classmethod
    def of(cls, cursor: str) -> _PubmedCursor:
        try:
            todo, done, mark, total = json.loads(cursor)
            return cls(tuple(PubmedSlice(*part) for part in todo), done, mark, total)
        except (ValueError, TypeError) as error:
            raise SourceError(
                tr("The saved position of this PubMed fetch could not be read."),
                tr("Start the fetch again from the beginning."),
            ) from error

    def with_slices(self, *slices: PubmedSlice) -> _PubmedCursor:
        """Replace the current slice by these."""
        return replace(self, todo=(*self.todo[:-1], *slices), done=0, mark=0)

    def after(self, pmids: Sequence[str]) -> _PubmedCursor:
        return replace(self, done=self.done + len(pmids), mark=_mark(pmids, self.mark))


def fetch(query: SourceQuery, cursor: str, client: Client, task: Task) -> Iterator[FetchPage]:
    """The results of the query; of a large set, the papers entered last come first."""
    place = _PubmedCursor.of(cursor) if cursor else _PubmedCursor((slice_of(query),))
    left, guard = query.most, ProgressGuard(TITLE)
    while place.todo and (left > 0 or not query.most):
        part, doubt = place.todo[-1], partial(_doubt, place)
        guard.ask()
        found = search(query, part, MOST, client, task, doubted=doubt)
        if not guard.believes((found.total, *found.pmids), doubt(found.total)):
            continue
        guard.moved()
        place = replace(place, total=place.total or found.total)
        enough = query.most and place.done + left <= MOST
        if found.total > MOST and not enough:
            place = place.with_slices(*part.halves())
            continue
        for page in _pages(query, place, found, left, client, task):
            left -= len(page.records)
            yield page
        place = place.with_slices()


def _doubt(place: _PubmedCursor, total: int) -> str:
    """The reason to doubt the size of the current slice; empty if there is none."""
    if total < place.done:
        return tr("PubMed reports fewer papers than it has sent")
    if place.total and total > place.total:
        return tr("PubMed reports more papers for a part of the query than for the whole query")
    return ""


def _pages(
    query: SourceQuery,
    place: _PubmedCursor,
    found: SearchResult,
    left: int,
    client: Client,
    task: Task,
) -> Iterator[FetchPage]:
    """The papers of one slice; if the whole query finds none, a page that says so."""
    if place.total and not found.pmids:
        return
    pmids, place = _resumed(found.pmids, place)
    again = partial(search, query, place.todo[-1], MOST, client, task)
    listing = _Records(found, pmids, place.done, again, client, task)
    while True:
        number = min(_BATCH, left) if query.most else _BATCH
        records = listing.get(place.done, number)
        left -= len(records)
        place = place.after(pmids[place.done : place.done + number])
        ended = place.done >= len(pmids)
        yield FetchPage(records, (place.with_slices() if ended else place).cursor(), place.total)
        if ended or (query.most and left <= 0):
            return


class _Records:
    """Fetches the records of a result list from the history server.

    The PMIDs of the list are known here as well. A missing record is requested by its PMID, and
    reported if it is missing then, whatever has happened to the list on the server.
    """

    def __init__(
        self,
        found: SearchResult,
        pmids: Sequence[str],
        done: int,
        again: Callable[[], SearchResult],
        client: Client,
        task: Task,
    ) -> None:
        """The first `done` of `pmids` are already fetched. `again` repeats the search."""
        self._found, self._pmids, self._again = found, pmids, again
        self._client, self._task = client, task
        self._came = set(pmids[:done])

    def get(self, start: int, number: int) -> list[Paper | Skipped]:
        """The records of `number` papers, and any others in the same response, each only once."""
        expected = self._pmids[start : start + number]
        if not expected:
            return []
        records = self._new(self._from_history(start, len(expected)))
        if missing := self._missing(expected):
            records += self._new(self._ask([("id", ",".join(missing))], len(missing)))
        never = self._missing(expected)
        self._came.update(never)
        return records + [Skipped("PubMed", pmid, _NEVER_CAME) for pmid in never]

    def _new(self, records: Iterable[Paper | Skipped]) -> list[Paper | Skipped]:
        found = []
        for record in records:
            pmid = record.source_id if isinstance(record, Paper) else record.entry
            if pmid not in self._came:
                self._came.add(pmid)
                found.append(record)
        return found

    def _missing(self, expected: Sequence[str]) -> list[str]:
        return [pmid for pmid in expected if pmid not in self._came]

    def _from_history(self, start: int, number: int) -> list[Paper | Skipped]:
        """Empty if the list expires again right after the search was repeated."""
        for last in (False, True):
            form = [
                ("WebEnv", self._found.web_env),
                ("query_key", self._found.query_key),
                ("retstart", str(start)),
                ("retmax", str(number)),
            ]
            try:
                return self._ask(form, number)
            except Busy:
                raise
            except SourceError as error:
                # An error with an HTTP status of its own comes from the client.
                if not _FORGOTTEN.search(error.message):
                    raise
            if not last:
                self._found = self._again()
        return []

    def _ask(self, form: list[tuple[str, str]], number: int) -> list[Paper | Skipped]:
        def complain(found: pubmed_xml.EFetchResponse) -> str:
            """Why a response cannot be used; empty if it can, or if it says that the list has
            expired."""
            if found.error and not _FORGOTTEN.search(found.error):
                return found.error
            empty = not found.records and not found.error and number > _FEW
            none = trn(
                "it does not contain the {n} requested paper",
                "it contains none of the {n} requested papers",
                number,
            )
            return none if empty else ""

        form = [("db", "pubmed"), *form, ("retmode", "xml")]
        found: pubmed_xml.EFetchResponse = self._client.ask(
            "eutils",
            "efetch.fcgi",
            form=form,
            task=self._task,
            parse=pubmed_xml.answer,
            check=complain,
            keep=False,
        )
        if found.error:
            raise SourceError(tr("PubMed no longer has the search results: {why}", why=found.error))
        return found.records


def preview(query: SourceQuery, client: Client, task: Task) -> Preview:
    """The number of papers and the first few, with remarks on how PubMed understood the query and
    on large result sets. Raises SourceError and Cancelled."""
    whole = slice_of(query)
    found = search(query, whole, _SHOWN, client, task, fresh=False)
    again = partial(search, query, whole, _SHOWN, client, task)
    listing = _Records(found, found.pmids, 0, again, client, task)
    papers = [record for record in listing.get(0, _SHOWN) if isinstance(record, Paper)]
    remarks = [found.remark, understood(found, query.text)]
    wanted = min(found.total, query.most or found.total)
    if wanted > MOST:
        remarks.append(
            tr(
                "PubMed returns at most {most:,} papers per search, so the papers will be "
                "fetched in parts, by date of entry.",
                most=MOST,
            )
        )
    if wanted > _MANY:
        remarks.append(
            tr(
                "NCBI asks users to fetch this many papers on weekends, or from 21:00 to 5:00 "
                "in New York."
            )
        )
    return Preview(found.total, papers, "\n".join(filter(None, remarks)))


def check(query: SourceQuery) -> str:
    """The error in the query, as far as it can be detected offline."""
    return query_syntax.check(query.text) or date_bounds.check(query)


def nothing_found_reason(now: datetime) -> str:
    """The reason why there may be nothing new."""
    if now.weekday() >= 5:
        return tr("PubMed adds few papers on Saturdays and Sundays.")
    return ""


def _resumed(pmids: Sequence[str], place: _PubmedCursor) -> tuple[Sequence[str], _PubmedCursor]:
    """The papers of a slice, those already fetched first, and the position among them.

    If the list has changed so much that these are not found in it, the position is the beginning:
    repeated papers are recognized, but skipped ones would be lost.
    """
    for newer in range(min(len(pmids) - place.done, _NEWER) + 1):
        known = pmids[newer : newer + place.done]
        if _mark(known) == place.mark:
            return [*known, *pmids[:newer], *pmids[newer + place.done :]], place
    return pmids, replace(place, done=0, mark=0)


def _mark(pmids: Sequence[str], before: int = 0) -> int:
    return zlib.crc32("".join(f"{pmid} " for pmid in pmids).encode(), before)
