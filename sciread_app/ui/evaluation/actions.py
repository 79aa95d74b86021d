"""The menu of evaluations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import add_action, set_why_not
from sciread_app.ui.app_context import AppContext

if TYPE_CHECKING:
    from sciread_app.ui.evaluation.page import EvaluationPage


class EvaluationActions:
    """Actions that are available on every page, and open the evaluation page."""

    def __init__(self, context: AppContext, menu: QMenu) -> None:
        self._navigate = context.navigate
        self._menu = menu
        self._actions: list[QAction] = []
        self._exports: dict[str, QAction] = {}
        self._add(tr("&Measure models…"), lambda page: page.ask_what_to_measure())
        menu.addSeparator()
        for number, text in enumerate(
            (
                tr("&Scores of all models"),
                tr("&Compare two models"),
                tr("&By class"),
                tr("&Learning curves"),
                tr("&Neighbours of papers you know"),
                tr("&Two maps side by side"),
            )
        ):
            self._add(text, partial(_show, number))
        menu.addSeparator()
        add, exports = self._add, self._exports
        exports["page"] = add(tr("Export scores as a &page…"), lambda page: page.export_page())
        exports["table"] = add(tr("Export scores as a t&able…"), lambda page: page.export_table())
        exports["picture"] = add(
            tr("Export what is shown as a p&icture…"), lambda page: page.export_picture()
        )

    def library_opened(self) -> None:
        for action in self._actions:
            action.setEnabled(True)

    def live_on(self, page: EvaluationPage) -> None:
        """Enable the exports by the contents of this page."""
        page.shown.connect(lambda: self._allow(page))

    def _allow(self, page: EvaluationPage) -> None:
        for verb, action in self._exports.items():
            set_why_not(action, page.why_not(verb))

    def _add(self, text: str, do: Callable[[EvaluationPage], object]) -> QAction:
        why_not = tr("Once the library is open")
        action = add_action(self._menu, text, lambda: do(self._page()), why_not=why_not)
        self._actions.append(action)
        return action

    def _page(self) -> EvaluationPage:
        from sciread_app.ui.evaluation.page import EvaluationPage  # built when first shown

        self._navigate.go_to("dashboard")
        page = self._navigate.other_page("dashboard")
        assert isinstance(page, EvaluationPage)
        return page


def _show(number: int, page: EvaluationPage) -> None:
    page.show_view(number)
