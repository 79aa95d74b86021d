"""Messages about a list of recommendations: why it is empty, and what the user can do."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from sciread_app.domain.recommend import (
    DAY,
    CandidateScope,
    FollowedTopic,
    SuggestedAction,
    TopicKind,
    TopicPreferences,
)
from sciread_app.language import format_day, format_weekday, tr, trn
from sciread_app.storage.organisation.relevance_feedback import LastFetch


class StatusMessage(NamedTuple):
    note: str
    hint: str = ""
    next: SuggestedAction = SuggestedAction.nothing


def too_few(subject: FollowedTopic) -> StatusMessage:
    """The topic has no papers to learn from."""
    if subject.kind is TopicKind.search:
        return StatusMessage(
            tr("This search has no results in your library yet, so there are no recommendations."),
            tr("Add or fetch papers that match the search, or edit the search."),
            SuggestedAction.fetch,
        )
    return StatusMessage(
        tr("This collection is empty, so there are no recommendations."),
        tr("Add five or more papers that show what you are looking for."),
        SuggestedAction.collect,
    )


def few(subject: FollowedTopic, count: int) -> StatusMessage:
    """The topic has fewer papers than needed for good recommendations."""
    if subject.kind is TopicKind.search:
        message = trn(
            "This search finds only one paper. Recommendations improve with five or more.",
            "This search finds only {n} papers. Recommendations improve with five or more.",
            count,
        )
    else:
        message = trn(
            "This collection contains only one paper. Recommendations improve with five or more.",
            "This collection contains only {n} papers. Recommendations improve with five or more.",
            count,
        )
    return StatusMessage(message)


def nothing_new(
    among: CandidateScope, since: float, last: LastFetch | None, now: datetime
) -> StatusMessage:
    """No paper was added or fetched since the time `since`."""
    if among is CandidateScope.library:
        return StatusMessage(
            tr("Your library contains no other papers."),
            tr("Import or fetch more papers on the Add papers page."),
            SuggestedAction.fetch,
        )
    if among is CandidateScope.added:
        return StatusMessage(
            # Translators: the day is "today", "Friday" or "3 November"
            tr("No papers added since {day}.", day=_day(since, now)),
            tr("Import or fetch papers on the Add papers page."),
            SuggestedAction.fetch,
        )
    if last is None:
        return StatusMessage(
            tr("No papers fetched yet."),
            tr(
                "Fetch a query from an online source on the Add papers page. Each time you "
                "refresh the query, new papers appear here."
            ),
            SuggestedAction.fetch,
        )
    return _nothing_fetched(since, last, now)


def _nothing_fetched(since: float, last: LastFetch, now: datetime) -> StatusMessage:
    day = _day(last.started, now)
    if last.started < since:
        return StatusMessage(
            # Translators: the day is "today", "Friday" or "3 November"
            tr("No papers fetched since {day}.", day=day),
            tr("Refresh your queries on the Add papers page."),
            SuggestedAction.fetch,
        )
    if last.problem:
        # Translators: the day is "today", "Friday" or "3 November"
        failed = tr("The last fetch ({day}) failed, so new papers may be missing.", day=day)
        return StatusMessage(
            f"{failed} {last.problem}",
            tr("Retry the query on the Add papers page."),
            SuggestedAction.fetch,
        )
    if not last.finished:
        # Translators: the day is "today", "Friday" or "3 November"
        stopped = tr("The last fetch ({day}) is not finished.", day=day)
        return StatusMessage(
            stopped, tr("Resume the query on the Add papers page."), SuggestedAction.fetch
        )
    # Translators: the day is "today", "Friday" or "3 November"
    nothing = tr("The last fetch ({day}) found no new papers.", day=day)
    return StatusMessage(
        f"{nothing} {_nothing_found_reason(last.source, now)}".strip(),
        tr("Check back later, or browse all recently added papers."),
    )


def nothing_left(
    came: int, held: int, dismissed: int, preferences: TopicPreferences
) -> StatusMessage:
    """Papers were added, but all are dealt with or excluded by the preferences."""
    if held + dismissed == came:
        return StatusMessage(
            _dealt_with(came, held, dismissed), tr("Check back after the next fetch.")
        )
    if preferences.must or preferences.never:
        return StatusMessage(
            _none_asked_for(came, preferences),
            tr("Change or remove the filter words."),
            SuggestedAction.words,
        )
    message = trn(
        "{n:,} new paper does not match the filters of this search.",
        "None of the {n:,} new papers matches the filters of this search.",
        came,
    )
    return StatusMessage(message, tr("Edit the search."))


def _dealt_with(came: int, held: int, dismissed: int) -> str:
    if not dismissed:
        return trn(
            "Nothing to review: the new paper is kept already.",
            "Nothing to review: all {n:,} new papers are kept already.",
            came,
        )
    if not held:
        return trn(
            "Nothing to review: the new paper is dismissed.",
            "Nothing to review: all {n:,} new papers are dismissed.",
            came,
        )
    return trn(
        "Nothing to review: of {n:,} new paper, {held:,} is kept and {dismissed:,} dismissed.",
        "Nothing to review: of {n:,} new papers, {held:,} are kept and {dismissed:,} dismissed.",
        came,
        held=held,
        dismissed=dismissed,
    )


def _none_asked_for(came: int, preferences: TopicPreferences) -> str:
    if not preferences.never:
        return trn(
            "{n:,} new paper is hidden: it does not match “{must}”.",
            "None of the {n:,} new papers remains after filtering by “{must}”.",
            came,
            must=preferences.must,
        )
    if not preferences.must:
        return trn(
            "{n:,} new paper is hidden: it matches the excluded “{never}”.",
            "None of the {n:,} new papers remains after excluding “{never}”.",
            came,
            never=preferences.never,
        )
    return trn(
        "{n:,} new paper is hidden: it does not match “{must}” or matches the excluded “{never}”.",
        "None of the {n:,} new papers remains after filtering by “{must}” and excluding “{never}”.",
        came,
        must=preferences.must,
        never=preferences.never,
    )


def only_versions(count: int) -> StatusMessage:
    """Papers were added, but all are versions of works already present."""
    message = trn(
        "{n:,} new paper is another version of a paper you already have.",
        "{n:,} new papers are other versions of papers you already have.",
        count,
    )
    return StatusMessage(message)


def all_seen(last: LastFetch | None, now: datetime) -> StatusMessage:
    """Papers were added, and all have been seen."""
    if last is None:
        return StatusMessage(tr("You have seen all new papers."))
    if last.problem or not last.finished:
        incomplete = tr("The last fetch did not finish, so new papers may be missing.")
        return StatusMessage(
            tr("You have seen all new papers."), f"{incomplete} {last.problem}".strip()
        )
    why = _nothing_found_reason(last.source, now)
    # Translators: the day is "today", "Friday" or "3 November"
    since = tr("No new papers since the last fetch ({day}).", day=_day(last.started, now))
    return StatusMessage(tr("You have seen all new papers."), f"{since} {why}".strip())


def none_fits(count: int, subject: FollowedTopic) -> StatusMessage:
    """Papers were ranked, but all are weaker matches."""
    if subject.kind is TopicKind.search:
        message = trn(
            "The only new paper is a weaker match for this search.",
            "All {n:,} new papers are weaker matches for this search.",
            count,
        )
    else:
        message = trn(
            "The only new paper is a weaker match for this collection.",
            "All {n:,} new papers are weaker matches for this collection.",
            count,
        )
    return StatusMessage(message, tr("Show the weaker matches."), SuggestedAction.far)


def _nothing_found_reason(source: str, now: datetime) -> str:
    from sciread_app.sources import SOURCES  # all that talks to the network: 0.2 s

    return next((known.nothing_found_reason(now) for known in SOURCES if source == known.KEY), "")


def _day(moment: float, now: datetime) -> str:
    """Format a day relative to `now`: today, Friday, November 3."""
    then = datetime.fromtimestamp(moment, UTC).astimezone(now.tzinfo)
    days = round((now - then).total_seconds() / DAY)
    if then.date() == now.date():
        return tr("today")
    if days < 7:
        return format_weekday(then)
    return format_day(then, with_year=then.year != now.year)
