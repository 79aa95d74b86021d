"""Review of possible duplicates: the evidence, and the user's decisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sciread_app.domain.matching.duplicate_reasons import translated
from sciread_app.domain.matching.field_comparison import DuplicatePair, Merge, PairMember, agree
from sciread_app.domain.matching.record_keys import MatchVerdict
from sciread_app.domain.matching.record_linkage import likelihood
from sciread_app.domain.paper import Edit, PaperId
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.storage.library import Library
from sciread_app.storage.papers.duplicate_pairs import PairState
from sciread_app.tasks import Task

_AT_ONCE = 500


class Duplicates:
    """Every method blocks. Decisions are edits of `LibraryEditor` and can be undone."""

    def __init__(self, library: Library, editor: LibraryEditor) -> None:
        self._library = library
        self._editor = editor
        # Comparisons of unchanged pairs: whether they agree, and their likelihood.
        self._found: dict[PairState, tuple[bool, float]] = {}

    def pairs(self, task: Task | None = None) -> list[DuplicatePair]:
        """The pairs to review, most likely first."""
        known = self._library.duplicates.of(MatchVerdict.maybe)
        self._compare(known, task or Task())
        return [
            DuplicatePair(
                one.a, one.b, one.title, translated(one.reason), agree=self._found[one][0]
            )
            for one in sorted(known, key=lambda one: -self._found[one][1])
        ]

    def is_search_due(self) -> bool:
        """Return whether pairs may be missing: after an upgrade, or because a search was
        interrupted."""
        return self._library.duplicates.is_search_due()

    def search(self, task: Task | None = None) -> int:
        """Search the whole library for possible duplicates and versions.

        Returns the number of new pairs. Decisions of the user are kept. A search that was canceled
        or interrupted is resumed.
        """
        task, pairs = task or Task(), 0
        self._library.duplicates.begin_search()
        while found := self._library.duplicates.search_batch(_AT_ONCE):
            pairs += found.pairs
            task.step(found.done, found.total)
        return pairs

    def merges(self) -> list[Merge]:
        """All merges, manual or by an import, latest first; see LibraryEditor.split."""
        return self._library.duplicates.merges()

    def versions(self) -> list[DuplicatePair]:
        """The pairs that are versions of one work."""
        return [
            DuplicatePair(one.a, one.b, one.title, translated(one.reason), versions=True)
            for one in self._library.duplicates.of(MatchVerdict.versions)
        ]

    def sides(self, pair: DuplicatePair) -> tuple[PairMember, PairMember] | None:
        """Both papers with their organization; None if one no longer exists."""
        ids = [pair.a, pair.b]
        papers = {paper.id: paper for paper in self._library.get(ids)}
        marks, came = self._library.organisation.of(ids), self._library.duplicates.import_names(ids)
        if len(papers) < len(ids):
            return None
        first, second = (
            PairMember(
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
        return self._editor.merge_all(groups, task)

    def _compare(self, known: Sequence[PairState], task: Task) -> None:
        before, self._found = self._found, {}
        new = [one for one in known if one not in before]
        for start in range(0, len(new), _AT_ONCE):
            task.raise_if_cancelled()
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
    """Connected components of the pairs."""
    group_of: dict[PaperId, set[PaperId]] = {}
    for a, b in pairs:
        joined = group_of.get(a, {a}) | group_of.get(b, {b})
        group_of |= dict.fromkeys(joined, joined)
    return list({id(group): group for group in group_of.values()}.values())
