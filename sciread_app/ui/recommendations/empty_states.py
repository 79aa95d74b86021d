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
    everywhere = "everywhere"  # extend the scope to the whole library
    far = "far"
    seen = "seen"
    words = "words"
    new_query = "new query"
    refresh = "refresh"  # the query
    follow_all = "follow all"  # topics that are no longer followed


class EmptyMessage(NamedTuple):
    picture: str
    title: str
    text: str = ""
    steps: tuple[tuple[str, EmptyAction], ...] = ()


NO_TOPICS = EmptyMessage(
    "foryou",
    tr("Get recommendations"),
    tr(
        "Follow a query to an online source, add at least five papers to a collection, or save "
        "a search. New papers for each are listed here, with the reasons."
    ),
    (
        (tr("Follow a query…"), EmptyAction.new_query),
        (tr("Go to library"), EmptyAction.papers),
    ),
)
ALL_UNFOLLOWED = EmptyMessage(
    "foryou",
    tr("No followed topics"),
    tr("You have unfollowed all queries, collections, and saved searches."),
    (
        (tr("Follow all again"), EmptyAction.follow_all),
        (tr("Follow a query…"), EmptyAction.new_query),
    ),
)
_OTHERS = {
    RecommendationTab.dismissed: EmptyMessage(
        "minus",
        tr("No dismissed papers"),
        tr("Papers that you dismiss are listed here, where you can undo each dismissal."),
    ),
    RecommendationTab.far: EmptyMessage(
        "similar",
        tr("No weaker matches"),
        tr(
            "Papers are listed here if they are less similar to your papers than your papers "
            "are to each other."
        ),
    ),
    RecommendationTab.seen: EmptyMessage(
        "read",
        tr("No seen papers"),
        tr("New papers move here when you select “Mark all as seen”."),
    ),
}


def nothing_in(found: TopicRecommendations, part: RecommendationTab) -> EmptyMessage:
    """Why a tab of a topic is empty, with the actions that may fill it."""
    if part is not RecommendationTab.new:
        return _OTHERS[part]
    if seen := len(found.part(RecommendationTab.seen)):
        show = trn("Show {n:,} seen paper", "Show {n:,} seen papers", seen)
        text = found.hint or tr("No new papers since you last marked all as seen.")
        return EmptyMessage("read", tr("You are up to date"), text, ((show, EmptyAction.seen),))
    if found.note:
        return EmptyMessage("recent", _as_title(found.note), found.hint, _steps(found))
    return EmptyMessage("recent", tr("No new papers"))


def _steps(found: TopicRecommendations) -> tuple[tuple[str, EmptyAction], ...]:
    far = len(found.part(RecommendationTab.far))
    everywhere = (tr("Search the whole library"), EmptyAction.everywhere)
    weaker = trn("Show {n:,} weaker match", "Show {n:,} weaker matches", far)
    if found.is_query and found.next is SuggestedAction.fetch:
        return ((tr("Check now"), EmptyAction.refresh),)
    return {
        SuggestedAction.nothing: (),
        SuggestedAction.collect: ((tr("Go to library"), EmptyAction.papers),),
        SuggestedAction.fetch: ((tr("Follow a query…"), EmptyAction.new_query), everywhere),
        SuggestedAction.far: ((weaker, EmptyAction.far), everywhere),
        SuggestedAction.words: ((tr("Edit filter words"), EmptyAction.words),),
    }[found.next]


def _as_title(sentence: str) -> str:
    """A single sentence without its full stop."""
    return sentence[:-1] if sentence.endswith(".") and sentence.count(". ") == 0 else sentence
