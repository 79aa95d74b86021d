"""Empty states of the recommendations page, with their actions."""

from __future__ import annotations

import enum
from typing import NamedTuple

from sciread_app.domain.recommend import SuggestedAction
from sciread_app.language import tr, trn
from sciread_app.ui.recommendations.view_models import RecommendationTab, TopicRecommendations


class EmptyAction(enum.Enum):
    """The action of a button."""

    papers = "papers"  # open the library
    fetch = "fetch"
    everywhere = "everywhere"  # extend the scope to the whole library
    far = "far"
    seen = "seen"
    words = "words"


class EmptyMessage(NamedTuple):
    picture: str
    title: str
    text: str = ""
    steps: tuple[tuple[str, EmptyAction], ...] = ()


NO_TOPICS = EmptyMessage(
    "foryou",
    tr("Follow what you care about"),
    tr(
        "Put five papers or more into a collection, or save a search. What you fetch is then "
        "ranked by how like it they are, and comes here with the reasons."
    ),
    ((tr("Go to your papers"), EmptyAction.papers), (tr("Fetch papers"), EmptyAction.fetch)),
)
_OTHERS = {
    RecommendationTab.dismissed: EmptyMessage(
        "minus",
        tr("Nothing was waved away"),
        tr("What you say is not for you is kept here, and can be taken back."),
    ),
    RecommendationTab.far: EmptyMessage(
        "similar",
        tr("Nothing is further away"),
        tr("What is further from your papers than these are from one another comes here."),
    ),
    RecommendationTab.seen: EmptyMessage(
        "read",
        tr("Nothing seen yet"),
        tr("What is new moves here when you press “Seen until here”."),
    ),
}


def nothing_in(found: TopicRecommendations, part: RecommendationTab) -> EmptyMessage:
    if part is not RecommendationTab.new:
        return _OTHERS[part]
    if seen := len(found.part(RecommendationTab.seen)):
        show = trn("Show {n:,} seen before", "Show {n:,} seen before", seen)
        text = found.hint or tr("Nothing has come since you looked last.")
        return EmptyMessage("read", tr("You are up to date"), text, ((show, EmptyAction.seen),))
    if found.note:
        return EmptyMessage("recent", _as_title(found.note), found.hint, _steps(found))
    return EmptyMessage("recent", tr("Nothing new"))


def _steps(found: TopicRecommendations) -> tuple[tuple[str, EmptyAction], ...]:
    far = len(found.part(RecommendationTab.far))
    everywhere = (tr("Look in the whole library"), EmptyAction.everywhere)
    less_alike = trn("Show the {n:,} less alike", "Show the {n:,} less alike", far)
    return {
        SuggestedAction.nothing: (),
        SuggestedAction.collect: ((tr("Go to your papers"), EmptyAction.papers),),
        SuggestedAction.fetch: ((tr("Go to Intake"), EmptyAction.fetch), everywhere),
        SuggestedAction.far: ((less_alike, EmptyAction.far), everywhere),
        SuggestedAction.words: ((tr("Change the words"), EmptyAction.words),),
    }[found.next]


def _as_title(sentence: str) -> str:
    """A single sentence without its full stop."""
    return sentence[:-1] if sentence.endswith(".") and sentence.count(". ") == 0 else sentence
