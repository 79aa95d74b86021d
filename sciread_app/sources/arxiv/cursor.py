"""Position of a fetch in arXiv's query API, and consistency checks between pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from typing import Any

from sciread_app.domain.paper import Paper
from sciread_app.formats.arxiv.atom import AtomEntry, AtomFeed
from sciread_app.language import tr
from sciread_app.sources.arxiv import submission_dates
from sciread_app.sources.arxiv.oai import HarvestCursor as HarvestPlace


@dataclass(frozen=True, slots=True)
class FetchCursor:
    """The position of a fetch. Minutes are written like 202401312359."""

    begin: str = ""  # the first minute of the window; empty for the first window
    start: int = 0  # number of papers of the window before the next page
    last: str = ""  # the last paper of the previous page, with which the next page begins
    total: int = -1  # number of papers in the window, as last reported by arXiv
    before: int = 0  # number of papers before the window
    minute: str = ""  # the minute of the last paper, and the papers of this minute already fetched
    known: tuple[str, ...] = ()
    sweep: bool = False  # a refresh with too many changes, which reads all papers
    harvest: HarvestPlace | None = None  # the position in OAI-PMH, if that is used

    @classmethod
    def read(cls, cursor: str) -> FetchCursor:
        values: dict[str, Any] = json.loads(cursor) if cursor else {}
        for name, kind in (("known", tuple), ("harvest", HarvestPlace._make)):
            if name in values:
                values[name] = kind(values[name])
        return cls(**values)

    def cursor(self) -> str:
        default = asdict(FetchCursor())
        return json.dumps({k: v for k, v in asdict(self).items() if v != default[k]})


def name_of(entry: AtomEntry) -> str:
    """The arXiv id of an entry; empty if it could not be read."""
    return entry.record.source_id if isinstance(entry.record, Paper) else ""


def names_of(entries: Sequence[AtomEntry]) -> tuple[str, ...]:
    return tuple(map(name_of, entries))


def is_end(found: AtomFeed, start: int, size: int) -> bool:
    """Whether this response to a request of `size` papers from `start` on is the last page."""
    return len(found.entries) < size and start + len(found.entries) >= found.total


def follows(found: AtomFeed, place: FetchCursor, seen: AbstractSet[str]) -> bool:
    """Whether no paper is missing between a page and those before it.

    A page is requested so that it begins with the last paper of the previous one. After papers were
    removed or added it begins with some other paper that was fetched before.
    """
    continued = place.start > 0 or (place.begin and place.begin == place.minute)
    if not continued or not place.last or not found.entries:
        return True
    names = names_of(found.entries)
    return place.last in names or not names[0] or names[0] in seen


def contradiction(found: AtomFeed, start: int, size: int) -> str:
    """A contradiction of the page's counts with the request or with each other; mostly empty."""
    end = start + len(found.entries)
    if found.start not in (-1, start):
        return tr("arXiv sends another page than the one asked for")
    if found.entries and found.total < end:
        return tr("arXiv suddenly counts fewer papers than it has sent")
    if end < found.total and len(found.entries) < size:
        return tr("the page is shorter than it should be")
    return ""


def is_rising(entries: Sequence[AtomEntry]) -> bool:
    """Whether none is earlier by more than a day than one before it."""
    latest = ""
    for published in (submission_dates.minute(entry.published) for entry in entries):
        if published and published < latest and published < submission_dates.day_before(latest):
            return False
        latest = max(latest, published)
    return True


def is_falling(entries: Sequence[AtomEntry]) -> bool:
    """Whether the latest day comes first."""
    days = [entry.updated[:10] for entry in entries]
    return all(later >= earlier for earlier, later in zip(days[1:], days, strict=False))
