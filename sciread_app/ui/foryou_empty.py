"""What stands where recommendations would be when there are none, and what can be done."""

from __future__ import annotations

import enum
from typing import NamedTuple

from sciread_app.domain.recommend import Next
from sciread_app.ui.foryou_values import Part, Suggestions


class Do(enum.Enum):
    """What a button does."""

    papers = "papers"  # go to the papers
    fetch = "fetch"
    everywhere = "everywhere"  # look in the whole library
    far = "far"
    seen = "seen"
    words = "words"


class Nothing(NamedTuple):
    picture: str
    title: str
    text: str = ""
    steps: tuple[tuple[str, Do], ...] = ()


_OTHERS = {
    Part.waved: Nothing(
        "minus",
        "Nothing was waved away",
        "What you say is not for you is kept here, and can be taken back.",
    ),
    Part.far: Nothing(
        "similar",
        "Nothing is further away",
        "What is further from your papers than these are from one another comes here.",
    ),
    Part.seen: Nothing(
        "read", "Nothing seen yet", "What is new moves here when you press “Seen until here”."
    ),
}


def nothing_in(found: Suggestions, part: Part) -> Nothing:
    if part is not Part.new:
        return _OTHERS[part]
    if seen := len(found.part(Part.seen)):
        show = f"Show {seen:,} seen before"
        text = found.hint or "Nothing has come since you looked last."
        return Nothing("read", "You are up to date", text, ((show, Do.seen),))
    if found.note:
        return Nothing("recent", _as_title(found.note), found.hint, _steps(found))
    return Nothing("recent", "Nothing new")


def _steps(found: Suggestions) -> tuple[tuple[str, Do], ...]:
    far = len(found.part(Part.far))
    everywhere = ("Look in the whole library", Do.everywhere)
    return {
        Next.nothing: (),
        Next.collect: (("Go to your papers", Do.papers),),
        Next.fetch: (("Go to Intake", Do.fetch), everywhere),
        Next.far: ((f"Show the {far:,} less alike", Do.far), everywhere),
        Next.words: (("Change the words", Do.words),),
    }[found.next]


def _as_title(sentence: str) -> str:
    """One sentence loses its full stop."""
    return sentence[:-1] if sentence.endswith(".") and sentence.count(". ") == 0 else sentence
