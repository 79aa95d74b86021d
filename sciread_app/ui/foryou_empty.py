"""What stands where recommendations would be when there are none, and what can be done."""

from __future__ import annotations

import enum
from typing import NamedTuple

from sciread_app.domain.recommend import Next
from sciread_app.language import tr, trn
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


NOBODY = Nothing(
    "foryou",
    tr("Follow what you care about"),
    tr(
        "Put five papers or more into a collection, or save a search. What you fetch is then "
        "ranked by how like it they are, and comes here with the reasons."
    ),
    ((tr("Go to your papers"), Do.papers), (tr("Fetch papers"), Do.fetch)),
)
_OTHERS = {
    Part.waved: Nothing(
        "minus",
        tr("Nothing was waved away"),
        tr("What you say is not for you is kept here, and can be taken back."),
    ),
    Part.far: Nothing(
        "similar",
        tr("Nothing is further away"),
        tr("What is further from your papers than these are from one another comes here."),
    ),
    Part.seen: Nothing(
        "read",
        tr("Nothing seen yet"),
        tr("What is new moves here when you press “Seen until here”."),
    ),
}


def nothing_in(found: Suggestions, part: Part) -> Nothing:
    if part is not Part.new:
        return _OTHERS[part]
    if seen := len(found.part(Part.seen)):
        show = trn("Show {n:,} seen before", "Show {n:,} seen before", seen)
        text = found.hint or tr("Nothing has come since you looked last.")
        return Nothing("read", tr("You are up to date"), text, ((show, Do.seen),))
    if found.note:
        return Nothing("recent", _as_title(found.note), found.hint, _steps(found))
    return Nothing("recent", tr("Nothing new"))


def _steps(found: Suggestions) -> tuple[tuple[str, Do], ...]:
    far = len(found.part(Part.far))
    everywhere = (tr("Look in the whole library"), Do.everywhere)
    less_alike = trn("Show the {n:,} less alike", "Show the {n:,} less alike", far)
    return {
        Next.nothing: (),
        Next.collect: ((tr("Go to your papers"), Do.papers),),
        Next.fetch: ((tr("Go to Intake"), Do.fetch), everywhere),
        Next.far: ((less_alike, Do.far), everywhere),
        Next.words: ((tr("Change the words"), Do.words),),
    }[found.next]


def _as_title(sentence: str) -> str:
    """One sentence loses its full stop."""
    return sentence[:-1] if sentence.endswith(".") and sentence.count(". ") == 0 else sentence
