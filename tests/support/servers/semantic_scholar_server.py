"""A fake Semantic Scholar batch endpoint over papers that cite each other.

Manually: `python -m tests.support.servers.semantic_scholar_server 5000` prints the address and
serves.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from sciread_app.sources.endpoints import Endpoint
from tests.support.servers.local import Answer, Asked, LocalServer

_MOST = 9_999
_MOST_IDS = 500


class SemanticScholarServer(LocalServer):
    """Knows `count` papers. Number n is cited by the next `cited_by` ones, and so cites the ones
    before it; every third also has the identifier of a preprint, every fifth a PMID.

    It has the real limits: 500 papers per request, 9,999 citations per reply, then none, and
    `most_bytes`; it answers 400 if it knows none of a batch.
    """

    def __init__(self, count: int, *, cited_by: int = 4, most_bytes: int = 10_000_000) -> None:
        super().__init__()
        self.count = count
        self.celebrated: dict[int, int] = {}  # number of additional citing papers beyond these
        self.withheld: set[int] = set()  # papers whose references the publisher withholds
        self.unreadable: set[str] = set()  # identifiers that break a whole batch
        self._cited_by = cited_by
        self._most_bytes = most_bytes
        self._numbers = {
            f"{_PREFIXES[kind]}{name}".lower(): number
            for number in range(count)
            for kind, name in names(number).items()
            if kind in _PREFIXES
        }

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """Endpoints without a pause between requests."""
        title, url = "Semantic Scholar", f"{self.url}graph/v1/"
        return {
            "semantic_scholar": Endpoint(
                *("semantic_scholar", title, url, 0.0, "semantic_scholar"),
                api_key="semantic_scholar",
                key_header="x-api-key",
            )
        }

    def respond(self, asked: Asked) -> Answer:
        if asked.method != "POST" or asked.path != "/graph/v1/paper/batch":
            return _json({"error": "Not found"}, 404)
        ids = json.loads(asked.body)["ids"]
        if len(ids) > _MOST_IDS:
            return _json({"error": f"Too many ids; maximum is {_MOST_IDS}"}, 400)
        numbers = [self._numbers.get(id.lower()) for id in ids]
        if self.unreadable.intersection(ids) or all(number is None for number in numbers):
            return _json({"error": "No valid paper ids given"}, 400)
        answer = _json(self._rows(numbers, asked.params["fields"].split(",")))
        assert isinstance(answer.body, bytes)
        if len(answer.body) > self._most_bytes:
            why = "Response would exceed maximum size. Please make use of smaller batches."
            return _json({"error": why}, 400)
        return answer

    def citations(self) -> set[tuple[int, int]]:
        """Return all pairs of numbers: citing, cited."""
        return {(citing, n) for n in range(self.count) for citing in self.citing(n)}

    def citing(self, number: int) -> range:
        extra = self.celebrated.get(number, 0)
        first = number + 1
        return range(first, min(first + self._cited_by, self.count) + extra)

    def _rows(self, numbers: Sequence[int | None], fields: Sequence[str]) -> list[Any]:
        left = _MOST
        rows: list[Any] = []
        for number in numbers:
            if number is None:
                rows.append(None)
                continue
            citing = self.citing(number)
            cited = range(max(0, number - self._cited_by), number)
            row = {
                "paperId": f"{number:040x}",
                "externalIds": names(number),
                "title": f"Title of paper {number}",
                "authors.name": [{"name": "Ada Lovelace"}, {"name": "Lise Meitner"}],
                "referenceCount": len(cited),
                "citationCount": len(citing),
                "references.externalIds": _papers([] if number in self.withheld else cited),
                "citations.externalIds": _papers(citing[:left]),
            }
            if "citations.externalIds" in fields:
                left -= len(citing[:left])
            rows.append({key.split(".")[0]: row[key] for key in ("paperId", *fields) if key in row})
        return rows


def names(number: int) -> dict[str, Any]:
    """Return identifiers as Semantic Scholar writes them."""
    found: dict[str, Any] = {"CorpusId": number, "DOI": f"10.5555/Paper.{number}"}
    if number % 3 == 0:
        found["ArXiv"] = f"{1001 + number // 90_000:04}.{number % 90_000:05}"
    if number % 5 == 0:
        found["PubMed"] = str(10_000_000 + number)
    return found


_PREFIXES = {"ArXiv": "ARXIV:", "PubMed": "PMID:", "DOI": "DOI:"}


def _papers(numbers: Sequence[int]) -> list[dict[str, Any]]:
    return [{"paperId": f"{n:040x}", "externalIds": names(n)} for n in numbers]


def _json(value: object, status: int = 200) -> Answer:
    return Answer(json.dumps(value).encode(), "application/json", status)


if __name__ == "__main__":
    SemanticScholarServer(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000).serve()
