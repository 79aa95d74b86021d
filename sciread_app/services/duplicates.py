"""The review of papers that may be one: what speaks for it, and what a person decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sciread_app.domain.duplicates import Merge, Pair, Side, agree
from sciread_app.domain.edits import Edit
from sciread_app.domain.identity import Verdict
from sciread_app.domain.judgements import said
from sciread_app.domain.paper import PaperId
from sciread_app.domain.record_linkage import likelihood
from sciread_app.services.organise import Organise
from sciread_app.storage.library import Library
from sciread_app.storage.pairs import Known
from sciread_app.tasks import Task

_AT_ONCE = 500


class Duplicates:
    """Every verb blocks. What is decided is an edit of `Organise`, and can be taken back."""

    def __init__(self, library: Library, organise: Organise) -> None:
        self._library = library
        self._organise = organise
        # What was compared once, as long as neither changes: whether they agree, and how likely
        # they are one.
        self._found: dict[Known, tuple[bool, float]] = {}

    def pairs(self, task: Task | None = None) -> list[Pair]:
        """The pairs that somebody should look at, the likeliest first."""
        known = self._library.pairs.of(Verdict.maybe)
        self._compare(known, task or Task())
        return [
            Pair(one.a, one.b, one.title, said(one.reason), agree=self._found[one][0])
            for one in sorted(known, key=lambda one: -self._found[one][1])
        ]

    def merges(self) -> list[Merge]:
        """What was merged, by hand or by an import, the last first; see Organise.split."""
        return self._library.pairs.merges()

    def versions(self) -> list[Pair]:
        """The pairs that are versions of one work."""
        return [
            Pair(one.a, one.b, one.title, said(one.reason), versions=True)
            for one in self._library.pairs.of(Verdict.versions)
        ]

    def sides(self, pair: Pair) -> tuple[Side, Side] | None:
        """Both papers with all that hangs on them; None if one is no longer there."""
        ids = [pair.a, pair.b]
        papers = {paper.id: paper for paper in self._library.get(ids)}
        marks, came = self._library.shelves.marks(ids), self._library.pairs.came(ids)
        if len(papers) < len(ids):
            return None
        first, second = (
            Side(
                papers[id],
                marks[id].added,
                came.get(id, ()),
                marks[id].tags,
                marks[id].collections,
                len(marks[id].notes),
                marks[id].read,
                marks[id].rating,
            )
            for id in ids
        )
        return first, second

    def merge_agreeing(self, task: Task | None = None) -> Edit | None:
        """Merge all pairs that agree in everything but case and punctuation, as one edit."""
        groups = _groups([(pair.a, pair.b) for pair in self.pairs(task) if pair.agree])
        if not groups:
            return None
        return self._organise.merge_all(groups, task)

    def _compare(self, known: Sequence[Known], task: Task) -> None:
        before, self._found = self._found, {}
        new = [one for one in known if one not in before]
        for start in range(0, len(new), _AT_ONCE):
            task.check()
            some = new[start : start + _AT_ONCE]
            ids = {id for one in some for id in (one.a, one.b)}
            papers = {paper.id: paper for paper in self._library.get(ids)}
            for one in some:
                if one.a in papers and one.b in papers:
                    a, b = papers[one.a], papers[one.b]
                    before[one] = agree(a, b), likelihood(a, b)
                else:
                    before[one] = False, 0.0
        self._found = {one: before[one] for one in known}


def _groups(pairs: Iterable[tuple[PaperId, PaperId]]) -> list[set[PaperId]]:
    """Papers that hang together by pairs."""
    group_of: dict[PaperId, set[PaperId]] = {}
    for a, b in pairs:
        joined = group_of.get(a, {a}) | group_of.get(b, {b})
        group_of |= dict.fromkeys(joined, joined)
    return list({id(group): group for group in group_of.values()}.values())
