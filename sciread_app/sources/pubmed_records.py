"""The records of papers that a search in PubMed has found, with none of them lost on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import Busy, SourceError
from sciread_app.formats import pubmed_xml
from sciread_app.language import tr, trn
from sciread_app.sources.answers import Answer
from sciread_app.sources.http import Client
from sciread_app.sources.pubmed_search import Found
from sciread_app.tasks import Task

# More papers than this were not all taken back between the search and the answer.
_FEW = 20
# How PubMed says that it has forgotten a list of papers, or cannot get at it just now.
_FORGOTTEN = re.compile(r"obtain query|history|webenv|query_key|external viewer", re.I)
_NEVER_CAME = tr(
    "PubMed finds this paper but does not give its record, which may have been taken back."
)


class Listing:
    """Asks the history server for the records of a list of papers that it remembers.

    The PMIDs of the list are known here as well. What does not come in its place is asked for by
    its PMID, and what does not come then is told, whatever has happened to the list over there.
    """

    def __init__(
        self,
        found: Found,
        pmids: Sequence[str],
        done: int,
        again: Callable[[], Found],
        client: Client,
        task: Task,
    ) -> None:
        """The first `done` of `pmids` are known already. `again` repeats the search."""
        self._found, self._pmids, self._again = found, pmids, again
        self._client, self._task = client, task
        self._came = set(pmids[:done])

    def get(self, start: int, number: int) -> list[Paper | Skipped]:
        """The records of `number` papers, and any that came with them, each only once."""
        wanted = self._pmids[start : start + number]
        if not wanted:
            return []
        records = self._new(self._from_history(start, len(wanted)))
        if missing := self._missing(wanted):
            records += self._new(self._by_pmid(missing))
        never = self._missing(wanted)
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

    def _missing(self, wanted: Sequence[str]) -> list[str]:
        return [pmid for pmid in wanted if pmid not in self._came]

    def _from_history(self, start: int, number: int) -> list[Paper | Skipped]:
        """Nothing if the list is forgotten again as soon as it was made anew."""
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
                # One that NCBI gave a status of its own comes from the client.
                if not _FORGOTTEN.search(error.message):
                    raise
            if not last:
                self._found = self._again()
        return []

    def _by_pmid(self, pmids: Sequence[str]) -> list[Paper | Skipped]:
        return self._ask([("id", ",".join(pmids))], len(pmids))

    def _ask(self, form: list[tuple[str, str]], number: int) -> list[Paper | Skipped]:
        def complain(found: pubmed_xml.Answer) -> str:
            if found.error and not _FORGOTTEN.search(found.error):
                return found.error
            empty = not found.records and not found.error and number > _FEW
            none = trn(
                "The answer does not hold the {n} paper asked for.",
                "The answer holds none of the {n} papers asked for.",
                number,
            )
            return none if empty else ""

        answer = Answer(pubmed_xml.answer, complain)
        form = [("db", "pubmed"), *form, ("retmode", "xml")]
        found = answer.read(
            self._client.ask(
                "eutils", "efetch.fcgi", form=form, task=self._task, check=answer.check, keep=False
            )
        )
        if found.error:
            raise SourceError(tr("PubMed has forgotten what was found: {why}", why=found.error))
        return found.records
