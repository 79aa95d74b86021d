"""A fake of the duplicates page's services, without a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sciread_app.domain.matching.field_comparison import DuplicatePair, Merge, PairMember
from sciread_app.domain.paper import Edit, Paper, PaperId
from tests.support.generate.papers import paper

ONE = paper(
    "The life of bees",
    authors="Maeterlinck, Maurice",
    published="1901",
    venue="Annalen",
    abstract="Bees live in hives and dance.",
    doi="10.1000/bees",
)
OTHER = paper(
    "The Life of Bees.",
    authors="Maeterlinck, M.",
    published="1901-05",
    abstract="Bees live in trees and dance.",
    kind="book",
)


class FakeDuplicates:
    """Record the decisions in `asked`; each removes its pair."""

    def __init__(self, both: Sequence[tuple[Paper, Paper]] = ()) -> None:
        self.calls: list[str] = []
        self.search_due = False
        self._sides: dict[tuple[int, int], tuple[PairMember, PairMember]] = {}
        self._pairs: list[DuplicatePair] = []
        self._versions: list[DuplicatePair] = []
        self.merged: list[Merge] = []
        for one, other in both:
            self.add(one, other)

    def add(self, one: Paper, other: Paper, *, agree: bool = False, versions: bool = False) -> None:
        a = PaperId(len(self._sides) * 2 + 1)
        b = PaperId(a + 1)
        pair = DuplicatePair(a, b, one.title, "the titles are similar", versions, agree)
        (self._versions if versions else self._pairs).append(pair)
        self._sides[a, b] = (
            PairMember(replace(one, id=a), 1.0, ("refs.bib",), ("red",), ("thesis",), 2, True, 4),
            PairMember(replace(other, id=b), 2.0, ("old.ris",)),
        )

    def pairs(self, task: object = None) -> list[DuplicatePair]:
        return list(self._pairs)

    def is_search_due(self) -> bool:
        return self.search_due

    def search(self, task: object = None) -> int:
        self.search_due = False
        self.add(replace(ONE, title="Found"), OTHER)
        return 1

    def versions(self) -> list[DuplicatePair]:
        return list(self._versions)

    def merges(self) -> list[Merge]:
        return list(self.merged)

    def sides(self, pair: DuplicatePair) -> tuple[PairMember, PairMember] | None:
        return self._sides.get((pair.a, pair.b))

    def merge_agreeing(self) -> Edit:
        self._pairs = [pair for pair in self._pairs if not pair.agree]
        return self._note("merge all")

    def merge(self, keep: int, others: Sequence[int], **chosen: object) -> Edit:
        self._forget(keep, *others)
        command = f"merge {keep} {others[0]}"
        return self._note(
            " ".join([command, *(f"{name}={value}" for name, value in chosen.items())])
        )

    def mark_not_duplicates(self, a: int, b: int) -> Edit:
        self._forget(a, b)
        return self._note(f"keep {a} {b}")

    def mark_as_versions(self, a: int, b: int) -> Edit:
        self._forget(a, b)
        return self._note(f"versions {a} {b}")

    def _forget(self, *ids: int) -> None:
        self._pairs = [p for p in self._pairs if {p.a, p.b} != set(ids)]
        self._versions = [p for p in self._versions if {p.a, p.b} != set(ids)]

    def _note(self, what: str) -> Edit:
        self.calls.append(what)
        return Edit(len(self.calls), 0.0, what)
