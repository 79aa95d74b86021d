"""A fake Semantic Scholar batch endpoint over citations from a file."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from tests.support.servers.local import Answer, Asked, LocalServer

_THEIR_NAMES = {"arxiv": "ArXiv", "doi": "DOI", "pmid": "PubMed"}


class CitationLists(LocalServer):
    """Knows references by ids such as "arxiv:hep-th/9205027", but no citing papers."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        self._cites: Mapping[str, list[str]] = defaultdict(list)
        for citing, cited in pairs:
            self._cites[citing.lower()].append(cited)

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables that point a program at this server, without pauses."""
        name = "SCIREAD_SEMANTIC_SCHOLAR"
        return {f"{name}_URL": f"{self.url}graph/v1/", f"{name}_PAUSE": "0"}

    def respond(self, asked: Asked) -> Answer:
        rows = [self._row(name.lower()) for name in json.loads(asked.body)["ids"]]
        return Answer(json.dumps(rows).encode(), "application/json")

    def _row(self, name: str) -> dict[str, Any]:
        cited = self._cites.get(name, ())
        return {
            "paperId": name,
            "externalIds": _external(name),
            "referenceCount": len(cited),
            "citationCount": 0,
            "references": [{"paperId": other, "externalIds": _external(other)} for other in cited],
            "citations": [],
        }


def _external(name: str) -> dict[str, str]:
    kind, _, value = name.partition(":")
    return {_THEIR_NAMES[kind.lower()]: value}
