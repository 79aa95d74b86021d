"""Quantities as text: sizes, durations, dates, rates of progress, lists of authors."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from sciread_app.domain.paper import Paper
from sciread_app.language import format_day, tr, trn
from sciread_app.ui.progress import JobProgress

NOTE = 40  # characters that are shown of what a job reports; the tip has the rest
MOST_AUTHORS = 6


def shortened(text: str, longest: int) -> str:
    """The text, cut to at most `longest` characters including the ellipsis."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def sentence_case(text: str) -> str:
    """The text with a capital letter at its start, unless its first word is a name such as
    arXiv."""
    first = text.split(maxsplit=1)[:1]
    return text[:1].upper() + text[1:] if first and first[0].islower() else text


def file_size(bytes: int) -> str:
    """3 KB, 12.5 MB, 1.2 GB"""
    amount, units = bytes / 1000, (tr("KB"), tr("MB"), tr("GB"), tr("TB"))
    for unit in units:
        if amount < 1000 or unit == units[-1]:
            return (
                f"{amount:,.0f} {unit}"
                if amount >= 100 or unit == units[0]
                else f"{amount:.1f} {unit}"
            )
        amount /= 1000
    raise AssertionError


def progress_text(progress: JobProgress, note: str = "", *, paused: bool = False) -> str:
    """40% · 4,000 of 10,000 · 850/s · 7 s left; of paused work neither rate, time nor note"""
    done, total = progress.done, progress.total
    parts = [tr("Paused")] if paused else []
    if total:
        percent = min(100, done * 100 // total)
        parts += [
            tr("{percent}%", percent=percent),
            tr("{done:,} of {total:,}", done=done, total=total),
        ]
    elif done:
        parts.append(f"{done:,}")
    if paused:
        return " · ".join(parts)
    if progress.rate >= 1:
        # Translators: so many in a second
        parts.append(tr("{rate:,.0f}/s", rate=progress.rate))
    if (left := progress.left) is not None:
        # Translators: {duration} is "7 s" or "2 h 5 min"
        parts.append(tr("{duration} left", duration=duration(left)))
    if note:
        parts.append(shortened(note, NOTE))
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """7 s, 3 min 20 s, 2 h 5 min"""
    whole = max(1, round(seconds))
    if whole < 60:
        return tr("{seconds} s", seconds=whole)
    minutes, rest = divmod(whole, 60)
    if minutes < 10:
        return tr("{minutes} min {seconds} s", minutes=minutes, seconds=rest)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return tr("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return tr("{minutes} min", minutes=minutes)


def authors(paper: Paper, most: int = MOST_AUTHORS) -> str:
    """The first few names, and how many more there are, if that is known."""
    if not paper.authors:
        return tr("Unknown authors")
    shown = ", ".join(author.name for author in paper.authors[:most])
    if paper.has_more_authors:
        return tr("{names} et al.", names=shown)
    more = len(paper.authors) - most
    if more <= 0:
        return shown
    return trn("{names} and {n} more", "{names} and {n} more", more, names=shown)


def authors_within(paper: Paper, fits: Callable[[str], bool]) -> str:
    """As many whole names as fit, so that the count of the others is always visible."""
    tried = (authors(paper, most) for most in range(MOST_AUTHORS, 1, -1))
    return next((text for text in tried if fits(text)), authors(paper, 1))


def when(at: float, now: datetime) -> str:
    """today at 05:12, yesterday at 22:10, November 2, 2026"""
    moment = datetime.fromtimestamp(at)
    clock = f"{moment:%H:%M}"
    if moment.date() == now.date():
        return tr("today at {clock}", clock=clock)
    if moment.date() == now.date() - timedelta(days=1):
        return tr("yesterday at {clock}", clock=clock)
    return format_day(moment)
