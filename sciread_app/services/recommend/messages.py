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
            tr("This search finds no papers in your library yet, so there is nothing to go by."),
            tr("Fetch or add papers that it finds, or change what it looks for."),
            SuggestedAction.fetch,
        )
    return StatusMessage(
        tr("This collection is empty, so there is nothing to go by."),
        tr("Put five papers or more into it that show what you are looking for."),
        SuggestedAction.collect,
    )


def few(subject: FollowedTopic, count: int) -> StatusMessage:
    """The topic has fewer papers than needed for good recommendations."""
    if subject.kind is TopicKind.search:
        said = trn(
            "This search finds only one paper; from five on the list gets better.",
            "This search finds only {n} papers; from five on the list gets better.",
            count,
        )
    else:
        said = trn(
            "This collection holds only one paper; from five on the list gets better.",
            "This collection holds only {n} papers; from five on the list gets better.",
            count,
        )
    return StatusMessage(said)


def nothing_new(
    among: CandidateScope, since: float, last: LastFetch | None, now: datetime
) -> StatusMessage:
    """No paper was added or fetched since the time `since`."""
    if among is CandidateScope.library:
        return StatusMessage(
            tr("Your library holds no other papers."),
            tr("Add some on the Intake page."),
            SuggestedAction.fetch,
        )
    if among is CandidateScope.added:
        return StatusMessage(
            # Translators: the day is "today", "Friday" or "3 November"
            tr("No paper was added since {day}.", day=_day(since, now)),
            tr("Fetch or add papers on the Intake page."),
            SuggestedAction.fetch,
        )
    if last is None:
        return StatusMessage(
            tr("Nothing was fetched yet."),
            tr(
                "Fetch what you follow from arXiv or PubMed on the Intake page; each time it is "
                "refreshed, what is new comes here."
            ),
            SuggestedAction.fetch,
        )
    return _nothing_fetched(since, last, now)


def _nothing_fetched(since: float, last: LastFetch, now: datetime) -> StatusMessage:
    day = _day(last.started, now)
    if last.started < since:
        return StatusMessage(
            # Translators: the day is "today", "Friday" or "3 November"
            tr("Nothing was fetched since {day}.", day=day),
            tr("Refresh your fetches on the Intake page."),
            SuggestedAction.fetch,
        )
    if last.problem:
        # Translators: the day is "today", "Friday" or "3 November"
        failed = tr("A fetch of {day} failed, so new papers may be missing.", day=day)
        return StatusMessage(
            f"{failed} {last.problem}",
            tr("Try it again on the Intake page."),
            SuggestedAction.fetch,
        )
    if not last.finished:
        # Translators: the day is "today", "Friday" or "3 November"
        stopped = tr("The fetch of {day} has not finished.", day=day)
        return StatusMessage(stopped, tr("Continue it on the Intake page."), SuggestedAction.fetch)
    # Translators: the day is "today", "Friday" or "3 November"
    nothing = tr("The fetch of {day} brought nothing new.", day=day)
    return StatusMessage(
        f"{nothing} {_why_nothing(last.source, now)}".strip(),
        tr("Look again later, or among all that was added lately."),
    )


def nothing_left(
    came: int, held: int, dismissed: int, preferences: TopicPreferences
) -> StatusMessage:
    """Papers were added, but all are dealt with or excluded by the preferences."""
    if held + dismissed == came:
        return StatusMessage(
            _dealt_with(came, held, dismissed), tr("Come back after the next fetch.")
        )
    if preferences.must or preferences.never:
        return StatusMessage(
            _none_asked_for(came, preferences),
            tr("Change these words, or leave them out."),
            SuggestedAction.words,
        )
    said = trn(
        "None of {n:,} new paper meets the conditions of this search.",
        "None of {n:,} new papers meets the conditions of this search.",
        came,
    )
    return StatusMessage(said, tr("Change the search."))


def _dealt_with(came: int, held: int, dismissed: int) -> str:
    if not dismissed:
        return trn(
            "You have dealt with all {n:,} new paper: {held:,} in the collection.",
            "You have dealt with all {n:,} new papers: {held:,} in the collection.",
            came,
            held=held,
        )
    if not held:
        return trn(
            "You have dealt with all {n:,} new paper: {waved:,} waved away.",
            "You have dealt with all {n:,} new papers: {waved:,} waved away.",
            came,
            waved=dismissed,
        )
    return trn(
        "You have dealt with all {n:,} new paper: {held:,} in the collection and {waved:,} waved "
        "away.",
        "You have dealt with all {n:,} new papers: {held:,} in the collection and {waved:,} waved "
        "away.",
        came,
        held=held,
        waved=dismissed,
    )


def _none_asked_for(came: int, preferences: TopicPreferences) -> str:
    if not preferences.never:
        return trn(
            "None of {n:,} new paper is left: what comes here must have “{must}”.",
            "None of {n:,} new papers is left: what comes here must have “{must}”.",
            came,
            must=preferences.must,
        )
    if not preferences.must:
        return trn(
            "None of {n:,} new paper is left: what comes here must not have “{never}”.",
            "None of {n:,} new papers is left: what comes here must not have “{never}”.",
            came,
            never=preferences.never,
        )
    return trn(
        "None of {n:,} new paper is left: what comes here must have “{must}” and must not have "
        "“{never}”.",
        "None of {n:,} new papers is left: what comes here must have “{must}” and must not have "
        "“{never}”.",
        came,
        must=preferences.must,
        never=preferences.never,
    )


def only_versions(count: int) -> StatusMessage:
    """Papers were added, but all are versions of works already present."""
    said = trn(
        "{n:,} new paper is another version of what you have already.",
        "{n:,} new papers are other versions of what you have already.",
        count,
    )
    return StatusMessage(said)


def all_seen(last: LastFetch | None, now: datetime) -> StatusMessage:
    """Papers were added, and all have been seen."""
    if last is None:
        return StatusMessage(tr("You have seen all that came."))
    if last.problem or not last.finished:
        incomplete = tr("The last fetch did not finish, so new papers may be missing.")
        return StatusMessage(
            tr("You have seen all that came."), f"{incomplete} {last.problem}".strip()
        )
    why = _why_nothing(last.source, now)
    # Translators: the day is "today", "Friday" or "3 November"
    since = tr("Nothing has come since the fetch of {day}.", day=_day(last.started, now))
    return StatusMessage(tr("You have seen all that came."), f"{since} {why}".strip())


def none_fits(count: int, subject: FollowedTopic) -> StatusMessage:
    """Papers were ranked, but none is similar enough to the topic's papers."""
    if subject.kind is TopicKind.search:
        said = trn(
            "The one new paper is less alike than the papers that this search finds best are to "
            "one another.",
            "All {n:,} new papers are less alike than the papers that this search finds best are "
            "to one another.",
            count,
        )
    else:
        said = trn(
            "The one new paper is less alike than your collection's papers are to one another.",
            "All {n:,} new papers are less alike than your collection's papers are to one another.",
            count,
        )
    return StatusMessage(said, tr("Have a look at them all the same."), SuggestedAction.far)


def _why_nothing(source: str, now: datetime) -> str:
    from sciread_app.sources import SOURCES  # all that talks to the network: 0.2 s

    return next((known.why_nothing(now) for known in SOURCES if source == known.KEY), "")


def _day(moment: float, now: datetime) -> str:
    """Format a day relative to `now`: today, Friday, 3 November."""
    then = datetime.fromtimestamp(moment, UTC).astimezone(now.tzinfo)
    days = round((now - then).total_seconds() / DAY)
    if then.date() == now.date():
        return tr("today")
    if days < 7:
        return format_weekday(then)
    return format_day(then, with_year=then.year != now.year)
