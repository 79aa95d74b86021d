"""The actions on recommendations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sciread_app.language import tr
from sciread_app.ui.actions import LINE, Action, ActionTable, Section

if TYPE_CHECKING:
    from sciread_app.ui.recommendations.page import RecommendationsPage

ACTIONS: ActionTable[RecommendationsPage] = ActionTable((
    Section("paper/discover", (
        Action(tr("&More like this"), lambda page: page.keep(), name="keep"),
        Action(tr("&Dismiss"), lambda page: page.dismiss()),
        Action(tr("&Undo dismissal"), lambda page: page.take_back()),
        Action(tr("Read &later"), lambda page: page.read_later()),
        Action(tr("Mark all as &seen"), lambda page: page.mark_seen()),
        Action(tr("&Refine recommendations"), lambda page: page.head.refine()),
        LINE,
        Action(tr("&Check query now"), lambda page: page.refresh_query(), name="refresh query"),
        Action(tr("S&how topic in library"), lambda page: page.show_in_library(),
            name="show topic"),
        Action(tr("U&nfollow topic"), lambda page: page.unfollow(), name="unfollow"),
    ), submenu=tr("Di&scover")),
), tr("Available in Discover › New papers"))  # fmt: skip
