"""The menu of recommendations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import add_action
from sciread_app.ui.app_context import AppContext

if TYPE_CHECKING:
    from sciread_app.ui.recommendations.page import RecommendationsPage


class RecommendationAction(NamedTuple):
    text: str
    do: Callable[[RecommendationsPage], object]


VERBS = (
    RecommendationAction(tr("&More like this"), lambda page: page.keep()),
    RecommendationAction(tr("&Not for me"), lambda page: page.wave_away()),
    RecommendationAction(tr("&Take back"), lambda page: page.take_back()),
    RecommendationAction(tr("Read &later"), lambda page: page.read_later()),
    RecommendationAction(tr("&Seen until here"), lambda page: page.mark_seen()),
    RecommendationAction(tr("&Refine what comes"), lambda page: page.head.refine()),
)


class RecommendationActions:
    """Actions that are enabled while the page is shown."""

    def __init__(self, context: AppContext, menu: QMenu) -> None:
        self._context = context
        self._actions = [self._add(menu, verb) for verb in VERBS]

    def show_place(self, place: str) -> None:
        for action in self._actions:
            action.setEnabled(place == "foryou")

    def _add(self, menu: QMenu, verb: RecommendationAction) -> QAction:
        return add_action(
            menu, verb.text, lambda: verb.do(self._page()), why_not=tr("On the page For you")
        )

    def _page(self) -> RecommendationsPage:
        from sciread_app.ui.recommendations.page import (
            RecommendationsPage,  # built only when shown
        )

        page = self._context.navigate.other_page("foryou")
        assert isinstance(page, RecommendationsPage)
        return page
