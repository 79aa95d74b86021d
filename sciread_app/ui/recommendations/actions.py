"""The menu of recommendations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, PageActions

if TYPE_CHECKING:
    from sciread_app.ui.recommendations.page import RecommendationsPage


class RecommendationActions(PageActions["RecommendationsPage"]):
    """Actions that are enabled while the page is shown."""

    def __init__(self, actions: ActionRegistry, menu: QMenu) -> None:
        super().__init__(actions, menu, "foryou", tr("Available in Discover › New papers"))
        self.add(tr("&More like this"), lambda page: page.keep(), name="keep")
        self.add(tr("&Dismiss"), lambda page: page.dismiss())
        self.add(tr("&Undo dismissal"), lambda page: page.take_back())
        self.add(tr("Read &later"), lambda page: page.read_later())
        self.add(tr("Mark all as &seen"), lambda page: page.mark_seen())
        self.add(tr("&Refine recommendations"), lambda page: page.head.refine())
        menu.addSeparator()
        self.add(tr("&Check query now"), lambda page: page.refresh_query(), name="refresh query")
        self.add(
            tr("S&how topic in library"), lambda page: page.show_in_library(), name="show topic"
        )
        self.add(tr("U&nfollow topic"), lambda page: page.unfollow(), name="unfollow")
