"""What the window says of fetches and imports: how they stand, what they brought, and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from sciread_app.domain.fetches import Fetch, SourceQuery, State
from sciread_app.domain.news import What
from sciread_app.language import tr, trn
from sciread_app.ui.fetch_work import Going
from sciread_app.ui.foot import how_far
from sciread_app.ui.values import Brought

# What is said of so many.
_CHANGES: Mapping[What, Callable[[int], str]] = {
    What.version: lambda n: trn("{n:,} new version", "{n:,} new versions", n),
    What.published: lambda n: trn("{n:,} now published", "{n:,} now published", n),
    What.corrected: lambda n: trn("{n:,} corrected", "{n:,} corrected", n),
    What.withdrawn: lambda n: trn("{n:,} withdrawn", "{n:,} withdrawn", n),
    What.retracted: lambda n: trn("{n:,} retracted", "{n:,} retracted", n),
}
_NAMES = {
    What.added: tr("Added"),
    What.version: tr("New version"),
    What.published: tr("Now published"),
    What.corrected: tr("Corrected"),
    What.withdrawn: tr("Withdrawn"),
    What.retracted: tr("Retracted"),
}


def asked(query: SourceQuery) -> str:
    """The rest of a query, below its text: since 2024-01-01 · until 2024-06-30 · at most 5,000"""
    parts = []
    if query.since:
        parts.append(tr("since {date}", date=query.since))
    if query.until:
        parts.append(tr("until {date}", date=query.until))
    if query.most:
        parts.append(tr("at most {most:,}", most=query.most))
    return " · ".join(parts)


def query_line(query: SourceQuery) -> str:
    return " ".join(query.text.split()) or tr("everything")


def state_line(fetch: Fetch, now: datetime) -> str:
    """How a fetch stands on which nothing is going on."""
    if fetch.started is None:
        return tr("Not begun yet")
    if fetch.state is State.done:
        then = when(fetch.finished or fetch.started, now)
        if fetch.query.changed_since:
            # Translators: {when} is "today at 05:12" or "2026-11-02"
            return tr("Refreshed {when}", when=then)
        # Translators: {when} is "today at 05:12" or "2026-11-02"
        return tr("Fetched {when}", when=then)
    then, far = when(fetch.started, now), f"{fetch.read:,}"
    if fetch.total:
        far = tr("{done:,} of {total:,}", done=fetch.read, total=fetch.total)
    if fetch.state is State.failed:
        # Translators: {far} is "2,000 of 5,000" or "2,000"
        return tr("Failed at {far}, {when}", far=far, when=then)
    # Translators: {far} is "2,000 of 5,000" or "2,000"
    return tr("Stopped at {far}, {when}", far=far, when=then)


def going_line(going: Going, titles: Mapping[str, str]) -> str:
    """How far a fetch is that is going on, or what it waits for."""
    if going.stopping:
        return tr("Stopping…")
    if going.job is None:
        source = going.fetch.query.source
        return tr(
            "Waits for its turn: {source} is asked for one thing at a time",
            source=titles.get(source, source),
        )
    return how_far(going.done, going.total, going.pace) or tr("Starting…")


def counts_line(fetch: Fetch) -> str:
    """What became of all that the last run has read."""
    if not fetch.read:
        return _in_all(fetch.papers) if fetch.papers else ""
    parts = [
        tr("{read:,} read: {new:,} new", read=fetch.read, new=fetch.added),
        trn("{n:,} already there", "{n:,} already there", fetch.merged),
    ]
    if fetch.failed:
        parts.append(trn("{n:,} failed", "{n:,} failed", fetch.failed))
    if fetch.papers > fetch.added:
        parts.append(_in_all(fetch.papers))
    return " · ".join(parts)


def _in_all(count: int) -> str:
    return trn("{n:,} paper in all", "{n:,} papers in all", count)


def brought_line(brought: Brought) -> str:
    """12 new papers · 2 new versions · 1 retracted; or why there is nothing."""
    count = len(brought.added)
    new = trn("{n:,} new paper", "{n:,} new papers", count)
    return " · ".join(filter(None, (new if count else "", changes_line(brought))))


def changes_line(brought: Brought) -> str:
    """2 new versions · 1 retracted; or why there is neither this nor anything new."""
    parts = []
    kinds = Counter(change.what for change in brought.changes)
    for what, said in _CHANGES.items():
        if count := kinds[what]:
            parts.append(said(count))
    if parts or brought.added:
        return " · ".join(parts)
    return " ".join((tr("Nothing new."), brought.remark)).strip()


def change_name(what: What) -> str:
    return _NAMES[what]


def when(at: float, now: datetime) -> str:
    """today at 05:12, yesterday at 22:10, 2026-11-02"""
    moment = datetime.fromtimestamp(at)
    clock = f"{moment:%H:%M}"
    if moment.date() == now.date():
        return tr("today at {clock}", clock=clock)
    if moment.date() == now.date() - timedelta(days=1):
        return tr("yesterday at {clock}", clock=clock)
    return f"{moment:%Y-%m-%d}"
