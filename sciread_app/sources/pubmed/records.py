"""The records of a PubMed search, with none lost on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import Busy, SourceError
from sciread_app.formats.pubmed import xml as pubmed_xml
from sciread_app.language import tr, trn
from sciread_app.sources.http.client import Client
from sciread_app.sources.http.parsed_response import ParsedResponse
from sciread_app.sources.pubmed.search import SearchResult
from sciread_app.tasks import Task

# More papers than this were not all deleted between the search and the response.
_FEW = 20
# PubMed's messages that a result list has expired, or is temporarily unavailable.
_FORGOTTEN = re.compile(r"obtain query|history|webenv|query_key|external viewer", re.I)
_NEVER_CAME = tr(
    "PubMed finds this paper but does not give its record, which may have been taken back."
)


class RecordFetcher:
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
            records += self._new(self._by_pmid(missing))
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
        """Empty if the list expires again as soon as the search was repeated."""
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

    def _by_pmid(self, pmids: Sequence[str]) -> list[Paper | Skipped]:
        return self._ask([("id", ",".join(pmids))], len(pmids))

    def _ask(self, form: list[tuple[str, str]], number: int) -> list[Paper | Skipped]:
        def complain(found: pubmed_xml.EFetchResponse) -> str:
            if found.error and not _FORGOTTEN.search(found.error):
                return found.error
            empty = not found.records and not found.error and number > _FEW
            none = trn(
                "The answer does not hold the {n} paper asked for.",
                "The answer holds none of the {n} papers asked for.",
                number,
            )
            return none if empty else ""

        answer = ParsedResponse(pubmed_xml.answer, complain)
        form = [("db", "pubmed"), *form, ("retmode", "xml")]
        found = answer.read(
            self._client.ask(
                "eutils", "efetch.fcgi", form=form, task=self._task, check=answer.check, keep=False
            )
        )
        if found.error:
            raise SourceError(tr("PubMed has forgotten what was found: {why}", why=found.error))
        return found.records
