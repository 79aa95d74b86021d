"""Texts about fetches and imports: their state and results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime

from sciread_app.domain.fetch import Fetch, FetchState, SourceQuery
from sciread_app.domain.metadata.paper_updates import UpdateKind
from sciread_app.language import tr, trn
from sciread_app.ui.add_papers.fetch.controller import RunningFetch
from sciread_app.ui.formatting import progress_text, sentence_case, when
from sciread_app.ui.view_models import FetchResults

# The texts for counts of each kind
_CHANGES: Mapping[UpdateKind, Callable[[int], str]] = {
    UpdateKind.version: lambda n: trn("{n:,} new version", "{n:,} new versions", n),
    UpdateKind.published: lambda n: trn("{n:,} now published", "{n:,} now published", n),
    UpdateKind.corrected: lambda n: trn("{n:,} corrected", "{n:,} corrected", n),
    UpdateKind.withdrawn: lambda n: trn("{n:,} withdrawn", "{n:,} withdrawn", n),
    UpdateKind.retracted: lambda n: trn("{n:,} retracted", "{n:,} retracted", n),
}
_NAMES = {
    UpdateKind.added: tr("Added"),
    UpdateKind.version: tr("New version"),
    UpdateKind.published: tr("Now published"),
    UpdateKind.corrected: tr("Corrected"),
    UpdateKind.withdrawn: tr("Withdrawn"),
    UpdateKind.retracted: tr("Retracted"),
}


def limits_text(query: SourceQuery) -> str:
    """The query without its text: Since 2024-01-01 · until 2024-06-30 · at most 5,000"""
    parts = []
    if query.since:
        parts.append(tr("since {date}", date=query.since))
    if query.until:
        parts.append(tr("until {date}", date=query.until))
    if query.most:
        parts.append(tr("at most {most:,}", most=query.most))
    return sentence_case(" · ".join(parts))


def query_line(query: SourceQuery) -> str:
    return " ".join(query.text.split()) or tr("All papers")


def state_line(fetch: Fetch, now: datetime) -> str:
    """The state of a fetch that is not running."""
    if fetch.started is None:
        return tr("Not started")
    if fetch.state is FetchState.done:
        then = when(fetch.finished or fetch.started, now)
        if fetch.query.changed_since:
            # Translators: {when} is "today at 05:12" or "November 2, 2026"
            return tr("Refreshed {when}", when=then)
        # Translators: {when} is "today at 05:12" or "November 2, 2026"
        return tr("Fetched {when}", when=then)
    then, far = when(fetch.started, now), f"{fetch.read:,}"
    if fetch.total:
        far = tr("{done:,} of {total:,}", done=fetch.read, total=fetch.total)
    if fetch.state is FetchState.failed:
        # Translators: {far} is "2,000 of 5,000" or "2,000"
        return tr("Failed at {far}, {when}", far=far, when=then)
    # Translators: {far} is "2,000 of 5,000" or "2,000"
    return tr("Stopped at {far}, {when}", far=far, when=then)


def progress_line(running: RunningFetch, titles: Mapping[str, str]) -> str:
    """The progress of a running fetch, or the reason why it is queued."""
    if running.stopping:
        return tr("Stopping…")
    if running.job is None:
        source = running.fetch.query.source
        return tr(
            "Queued: only one query to {source} runs at a time",
            source=titles.get(source, source),
        )
    return progress_text(running.progress) or tr("Starting…")


def counts_line(fetch: Fetch) -> str:
    """The counts of all records read by the last run."""
    if not fetch.read:
        return _in_all(fetch.papers) if fetch.papers else ""
    parts = [
        tr("{read:,} read: {new:,} new", read=fetch.read, new=fetch.added),
        trn("{n:,} already in library", "{n:,} already in library", fetch.merged),
    ]
    if fetch.failed:
        parts.append(trn("{n:,} failed", "{n:,} failed", fetch.failed))
    if fetch.papers > fetch.added:
        parts.append(_in_all(fetch.papers))
    return " · ".join(parts)


def _in_all(count: int) -> str:
    return trn("{n:,} paper in total", "{n:,} papers in total", count)


def results_line(results: FetchResults) -> str:
    """12 new papers · 2 new versions · 1 retracted; or why there are none."""
    count = len(results.added)
    new = trn("{n:,} new paper", "{n:,} new papers", count)
    return " · ".join(filter(None, (new if count else "", changes_line(results))))


def changes_line(results: FetchResults) -> str:
    """2 new versions · 1 retracted; or why there are neither changes nor new papers."""
    parts = []
    kinds = Counter(change.what for change in results.changes)
    for what, count_text in _CHANGES.items():
        if count := kinds[what]:
            parts.append(count_text(count))
    if parts or results.added:
        return " · ".join(parts)
    return " ".join((tr("No new papers."), results.remark)).strip()


def change_name(what: UpdateKind) -> str:
    return _NAMES[what]
