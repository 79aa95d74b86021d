"""Fetches from PubMed by NCBI's E-utilities: whole result sets, in slices where they are large."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from sciread_app.domain.fetch import FetchPage, Preview, QueryField, SourceQuery
from sciread_app.domain.paper import Paper
from sciread_app.errors import SourceError
from sciread_app.language import tr
from sciread_app.sources import date_bounds
from sciread_app.sources.http.client import Client
from sciread_app.sources.progress_guard import ProgressGuard
from sciread_app.sources.pubmed.records import RecordFetcher
from sciread_app.sources.pubmed.search import (
    MOST,
    SearchResult,
    Slice,
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
HELP = tr(
    "Fields stand behind the words, and AND, OR and NOT in capitals. For example "
    "sepsis[mh] AND (biomarker[tiab] OR procalcitonin[tiab]) NOT review[pt]."
)

_BATCH = 500
_SHOWN = 10
_MANY = 50_000  # papers that need more than a hundred requests
_NEWER = 500  # new papers at the head of a list up to which the position in it is found again
_QUOTED = re.compile(r'"[^"]*"')
_PAIRS = (("(", ")"), ("[", "]"))
_LOOSE = re.compile(r"^(AND|OR)\b|\b(AND|OR|NOT)$")


@dataclass(frozen=True, slots=True)
class _Place:
    """The position of a fetch."""

    todo: tuple[Slice, ...]  # the last one is the current one
    done: int = 0  # papers of the current slice already fetched,
    mark: int = 0  # and a hash by which these are recognised
    total: int = 0

    def cursor(self) -> str:
        return json.dumps([self.todo, self.done, self.mark, self.total], separators=(",", ":"))

    @classmethod
    def of(cls, cursor: str) -> _Place:
        try:
            todo, done, mark, total = json.loads(cursor)
            return cls(tuple(Slice(*part) for part in todo), done, mark, total)
        except (ValueError, TypeError) as error:
            raise SourceError(
                tr("Where this fetch of PubMed stood cannot be read any more."),
                tr("Start it anew."),
            ) from error

    def with_slices(self, *slices: Slice) -> _Place:
        """Replace the current slice by these."""
        return replace(self, todo=(*self.todo[:-1], *slices), done=0, mark=0)

    def after(self, pmids: Sequence[str]) -> _Place:
        return replace(self, done=self.done + len(pmids), mark=_mark(pmids, self.mark))


def fetch(query: SourceQuery, cursor: str, client: Client, task: Task) -> Iterator[FetchPage]:
    """The results of the query; of a large set, the papers entered last come first."""
    place = _Place.of(cursor) if cursor else _Place((slice_of(query),))
    left, guard = query.most, ProgressGuard(TITLE)
    while place.todo and (left > 0 or not query.most):
        part, doubt = place.todo[-1], partial(_doubt, place)
        guard.ask()
        found = search(query, part, MOST, client, task, doubted=doubt)
        if not guard.believes((found.total, *found.pmids), doubt(found.total)):
            continue
        guard.moved()
        place = replace(place, total=place.total or found.total)
        if found.total > MOST and not 0 < place.done + left <= MOST:
            place = place.with_slices(*part.halves())
            continue
        for page in _pages(query, place, found, left, client, task):
            left -= len(page.records)
            yield page
        place = place.with_slices()


def _doubt(place: _Place, total: int) -> str:
    """The reason to doubt the size of the current slice; empty if there is none."""
    if total < place.done:
        return tr("PubMed suddenly counts fewer papers than it has sent")
    if place.total and total > place.total:
        return tr("PubMed counts more papers in a part than in the whole")
    return ""


def _pages(
    query: SourceQuery, place: _Place, found: SearchResult, left: int, client: Client, task: Task
) -> Iterator[FetchPage]:
    """The papers of one slice; if the whole query finds none, a page that says so."""
    if place.total and not found.pmids:
        return
    pmids, place = _resumed(found.pmids, place)
    part = place.todo[-1]

    def again() -> SearchResult:
        return search(query, part, MOST, client, task)

    listing = RecordFetcher(found, pmids, place.done, again, client, task)
    while True:
        number = min(_BATCH, left) if query.most else _BATCH
        records = listing.get(place.done, number)
        left -= len(records)
        place = place.after(pmids[place.done : place.done + number])
        ended = place.done >= len(pmids)
        yield FetchPage(records, (place.with_slices() if ended else place).cursor(), place.total)
        if ended or (query.most and left <= 0):
            return


def preview(query: SourceQuery, client: Client, task: Task) -> Preview:
    whole = slice_of(query)

    def again() -> SearchResult:
        return search(query, whole, _SHOWN, client, task)

    found = search(query, whole, _SHOWN, client, task, fresh=False)
    listing = RecordFetcher(found, found.pmids, 0, again, client, task)
    papers = [record for record in listing.get(0, _SHOWN) if isinstance(record, Paper)]
    remarks = [found.remark, understood(found, query.text)]
    wanted = min(found.total, query.most or found.total)
    if wanted > MOST:
        remarks.append(
            tr(
                "PubMed shows no more than {most:,} papers of one search: these will be fetched "
                "in parts, by the days when they were entered.",
                most=MOST,
            )
        )
    if wanted > _MANY:
        remarks.append(
            tr(
                "NCBI asks everybody to fetch so many at weekends, or from 21:00 to 5:00 in New "
                "York."
            )
        )
    return Preview(found.total, papers, "\n".join(filter(None, remarks)))


def check(query: SourceQuery) -> str:
    """The error in the query, as far as it can be detected offline."""
    text = query.text.strip()
    if not text:
        return tr("Write what to look for.")
    if text.count('"') % 2:
        return tr("A quotation mark is missing.")
    bare = _QUOTED.sub(" ", text)
    for opening, closing in _PAIRS:
        if problem := _unpaired(bare, opening, closing):
            return problem
    if match := _LOOSE.search(text):
        if match[1]:
            return tr("Something is missing before {word}.", word=match[0])
        return tr("Something is missing after {word}.", word=match[0])
    return date_bounds.check(query)


def why_nothing(now: datetime) -> str:
    """The reason why there may be nothing new."""
    if now.weekday() >= 5:
        return tr("Few papers are entered into PubMed on Saturdays and Sundays.")
    return ""


def _unpaired(text: str, opening: str, closing: str) -> str:
    depth = 0
    for character in text:
        depth += (character == opening) - (character == closing)
        if depth < 0:
            return tr("A {closing} stands without its {opening}.", closing=closing, opening=opening)
    return tr("A {opening} is not closed.", opening=opening) if depth else ""


def _resumed(pmids: Sequence[str], place: _Place) -> tuple[Sequence[str], _Place]:
    """The papers of a slice, those already fetched first, and the position among them.

    If the list has changed so much that these are not found in it, the position is the beginning:
    repeated papers are recognised, but skipped ones would be lost.
    """
    for newer in range(min(len(pmids) - place.done, _NEWER) + 1):
        known = pmids[newer : newer + place.done]
        if _mark(known) == place.mark:
            return [*known, *pmids[:newer], *pmids[newer + place.done :]], place
    return pmids, replace(place, done=0, mark=0)


def _mark(pmids: Sequence[str], before: int = 0) -> int:
    return zlib.crc32("".join(f"{pmid} " for pmid in pmids).encode(), before)
