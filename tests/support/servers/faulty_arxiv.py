"""A fake arXiv that sends well-formed but wrong answers."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.local import Answer, Asked

FAULTS = (
    "fewer announced",
    "more announced",
    "none announced",
    "an earlier page",
    "a later page",
    "an empty page",
    "a shuffled page",
    "the first half",
    "some half",
)


class FaultyArxiv(ArxivServer):
    """Send wrong answers to a share `fault_rate` of the queries, each with one of `kinds`."""

    def __init__(
        self,
        count: int,
        *,
        seed: int,
        fault_rate: float = 0.3,
        kinds: Sequence[str] = FAULTS,
        **options: int,
    ) -> None:
        super().__init__(count, **options)
        self._chance = random.Random(seed)
        self._fault_rate = fault_rate
        self._kinds = kinds
        self._given: Answer | None = None
        self.wrong = 0  # number of wrong answers to queries

    def respond(self, asked: Asked) -> Answer:
        if asked.path.startswith("/oai"):
            return self._harvest_answer(super().respond(asked))
        if self._chance.random() >= self._fault_rate:
            return super().respond(asked)
        self.wrong += 1
        fault = self._chance.choice(list(self._kinds))
        start, size = int(asked.params["start"]), int(asked.params["max_results"])
        if fault.endswith("page") and fault.startswith(("an earlier", "a later")):
            step = size if "later" in fault else -size
            params = asked.params | {"start": str(max(0, start + step))}
            good = super().respond(asked._replace(params=params))
            return _with_number(good, "startIndex", str(start)) if self._coin() else good
        return self._faulty(super().respond(asked), fault)

    def _harvest_answer(self, good: Answer) -> Answer:
        """A good answer, one without records, or the previous one."""
        assert isinstance(good.body, bytes)
        if self._chance.random() >= self._fault_rate:
            self._given = good
            return good
        if self._coin() and self._given:
            return self._given
        return replace(good, body=re.sub(rb"<record>.*</record>", b"", good.body, flags=re.S))

    def _coin(self) -> bool:
        return self._chance.random() < 0.5

    def _faulty(self, good: Answer, fault: str) -> Answer:
        assert isinstance(good.body, bytes)
        head, *entries = good.body.split(b"<entry>")
        if not entries:
            return good
        total = int(re.findall(rb"totalResults>(\d+)", head)[0])
        if fault.endswith("announced"):
            low, high = {"few": (1, total), "mor": (total, 2 * total), "non": (0, 0)}[fault[:3]]
            return _with_number(good, "totalResults", str(self._chance.randint(low, high)))
        entries[-1] = entries[-1].removesuffix(b"</feed>\n")
        half = len(entries) // 2
        if fault == "an empty page":
            entries = []
        elif fault == "the first half":
            entries = entries[:half]
        elif fault == "some half":
            keep = sorted(self._chance.sample(range(len(entries)), half))
            entries = [entries[place] for place in keep]
        else:
            self._chance.shuffle(entries)
        return replace(good, body=b"<entry>".join([head, *entries]) + b"</feed>\n")


def _with_number(good: Answer, name: str, number: str) -> Answer:
    assert isinstance(good.body, bytes)
    pattern = rb"(%s>)\d+" % name.encode()
    return replace(good, body=re.sub(pattern, rb"\g<1>" + number.encode(), good.body))
