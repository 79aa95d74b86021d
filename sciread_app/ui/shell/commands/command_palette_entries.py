"""What the command palette offers, and which of it is meant by what is typed."""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence

from sciread_app.domain.text.accents import fold_accents
from sciread_app.ui.page import PaletteEntry

SHOWN = 200  # entries at most: nobody reads on
FEW = 8  # entries that are spelt a little differently
ALIKE = 72  # of 100, from which on rapidfuzz's partial ratio is taken for a slip of the finger
SHORT = 3  # letters from which on something can have been misspelt

_NO_WORD = re.compile(r"[\W_]+")


class PaletteEntries:
    """Thousands of entries, prepared for being looked through at each letter, which takes some
    milliseconds; to prepare them and to look for misspelt ones takes longer."""

    def __init__(self, entries: Sequence[PaletteEntry] = ()) -> None:
        self._entries = list(entries)
        self._titles = [fold_accents(entry.title) for entry in entries]
        # A word begins where there is a space in front of it.
        self._spaced = [f" {_words(title)}" for title in self._titles]
        self._initials = ["".join(word[0] for word in text.split()) for text in self._spaced]

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, typed: str, recent: Sequence[str] = ()) -> list[PaletteEntry]:
        """The entries that are meant, likeliest first; without a word, what was used last.

        Beginnings come before middles; among equals, what was used lately; then the shorter.
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
        """Entries that are spelt a little differently, or hold what was typed somewhere else."""
        from rapidfuzz import fuzz, process  # 0.1 s, which the window has not when it opens

        wanted = _words(fold_accents(typed))
        if len(wanted) < SHORT:
            return []
        hits = process.extract(
            wanted, self._titles, scorer=fuzz.partial_ratio, score_cutoff=ALIKE, limit=FEW
        )
        # What is shorter than what was typed would be found in it, rather than it in that.
        return [self._entries[n] for title, _, n in hits if len(title) >= len(wanted) - 1]

    def _tiers(self, wanted: str) -> dict[int, int]:
        """How well each entry fits that does, by its place: 0 is best."""
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
    """Whether words of the entry begin with all that was typed: who presses Enter means it."""
    wanted, spaced = _words(fold_accents(typed)), f" {_words(fold_accents(entry.title))}"
    return bool(wanted) and all(f" {part}" in spaced for part in wanted.split())


def _words(text: str) -> str:
    return " ".join(_NO_WORD.sub(" ", text).split())


def used(recent: Sequence[str], key: str, keep: int = 50) -> list[str]:
    """What was used last, with `key` now the last of all."""
    return [key, *(known for known in recent if known != key)][:keep]


def searched(searches: Sequence[str], query: str, keep: int = 30) -> list[str]:
    """The last searches, newest first. A query that is still being typed grows in its place."""
    query = " ".join(query.split())
    if not query:
        return list(searches)
    rest = [known for known in searches if known != query]
    if rest and (query.startswith(rest[0]) or rest[0].startswith(query)):
        rest = rest[1:]
    return [query, *rest][:keep]
