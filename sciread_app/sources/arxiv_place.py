"""Where a fetch of arXiv's query API stands, and whether a page follows on what came before it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from typing import Any

from sciread_app.domain.paper import Paper
from sciread_app.formats.arxiv_atom import Entry, Feed
from sciread_app.language import tr
from sciread_app.sources import arxiv_days
from sciread_app.sources.arxiv_oai import Place as HarvestPlace


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fetch stands. Minutes are written like 202401312359."""

    begin: str = ""  # the minute that the window begins with; empty for the first window
    start: int = 0  # how many papers of the window come before the page to ask for
    last: str = ""  # the paper that was last on the page before, with which that page begins
    total: int = -1  # how many it has, as arXiv said last
    before: int = 0  # how many papers came before the window
    minute: str = ""  # of the last paper, and which papers of this minute came already
    known: tuple[str, ...] = ()
    sweep: bool = False  # a refresh that must read all, since its changes are too many
    harvest: HarvestPlace | None = None  # where we are, once gone on by OAI-PMH

    @classmethod
    def read(cls, cursor: str) -> Place:
        values: dict[str, Any] = json.loads(cursor) if cursor else {}
        for name, kind in (("known", tuple), ("harvest", HarvestPlace._make)):
            if name in values:
                values[name] = kind(values[name])
        return cls(**values)

    def cursor(self) -> str:
        default = asdict(Place())
        return json.dumps({k: v for k, v in asdict(self).items() if v != default[k]})


def name_of(entry: Entry) -> str:
    """The arXiv id of an entry; empty if it could not be read."""
    return entry.record.source_id if isinstance(entry.record, Paper) else ""


def names_of(entries: Sequence[Entry]) -> tuple[str, ...]:
    return tuple(map(name_of, entries))


def is_end(found: Feed, start: int, size: int) -> bool:
    """Whether a page of `size` papers was asked for from `start` on, and is the last."""
    return len(found.entries) < size and start + len(found.entries) >= found.total


def follows(found: Feed, place: Place, seen: AbstractSet[str]) -> bool:
    """Whether no paper is missing between a page and those before it.

    A page is asked for so that it begins with the last paper of the one before. After papers have
    vanished or appeared it begins with some other paper that came before.
    """
    continued = place.start > 0 or (place.begin and place.begin == place.minute)
    if not continued or not place.last or not found.entries:
        return True
    names = names_of(found.entries)
    return place.last in names or not names[0] or names[0] in seen


def contradiction(found: Feed, start: int, size: int) -> str:
    """What the numbers of a page contradict: what was asked for, or each other; mostly nothing."""
    end = start + len(found.entries)
    if found.start not in (-1, start):
        return tr("arXiv sends another page than the one asked for")
    if found.entries and found.total < end:
        return tr("arXiv suddenly counts fewer papers than it has sent")
    if end < found.total and len(found.entries) < size:
        return tr("the page is shorter than it should be")
    return ""


def is_rising(entries: Sequence[Entry]) -> bool:
    """Whether none is earlier by more than a day than one before it."""
    latest = ""
    for published in (arxiv_days.minute(entry.published) for entry in entries):
        if published and published < latest and published < arxiv_days.day_before(latest):
            return False
        latest = max(latest, published)
    return True


def is_falling(entries: Sequence[Entry]) -> bool:
    """Whether the latest day comes first."""
    days = [entry.updated[:10] for entry in entries]
    return all(later >= earlier for earlier, later in zip(days[1:], days, strict=False))
