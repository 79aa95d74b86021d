"""Fake Europe PMC, Crossref and OpenAlex, over the same generated papers, with wrong answers."""

from __future__ import annotations

import json
import random
import re
from abc import abstractmethod
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from sciread_app.sources.endpoints import Endpoint
from tests.support.servers.local import Answer, Asked, LocalServer

WORDS = ("sepsis", "kidney", "asthma", "stroke")
FIRST_DAY = date(2021, 3, 1)
# The answer to the request before. Three in a row could pass for an empty result set.
STALE = "the answer before"
FAULTS = (
    "fewer announced",
    "more announced",
    "none announced",
    "an earlier page",
    "a later page",
    STALE,
    "an empty page",
    "a shuffled page",
    "the first half",
    "some half",
)


class Wanted(NamedTuple):
    """The papers requested: those with this word, in this range and changed since then."""

    words: Sequence[str]
    size: int
    after: int | None = None  # the last paper of the page before, in the order of the pages
    offset: int = 0
    begin: datetime = datetime.min
    end: datetime = datetime.max
    changed: date = date.min


class ListServer(LocalServer):
    """Lists papers, the latest first; each token is the last paper of a page.

    From 1 March 2021 on, `per_day` papers are published each day. A share `fault_rate` of the
    answers is wrong, each with one of `kinds`.
    """

    endpoint: Endpoint
    source: str

    def __init__(
        self,
        count: int,
        *,
        per_day: int = 10,
        seed: int = 0,
        fault_rate: float = 0.0,
        kinds: Sequence[str] = FAULTS,
    ) -> None:
        super().__init__()
        self.numbers = set(range(count))  # of the papers; may be changed
        self.revised: dict[int, date] = {}
        self.expired: set[str] = set()  # tokens
        self.wrong = 0  # number of wrong answers
        self._per_day = per_day
        self._chance = random.Random(seed)
        self._fault_rate = fault_rate
        self._kinds = list(kinds)
        self._before: Answer | None = None

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """The endpoint without a pause between requests."""
        where = self.endpoint
        return {where.key: Endpoint(where.key, where.title, self.url, 0.0, where.limit_group)}

    def names(self, *words: str) -> set[str]:
        """The DOIs of all papers, or of those with these words."""
        return {doi(n) for n in self.numbers if not words or word(n) in words}

    def published(self, number: int) -> datetime:
        days, rest = divmod(number, self._per_day)
        midnight = datetime.combine(FIRST_DAY + timedelta(days), datetime.min.time())
        return midnight + timedelta(seconds=rest)

    def respond(self, asked: Asked) -> Answer:
        wanted = self.wanted(asked.params)
        if isinstance(wanted, Answer):
            return wanted
        found = [n for n in sorted(self.numbers, reverse=True) if self._matches(n, wanted)]
        start = wanted.offset
        if wanted.after is not None:
            start = sum(n >= wanted.after for n in found)
        fault = ""
        if self._chance.random() < self._fault_rate:
            self.wrong += 1
            fault = self._chance.choice(self._kinds)
        if fault == STALE and self._before:
            return self._before
        step = {"an earlier page": -wanted.size, "a later page": wanted.size}.get(fault, 0)
        start = max(0, start + step)
        page = found[start : start + wanted.size]
        last = page[-1] if start + wanted.size < len(found) and page else None
        total, page = self._spoiled(len(found), page, fault)
        self._before = _json(self.rendered(total, page, last, start, asked.params))
        return self._before

    @abstractmethod
    def wanted(self, params: dict[str, str]) -> Wanted | Answer: ...

    @abstractmethod
    def rendered(
        self, total: int, page: Sequence[int], last: int | None, start: int, params: dict[str, str]
    ) -> Any: ...

    def _matches(self, number: int, wanted: Wanted) -> bool:
        day = self.revised.get(number, self.published(number).date())
        return (
            ("all" in wanted.words or word(number) in wanted.words)
            and wanted.begin <= self.published(number) <= wanted.end
            and day >= wanted.changed
        )

    def _spoiled(self, total: int, page: list[int], fault: str) -> tuple[int, list[int]]:
        if fault.endswith("announced"):
            low, high = {"few": (1, max(total, 1)), "mor": (total, 2 * total), "non": (0, 0)}[
                fault[:3]
            ]
            return self._chance.randint(low, high), page
        if fault == "an empty page":
            return total, []
        if fault == "a shuffled page":
            return total, self._chance.sample(page, len(page))
        if fault == "the first half":
            return total, page[: len(page) // 2]
        if fault == "some half":
            return total, sorted(self._chance.sample(page, len(page) // 2), reverse=True)
        return total, page


class EuropePmcServer(ListServer):
    endpoint = Endpoint("europepmc", "Europe PMC", "", 0.0, "europepmc")
    source = "europepmc"

    def wanted(self, params: dict[str, str]) -> Wanted | Answer:
        text, token = params["query"], params["cursorMark"]
        if "BROKEN" in text:
            return _json({"version": "6.9", "errCode": 404, "errMsg": "The query is broken"})
        if token in self.expired:
            return Answer(b'{"errMsg": "Invalid cursorMark"}', "application/json", 400)
        begin, end = datetime.min, datetime.max
        if days := re.search(r"FIRST_PDATE:\[(\S+) TO (\S+)\]", text):
            begin, end = _days(days[1], days[2])
        since = re.search(r"FIRST_IDATE:\[(\S+) TO", text)
        changed = date.fromisoformat(since[1]) if since else date.min
        after = None if token == "*" else int(token.removeprefix("AoI="))
        size = int(params["pageSize"])
        return Wanted(_words(text), size, after, begin=begin, end=end, changed=changed)

    def rendered(
        self, total: int, page: Sequence[int], last: int | None, start: int, params: dict[str, str]
    ) -> Any:
        answer = {"version": "6.9", "hitCount": total, "request": {"queryString": params["query"]}}
        if last is not None:
            answer["nextCursorMark"] = f"AoI={last}"
        return answer | {"resultList": {"result": [self._record(n) for n in page]}}

    def _record(self, number: int) -> dict[str, Any]:
        day = self.published(number).date()
        return {
            "id": str(30_000_001 + number),
            "source": "MED",
            "pmid": str(30_000_001 + number),
            "doi": doi(number),
            "title": f"{title(number)}.",
            "authorString": "Lovelace A, Hopper G.",
            "authorList": {"author": [{"firstName": "Ada", "lastName": "Lovelace"}]},
            "journalInfo": {"volume": "3", "journal": {"title": "Annals of Tests"}},
            "pubYear": str(day.year),
            "abstractText": f"<h4>Background</h4>{abstract(number)}",
            "pubTypeList": {"pubType": ["research-article", "Journal Article"]},
            "firstPublicationDate": day.isoformat(),
        }


class CrossrefServer(ListServer):
    endpoint = Endpoint("crossref", "Crossref", "", 0.0, "crossref")
    source = "crossref"

    def wanted(self, params: dict[str, str]) -> Wanted | Answer:
        filters = dict(one.split(":", 1) for one in params.get("filter", "").split(",") if one)
        if int(params.get("offset", 0)) + int(params["rows"]) > 10_000:
            return Answer(b"Offset exceeds 10000", "text/plain", 400)
        begin, end = _days(filters.get("from-pub-date", ""), filters.get("until-pub-date", ""))
        low, high = filters.get("from-created-date", ""), filters.get("until-created-date", "")
        if low:
            begin = max(begin, datetime.fromisoformat(low))
            end = min(end, datetime.fromisoformat(high))
        return Wanted(
            _words(params.get("query", "")),
            int(params["rows"]),
            offset=int(params.get("offset", 0)),
            begin=begin,
            end=end,
            changed=date.fromisoformat(filters.get("from-update-date", "0001-01-01")),
        )

    def rendered(
        self, total: int, page: Sequence[int], last: int | None, start: int, params: dict[str, str]
    ) -> Any:
        items = [self._record(n) for n in page]
        message = {"total-results": total, "items": items, "query": {"start-index": start}}
        return {"status": "ok", "message-type": "work-list", "message": message}

    def _record(self, number: int) -> dict[str, Any]:
        moment = self.published(number)
        return {
            "DOI": doi(number),
            "type": "journal-article",
            "title": [title(number)],
            "author": [{"given": "Ada", "family": "Lovelace", "sequence": "first"}],
            "container-title": ["Annals of Tests"],
            "short-container-title": ["Ann Tests"],
            "abstract": f"<jats:p>{abstract(number)}</jats:p>",
            "issued": {"date-parts": [[moment.year, moment.month, moment.day]]},
            "created": {"date-time": moment.replace(tzinfo=UTC).isoformat()},
        }


class OpenAlexServer(ListServer):
    """Without `free`, a request with a cursor needs the key "good"."""

    endpoint = Endpoint("openalex", "OpenAlex", "", 0.0, "openalex")
    source = "openalex"
    free = True

    def wanted(self, params: dict[str, str]) -> Wanted | Answer:
        token = params.get("cursor", "*")
        if not self.free and "cursor" in params and params.get("api_key") != "good":
            return Answer(b'{"message": "API key required"}', "application/json", 401)
        if token in self.expired:
            return Answer(b'{"message": "Invalid cursor"}', "application/json", 400)
        filters = dict(one.split(":", 1) for one in params.get("filter", "").split(",") if one)
        begin, end = _days(
            filters.get("from_publication_date", ""), filters.get("to_publication_date", "")
        )
        after = None if token == "*" else int(token.removeprefix("Ils"))
        words = _words(params.get("search", "") + " " + filters.get("title.search", ""))
        return Wanted(words, int(params["per_page"]), after, begin=begin, end=end)

    def rendered(
        self, total: int, page: Sequence[int], last: int | None, start: int, params: dict[str, str]
    ) -> Any:
        following = None if last is None else f"Ils{last}"
        meta = {"count": total, "per_page": int(params["per_page"]), "next_cursor": following}
        return {"meta": meta, "results": [self._record(n) for n in page]}

    def _record(self, number: int) -> dict[str, Any]:
        words = abstract(number).split()
        return {
            "id": f"https://openalex.org/W{1000 + number}",
            "doi": f"https://doi.org/{doi(number)}",
            "title": title(number),
            "publication_date": self.published(number).date().isoformat(),
            "type": "article",
            "authorships": [{"raw_author_name": "Ada Lovelace"}],
            "primary_location": {"source": {"display_name": "Annals of Tests", "type": "journal"}},
            "abstract_inverted_index": {w: [i] for i, w in enumerate(words)},
        }


SERVERS = (EuropePmcServer, CrossrefServer, OpenAlexServer)


def word(number: int) -> str:
    return WORDS[number % len(WORDS)]


def doi(number: int) -> str:
    return f"10.5555/list.{number}"


def title(number: int) -> str:
    return f"Cohort {number} of patients with {word(number)}"


def abstract(number: int) -> str:
    return f"Little was known of group {number}."


def _words(text: str) -> Sequence[str]:
    return re.findall(r"[a-z]+", text)


def _days(first: str, last: str) -> tuple[datetime, datetime]:
    """The first and the last moment of a range of ISO days, of which either may be missing."""
    begin = datetime.fromisoformat(first) if first else datetime.min
    end = datetime.fromisoformat(f"{last}T23:59:59") if last else datetime.max
    return begin, end


def _json(value: Any) -> Answer:
    return Answer(json.dumps(value).encode(), "application/json")
