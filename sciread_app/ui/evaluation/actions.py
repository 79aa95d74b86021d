"""The menu of evaluations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, PageActions

if TYPE_CHECKING:
    from sciread_app.ui.evaluation.page import EvaluationPage


class EvaluationActions(PageActions["EvaluationPage"]):
    """Actions that are available on every page, and open the evaluation page."""

    def __init__(self, actions: ActionRegistry, menu: QMenu) -> None:
        super().__init__(actions, menu, "dashboard")
        add = self.add_anywhere
        add(tr("&Measure models…"), lambda page: page.ask_what_to_measure())
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
            add(text, partial(_show, number))
        menu.addSeparator()
        add(tr("Export scores as a &page…"), lambda page: page.export_page(), name="page")
        add(tr("Export scores as a t&able…"), lambda page: page.export_table(), name="table")
        picture = tr("Export what is shown as a p&icture…")
        add(picture, lambda page: page.export_picture(), name="picture")


def _show(number: int, page: EvaluationPage) -> None:
    page.show_view(number)
