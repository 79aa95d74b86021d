"""What the window says of fetches and imports: how they stand, what they brought, and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta

from sciread_app.domain.fetches import Fetch, SourceQuery, State
from sciread_app.domain.news import What
from sciread_app.ui.fetch_work import Going
from sciread_app.ui.foot import how_far
from sciread_app.ui.values import Brought

# "2 new versions": what is said of one, and of more.
_CHANGES = {
    What.version: ("new version", "new versions"),
    What.published: ("now published", "now published"),
    What.corrected: ("corrected", "corrected"),
    What.withdrawn: ("withdrawn", "withdrawn"),
    What.retracted: ("retracted", "retracted"),
}


def papers(count: int) -> str:
    return "1 paper" if count == 1 else f"{count:,} papers"


def asked(query: SourceQuery) -> str:
    """The rest of a query, below its text: since 2024-01-01 · until 2024-06-30 · at most 5,000"""
    parts = []
    if query.since:
        parts.append(f"since {query.since}")
    if query.until:
        parts.append(f"until {query.until}")
    if query.most:
        parts.append(f"at most {query.most:,}")
    return " · ".join(parts)


def query_line(query: SourceQuery) -> str:
    return " ".join(query.text.split()) or "everything"


def state_line(fetch: Fetch, now: datetime) -> str:
    """How a fetch stands on which nothing is going on."""
    if fetch.started is None:
        return "Not begun yet"
    if fetch.state is State.done:
        word = "Refreshed" if fetch.query.changed_since else "Fetched"
        return f"{word} {when(fetch.finished or fetch.started, now)}"
    of = f" of {fetch.total:,}" if fetch.total else ""
    word = "Failed" if fetch.state is State.failed else "Stopped"
    return f"{word} at {fetch.read:,}{of}, {when(fetch.started, now)}"


def going_line(going: Going, titles: Mapping[str, str]) -> str:
    """How far a fetch is that is going on, or what it waits for."""
    if going.stopping:
        return "Stopping…"
    if going.job is None:
        source = going.fetch.query.source
        return f"Waits for its turn: {titles.get(source, source)} is asked for one thing at a time"
    return how_far(going.done, going.total, going.pace) or "Starting…"


def counts_line(fetch: Fetch) -> str:
    """What became of all that the last run has read."""
    if not fetch.read:
        return f"{papers(fetch.papers)} in all" if fetch.papers else ""
    parts = [f"{fetch.read:,} read: {fetch.added:,} new", f"{fetch.merged:,} already there"]
    if fetch.failed:
        parts.append(f"{fetch.failed:,} failed")
    if fetch.papers > fetch.added:
        parts.append(f"{papers(fetch.papers)} in all")
    return " · ".join(parts)


def brought_line(brought: Brought) -> str:
    """12 new papers · 2 new versions · 1 retracted; or why there is nothing."""
    count = len(brought.added)
    new = "1 new paper" if count == 1 else f"{count:,} new papers"
    return " · ".join(filter(None, (new if count else "", changes_line(brought))))


def changes_line(brought: Brought) -> str:
    """2 new versions · 1 retracted; or why there is neither this nor anything new."""
    parts = []
    kinds = Counter(change.what for change in brought.changes)
    for what, (one, more) in _CHANGES.items():
        if count := kinds[what]:
            parts.append(f"{count:,} {one if count == 1 else more}")
    if parts or brought.added:
        return " · ".join(parts)
    return f"Nothing new. {brought.remark}".strip()


def change_name(what: What) -> str:
    return _CHANGES[what][0].capitalize() if what in _CHANGES else what.value.capitalize()


def when(at: float, now: datetime) -> str:
    """today at 05:12, yesterday at 22:10, 2026-11-02"""
    moment = datetime.fromtimestamp(at)
    clock = f"{moment:%H:%M}"
    if moment.date() == now.date():
        return f"today at {clock}"
    if moment.date() == now.date() - timedelta(days=1):
        return f"yesterday at {clock}"
    return f"{moment:%Y-%m-%d}"
