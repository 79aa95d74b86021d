"""The entries of the command palette, where they come from, and how typed text is matched with
them."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from sciread_app.domain.text.folding import fold_accents
from sciread_app.language import tr
from sciread_app.ui.page import PaletteEntry
from sciread_app.ui.shell.commands.menu_bar import native
from sciread_app.ui.view_models import PaletteTarget

if TYPE_CHECKING:
    from sciread_app.ui.jobs.saved_state import SavedState
    from sciread_app.ui.shell.commands.menu_bar import MenuBar

SHOWN = 400  # entries at most; the menus alone have 200
FEW = 8  # entries with similar spelling, at most
ALIKE = 72  # minimum of rapidfuzz's partial ratio (0 to 100) for a misspelling
SHORT = 3  # minimum length of a text that is checked for misspellings

_NO_WORD = re.compile(r"[\W_]+")


class PaletteEntries:
    """An index of thousands of entries.

    `find` takes a few milliseconds, so that it can run at each letter; creating the index and
    `alike` take longer.
    """

    def __init__(self, entries: Sequence[PaletteEntry] = ()) -> None:
        self._entries = list(entries)
        self._titles = [fold_accents(entry.title) for entry in entries]
        # A word begins where there is a space in front of it.
        self._spaced = [f" {_words(title)}" for title in self._titles]
        self._initials = ["".join(word[0] for word in text.split()) for text in self._spaced]

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, typed: str, recent: Sequence[str] = ()) -> list[PaletteEntry]:
        """Return the matching entries, best first, or all, latest used first, if `typed` is empty.

        Matches at the beginning of a title come before others, then recently used entries, then
        shorter ones.
        """
        age = {key: n for n, key in enumerate(recent)}
        wanted = _words(fold_accents(typed))
        ranked = [
            (
                tier,
                age.get(self._entries[n].key, len(age)),
                len(self._titles[n]) if wanted else 0,
                n,
            )
            for n, tier in self._tiers(wanted).items()
        ]
        return [self._entries[n] for *_, n in heapq.nsmallest(SHOWN, ranked)]

    def alike(self, typed: str) -> list[PaletteEntry]:
        """Return entries with similar spelling, best first."""
        from rapidfuzz import fuzz, process  # takes 0.1 s to import

        wanted = _words(fold_accents(typed))
        if len(wanted) < SHORT:
            return []
        hits = process.extract(
            wanted, self._titles, scorer=fuzz.partial_ratio, score_cutoff=ALIKE, limit=FEW
        )
        # A partial ratio also finds short titles inside a longer text.
        return [self._entries[n] for title, _, n in hits if len(title) >= len(wanted) - 1]

    def _tiers(self, wanted: str) -> dict[int, int]:
        """Return the rank of each matching entry, by its index; 0 is best."""
        every = range(len(self._entries))
        if not wanted:
            return dict.fromkeys(every, 0)
        spaced, parts = self._spaced, [f" {part}" for part in wanted.split()]
        tiers = {n: 4 for n in every if wanted in spaced[n]}
        if len(wanted) > 1:
            tiers |= {n: 3 for n in every if self._initials[n].startswith(wanted)}
        begun = [n for n in every if parts[0] in spaced[n]]
        for part in parts[1:]:
            begun = [n for n in begun if part in spaced[n]]
        tiers |= dict.fromkeys(begun, 2)
        tiers |= {n: 1 for n in begun if spaced[n].startswith(f" {wanted}")}
        return tiers | {n: 0 for n in begun if len(spaced[n]) == len(wanted) + 1 and tiers[n] == 1}


def is_sure(entry: PaletteEntry, typed: str) -> bool:
    """Whether each typed word is the beginning of a word of the title."""
    wanted, spaced = _words(fold_accents(typed)), f" {_words(fold_accents(entry.title))}"
    return bool(wanted) and all(f" {part}" in spaced for part in wanted.split())


def _words(text: str) -> str:
    return " ".join(_NO_WORD.sub(" ", text).split())


def used(recent: Sequence[str], key: str, keep: int = 50) -> list[str]:
    """Return `recent`, latest first, with `key` added in front."""
    return [key, *(known for known in recent if known != key)][:keep]


def searched(searches: Sequence[str], query: str, keep: int = 30) -> list[str]:
    """Return `searches`, latest first, with `query` added. It replaces the query it extends."""
    query = " ".join(query.split())
    if not query:
        return list(searches)
    rest = [known for known in searches if known != query]
    if rest and (query.startswith(rest[0]) or rest[0].startswith(query)):
        rest = rest[1:]
    return [query, *rest][:keep]


class PaletteSource:
    """Provides the entries of the palette (actions of the menus, parts of the library, and the last
    searches), and remembers which were used."""

    def __init__(
        self,
        menus: MenuBar,
        search_for: Callable[[str], None],
        goals: Callable[[], Sequence[PaletteTarget]],
        memory: SavedState,
    ) -> None:
        """`search_for` searches as if the query had been typed; `goals` reads the library."""
        self._menus = menus
        self.search_for = search_for
        self._goals = goals
        self._memory = memory
        # Functions that return further entries, such as the papers that are open.
        self.more: list[Callable[[], Sequence[PaletteEntry]]] = []

    def commands(self) -> list[PaletteEntry]:
        """Return the entries that are available immediately."""
        actions = [
            PaletteEntry(
                f"verb:{title}",
                title,
                tr("Command"),
                action.trigger,
                native(action),
                action.property("unavailable_reason"),
                of_page=self._menus.is_of_page(action),
            )
            for title, action in self._menus.entries()
        ]
        searches = [
            self._search(
                f"search:{query}",
                tr("Search again: {query}", query=query),
                tr("Recent search"),
                query,
            )
            for query in self._remembered("searches")
        ]
        return [*actions, *(entry for more in self.more for entry in more()), *searches]

    def goals(self) -> list[PaletteEntry]:
        """Return the entries read from the library; called on a background thread."""
        return [
            self._search(f"goal:{goal.query}", *_words_for(goal), goal.query)
            for goal in self._goals()
        ]

    def recent(self) -> list[str]:
        """Return the keys of the entries used last, latest first."""
        return self._remembered("recent")

    def was_used(self, entry: PaletteEntry) -> None:
        if entry.key:
            self._memory.setValue("palette/recent", used(self.recent(), entry.key))

    def was_searched(self, query: str) -> None:
        searches = searched(self._remembered("searches"), query)
        self._memory.setValue("palette/searches", searches)

    def _search(self, key: str, title: str, kind: str, query: str) -> PaletteEntry:
        return PaletteEntry(key, title, kind, partial(self.search_for, query))

    def _remembered(self, what: str) -> list[str]:
        known = self._memory.value(f"palette/{what}") or []
        # QSettings returns a list of one entry as a string.
        return [known] if isinstance(known, str) else [str(one) for one in known]


def _words_for(goal: PaletteTarget) -> tuple[str, str]:
    """Return the title and the kind of the entry for a target."""
    if goal.kind == "Collection":
        return tr("Go to collection: {name}", name=goal.name), tr("Collection")
    if goal.kind == "Tag":
        return tr("Go to tag: {name}", name=goal.name), tr("Tag")
    return tr("Go to saved search: {name}", name=goal.name), tr("Saved search")
