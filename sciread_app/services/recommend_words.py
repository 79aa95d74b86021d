"""What is said of a list of recommendations: why it is empty, and what can be done."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from sciread_app.domain.recommend import DAY, Among, Next, Subject, SubjectKind, Wishes
from sciread_app.storage.opinions import LastFetch


class Said(NamedTuple):
    note: str
    hint: str = ""
    next: Next = Next.nothing


def too_few(subject: Subject) -> Said:
    """There is nothing to learn from."""
    if subject.kind is SubjectKind.search:
        return Said(
            "This search finds no papers in your library yet, so there is nothing to go by.",
            "Fetch or add papers that it finds, or change what it looks for.",
            Next.fetch,
        )
    return Said(
        "This collection is empty, so there is nothing to go by.",
        "Put five papers or more into it that show what you are looking for.",
        Next.collect,
    )


def few(subject: Subject, count: int) -> Said:
    """There is little to learn from."""
    papers = "one paper" if count == 1 else f"{count} papers"
    if subject.kind is SubjectKind.search:
        return Said(f"This search finds only {papers}; from five on the list gets better.")
    return Said(f"This collection holds only {papers}; from five on the list gets better.")


def nothing_new(among: Among, since: float, last: LastFetch | None, now: datetime) -> Said:
    """No paper came at all."""
    if among is Among.library:
        return Said(
            "Your library holds no other papers.", "Add some on the Intake page.", Next.fetch
        )
    if among is Among.added:
        return Said(
            f"No paper was added since {_day(since, now)}.",
            "Fetch or add papers on the Intake page.",
            Next.fetch,
        )
    if last is None:
        return Said(
            "Nothing was fetched yet.",
            "Fetch what you follow from arXiv or PubMed on the Intake page; each time it is "
            "refreshed, what is new comes here.",
            Next.fetch,
        )
    if last.started < since:
        return Said(
            f"Nothing was fetched since {_day(last.started, now)}.",
            "Refresh your fetches on the Intake page.",
            Next.fetch,
        )
    why = _why_nothing(last.source, now)
    return Said(
        f"The fetch of {_day(last.started, now)} brought nothing new." + (f" {why}" if why else ""),
        "Look again later, or among all that was added lately.",
    )


def nothing_wanted(came: int, held: int, waved: int, wishes: Wishes) -> Said:
    """Papers came, but none is left to be recommended."""
    new = _new_papers(came)
    if held + waved == came:
        parts = [f"{held:,} in the collection" if held else "", f"{waved:,} waved away"]
        where = " and ".join(part for part in parts[: 2 if waved else 1] if part)
        return Said(f"You have dealt with all {new}: {where}.", "Come back after the next fetch.")
    asked = [f"must have “{wishes.must}”"] if wishes.must else []
    asked += [f"must not have “{wishes.never}”"] if wishes.never else []
    if asked:
        return Said(
            f"None of {new} is left: what comes here {' and '.join(asked)}.",
            "Change these words, or leave them out.",
            Next.words,
        )
    return Said(f"None of {new} meets the conditions of this search.", "Change the search.")


def only_versions(count: int) -> Said:
    """Papers came, but of works that are there already."""
    are = "is another version" if count == 1 else "are other versions"
    return Said(f"{_new_papers(count)} {are} of what you have already.")


def all_seen(last: LastFetch | None, now: datetime) -> Said:
    """Papers came, and somebody has looked at them."""
    if last is None:
        return Said("You have seen all that came.")
    why = _why_nothing(last.source, now)
    since = f"Nothing has come since the fetch of {_day(last.started, now)}."
    return Said("You have seen all that came.", f"{since} {why}".strip())


def none_fits(count: int, subject: Subject) -> Said:
    """Papers were ranked, but all are far from what the subject is about."""
    if subject.kind is SubjectKind.search:
        than = "the papers that this search finds best are to one another"
    else:
        than = "your collection's papers are to one another"
    said = f"All {count:,} new papers are" if count > 1 else "The one new paper is"
    return Said(f"{said} less alike than {than}.", "Have a look at them all the same.", Next.far)


def _why_nothing(source: str, now: datetime) -> str:
    from sciread_app.sources import SOURCES  # all that talks to the network: 0.2 s

    return next((known.why_nothing(now) for known in SOURCES if source == known.KEY), "")


def _new_papers(count: int) -> str:
    return "1 new paper" if count == 1 else f"{count:,} new papers"


def _day(moment: float, now: datetime) -> str:
    """A day as one says it: today, Friday, 3 November."""
    then = datetime.fromtimestamp(moment, UTC).astimezone(now.tzinfo)
    days = round((now - then).total_seconds() / DAY)
    if then.date() == now.date():
        return "today"
    if days < 7:
        return f"{then:%A}"
    year = "" if then.year == now.year else f" {then.year}"
    return f"{then.day} {then:%B}{year}"
