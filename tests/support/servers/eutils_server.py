"""A fake PubMed: NCBI's E-utilities over generated papers.

Manually: `python -m tests.support.servers.eutils_server 5000` prints the address, and serves.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from sciread_app.sources.endpoints import Endpoint
from tests.support.servers.elink import linked
from tests.support.servers.local import Answer, Asked, LocalServer
from tests.support.servers.pubmed_papers import (
    FIRST_DAY,
    FIRST_PMCID,
    FIRST_PMID,
    WORDS,
    entered,
    record,
    word,
)

_XML = "text/xml; charset=UTF-8"
_HEAD = '<?xml version="1.0" encoding="UTF-8" ?>\n<!DOCTYPE {0} PUBLIC "-//NLM//DTD {0}" "{1}">\n'
_SET = _HEAD.format("PubmedArticleSet", "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd")
_DTD = "https://eutils.ncbi.nlm.nih.gov/eutils/dtd/{}.dtd"
_RANGE = re.compile(r"(\d+):(\d+)\[uid\]")
_CHANGED = re.compile(r"\((\d{4}/\d\d/\d\d):3000\[edat\] OR \1:3000\[lr\]\)")
_PMCID = re.compile(r"\bPMC(\d+)")
_WORD = re.compile(r"([a-z]+)(?:\[([a-z]+)\])?")
_TAGS = ("", "tiab", "ti", "mh", "sb")
_TOO_FAR = (
    "Exception: 'retstart' cannot be larger than {}. For PubMed, ESearch can only retrieve the "
    "first {:,} records matching the query. To obtain more than {:,} PubMed records, consider "
    "using EDirect that contains additional logic to batch PubMed search results automatically so "
    "that an arbitrary number can be retrieved."
)


class EutilsServer(LocalServer):
    """ESearch, EFetch, ELink and the history server over `count` papers.

    From 1 March 2001 on, `per_day` papers are entered each day.

    A search finds the papers on one of its words, latest entry first. It supports PMID ranges and
    "entered or revised since"; `reach` is the number of papers of one search that it lists.
    """

    def __init__(self, count: int, *, per_day: int = 40, reach: int = 9_999) -> None:
        super().__init__()
        self.count = count  # may grow
        self.revised: dict[int, date] = {}  # by number of the paper, from 0
        self.retracted: set[int] = set()
        self.lost: set[str] = set()  # PMIDs that are found, but have no records
        self.links: dict[str, list[str]] = {}  # the references of each PMID
        self._per_day = per_day
        self._reach = reach
        self._lists: dict[str, Sequence[str]] = {}
        self._lists_made = 0

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """Endpoints without a pause between requests."""
        return {"eutils": Endpoint("eutils", "PubMed", self.url, 0.0, "ncbi")}

    def expire(self) -> None:
        """Forget every stored list of papers."""
        self._lists.clear()

    def pmids(self, *words: str) -> set[str]:
        """Return all PMIDs, or those of these words."""
        wanted = words or WORDS
        return {str(FIRST_PMID + n) for n in range(self.count) if word(n) in wanted}

    def respond(self, asked: Asked) -> Answer:
        if asked.path.endswith("esearch.fcgi"):
            return self._search(asked.params)
        if asked.path.endswith("efetch.fcgi"):
            return self._fetch(asked.params)
        if asked.path.endswith("elink.fcgi"):
            return linked(asked, self.links, self.lost)
        return Answer(b"There is nothing here.", "text/plain", 404)

    # ---- ESearch --------------------------------------------------------------------------------

    def _search(self, params: dict[str, str]) -> Answer:
        start, most = int(params.get("retstart", 0)), int(params.get("retmax", 20))
        if not params.get("term"):
            return _searched("<ERROR>Empty term and query_key - nothing todo</ERROR>")
        if start >= self._reach:
            return _searched(f"<ERROR>Search Backend failed: {self._too_far()}</ERROR>")
        term = _CHANGED.sub("", _RANGE.sub("", params["term"]))
        if pmcids := _PMCID.findall(term):
            numbers = [int(digits) - FIRST_PMCID for digits in pmcids]
            found = [str(FIRST_PMID + number) for number in numbers if 0 <= number < self.count]
            return self._listed(found, found, start, [])
        words = [match.groups("") for match in _WORD.finditer(term)]
        if unknown := [tag for _, tag in words if tag not in _TAGS]:
            return _searched(_nothing(f"<FieldNotFound>{unknown[0]}</FieldNotFound>"))
        topics = [text for text, _ in words if text in WORDS]
        if not topics and "all" not in (text for text, _ in words):
            return _searched(_nothing(f"<PhraseNotFound>{term}</PhraseNotFound>"))
        found = self._found(topics or WORDS, params)
        return self._listed(found, found[start : min(start + most, self._reach)], start, topics)

    def _listed(
        self, found: Sequence[str], shown: Sequence[str], start: int, topics: Sequence[str]
    ) -> Answer:
        self._lists_made += 1
        web_env = f"MCID_{self._lists_made:024x}"
        self._lists[web_env] = found
        return _searched(
            f"<Count>{len(found)}</Count><RetMax>{len(shown)}</RetMax><RetStart>{start}</RetStart>"
            f"<QueryKey>1</QueryKey><WebEnv>{web_env}</WebEnv><IdList>"
            + "".join(f"<Id>{pmid}</Id>\n" for pmid in shown)
            + "</IdList><TranslationSet/><QueryTranslation>"
            + " OR ".join(f'"{topic}"[MeSH Terms]' for topic in topics)
            + "</QueryTranslation>"
        )

    def _found(self, topics: Sequence[str], params: dict[str, str]) -> list[str]:
        lowest, highest = 0, self.count - 1
        if bounds := _RANGE.search(params["term"]):
            lowest = max(lowest, int(bounds[1]) - FIRST_PMID)
            highest = min(highest, int(bounds[2]) - FIRST_PMID)
        if "mindate" in params:
            assert params["datetype"] == "edat"
            lowest = max(lowest, self._first_of(_day(params["mindate"])))
            highest = min(highest, self._first_of(_day(params["maxdate"]) + timedelta(1)) - 1)
        numbers: Iterable[int] = range(highest, lowest - 1, -1)
        if since := _CHANGED.search(params["term"]):
            day = _day(since[1])
            numbers = (n for n in numbers if self._entered(n) >= day or self._revised(n) >= day)
        return [str(FIRST_PMID + n) for n in numbers if word(n) in topics]

    def _first_of(self, day: date) -> int:
        return (day - FIRST_DAY).days * self._per_day

    def _entered(self, number: int) -> date:
        return entered(number, self._per_day)

    def _revised(self, number: int) -> date:
        return self.revised.get(number, self._entered(number))

    # ---- EFetch ---------------------------------------------------------------------------------

    def _fetch(self, params: dict[str, str]) -> Answer:
        if "id" in params:
            return self._records(params["id"].split(","))
        start, most = int(params.get("retstart", 0)), int(params.get("retmax", 10_000))
        listed = self._lists.get(params["WebEnv"])
        if listed is None or params["query_key"] != "1":
            # NCBI has sent this with either status.
            return _fetched(f"<ERROR>Unable to obtain query #{params['query_key']}</ERROR>", 200)
        if start >= self._reach:
            why = f"Search backend cannot retrieve history data. Reason: {self._too_far()}"
            return _fetched(f"<ERROR>{why}</ERROR>", 400)
        if start >= len(listed):
            why = (
                f"Cannot retrieve history data: OUT OF RANGE. Parameter retstart={start} + 1 is "
                "greater than number of records available in history. "
                f"History includes {len(listed)} IDs."
            )
            return _fetched(f"<ERROR>{why}</ERROR>", 400)
        return self._records(listed[start : min(start + most, self._reach)])

    def _records(self, pmids: Sequence[str]) -> Answer:
        records = (self._record(int(pmid) - FIRST_PMID) for pmid in pmids if pmid not in self.lost)
        body = f"{_SET}<PubmedArticleSet>{''.join(records)}</PubmedArticleSet>"
        return Answer(body.encode(), _XML)

    def _record(self, number: int) -> str:
        if not 0 <= number < self.count:
            return ""
        revised = self.revised.get(number)
        return record(number, self._per_day, revised, number in self.retracted)

    def _too_far(self) -> str:
        return _TOO_FAR.format(self._reach - 1, self._reach, self._reach)


def _searched(inside: str) -> Answer:
    head = _HEAD.format("eSearchResult", _DTD.format("20060628/esearch"))
    return Answer(f"{head}<eSearchResult>{inside}</eSearchResult>\n".encode(), _XML)


def _nothing(error: str) -> str:
    return (
        "<Count>0</Count><RetMax>0</RetMax><RetStart>0</RetStart><IdList/><TranslationSet/>"
        f"<QueryTranslation/><ErrorList>{error}</ErrorList><WarningList>"
        "<OutputMessage>No items found.</OutputMessage></WarningList>"
    )


def _fetched(inside: str, status: int) -> Answer:
    head = _HEAD.format("eEfetchResult", _DTD.format("20131226/efetch"))
    body = f"{head}<eFetchResult>\n\t{inside}\n</eFetchResult>\n"
    return Answer(body.encode(), _XML, status)


def _day(text: str) -> date:
    return date.fromisoformat(text.replace("/", "-"))


if __name__ == "__main__":
    EutilsServer(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000).serve()
