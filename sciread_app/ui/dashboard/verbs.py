"""What can be done with what was measured, as actions of a menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr

if TYPE_CHECKING:
    from sciread_app.ui.dashboard.page import DashboardPage
    from sciread_app.ui.main_window import MainWindow


class DashboardVerbs:
    """They can be done from everywhere; the page is gone to."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        self._window = window
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

    def live_on(self, page: DashboardPage) -> None:
        """From now on it is known what there is to export."""
        page.shown.connect(lambda: self._allow(page))

    def _allow(self, page: DashboardPage) -> None:
        for verb, action in self._exports.items():
            why = page.why_not(verb)
            action.setProperty("why_not", why)
            action.setEnabled(not why)

    def _add(self, text: str, do: Callable[[DashboardPage], object]) -> QAction:
        action = QAction(text, self._window)
        action.setEnabled(False)
        action.setProperty("why_not", tr("Once the library is open"))
        action.triggered.connect(lambda: do(self._page()))
        self._menu.addAction(action)
        self._actions.append(action)
        return action

    def _page(self) -> DashboardPage:
        from sciread_app.ui.dashboard.page import DashboardPage  # built when gone to

        self._window.go_to("dashboard")
        page = self._window.other_page("dashboard")
        assert isinstance(page, DashboardPage)
        return page


def _show(number: int, page: DashboardPage) -> None:
    page.show_view(number)
