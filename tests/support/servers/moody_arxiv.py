"""A fake arXiv that sends well-formed but wrong answers, each in one of several moods."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.local import Answer, Asked

MOODS = (
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


class MoodyArxiv(ArxivServer):
    """Send wrong answers to a share `moodiness` of the queries, each in one of `moods`."""

    def __init__(
        self,
        count: int,
        *,
        seed: int,
        moodiness: float = 0.3,
        moods: Sequence[str] = MOODS,
        **options: int,
    ) -> None:
        super().__init__(count, **options)
        self._chance = random.Random(seed)
        self._moodiness = moodiness
        self._moods = moods
        self._given: Answer | None = None
        self.wrong = 0  # number of wrong answers to queries

    def respond(self, asked: Asked) -> Answer:
        if asked.path.startswith("/oai"):
            return self._harvest_answer(super().respond(asked))
        if self._chance.random() >= self._moodiness:
            return super().respond(asked)
        self.wrong += 1
        mood = self._chance.choice(list(self._moods))
        start, size = int(asked.params["start"]), int(asked.params["max_results"])
        if mood.endswith("page") and mood.startswith(("an earlier", "a later")):
            step = size if "later" in mood else -size
            params = asked.params | {"start": str(max(0, start + step))}
            good = super().respond(asked._replace(params=params))
            return _with_number(good, "startIndex", str(start)) if self._lies() else good
        return self._spoiled(super().respond(asked), mood)

    def _harvest_answer(self, good: Answer) -> Answer:
        """A good answer, one without records, or the previous one."""
        assert isinstance(good.body, bytes)
        if self._chance.random() >= self._moodiness:
            self._given = good
            return good
        if self._lies() and self._given:
            return self._given
        return replace(good, body=re.sub(rb"<record>.*</record>", b"", good.body, flags=re.S))

    def _lies(self) -> bool:
        return self._chance.random() < 0.5

    def _spoiled(self, good: Answer, mood: str) -> Answer:
        assert isinstance(good.body, bytes)
        head, *entries = good.body.split(b"<entry>")
        if not entries:
            return good
        total = int(re.findall(rb"totalResults>(\d+)", head)[0])
        if mood.endswith("announced"):
            low, high = {"few": (1, total), "mor": (total, 2 * total), "non": (0, 0)}[mood[:3]]
            return _with_number(good, "totalResults", str(self._chance.randint(low, high)))
        entries[-1] = entries[-1].removesuffix(b"</feed>\n")
        half = len(entries) // 2
        if mood == "an empty page":
            entries = []
        elif mood == "the first half":
            entries = entries[:half]
        elif mood == "some half":
            keep = sorted(self._chance.sample(range(len(entries)), half))
            entries = [entries[place] for place in keep]
        else:
            self._chance.shuffle(entries)
        return replace(good, body=b"<entry>".join([head, *entries]) + b"</feed>\n")


def _with_number(good: Answer, name: str, number: str) -> Answer:
    assert isinstance(good.body, bytes)
    pattern = rb"(%s>)\d+" % name.encode()
    return replace(good, body=re.sub(pattern, rb"\g<1>" + number.encode(), good.body))
