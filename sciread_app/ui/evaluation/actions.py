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
        add(tr("&Evaluate models…"), lambda page: page.ask_what_to_measure())
        menu.addSeparator()
        for number, text in enumerate(
            (
                tr("&Scores"),
                tr("&Compare scores of two models"),
                tr("Results &by class"),
                tr("&Learning curves"),
                tr("&Neighbors of papers"),
                tr("&Maps of two models"),
            )
        ):
            add(text, partial(_show, number))
        menu.addSeparator()
        add(tr("Export scores as &HTML…"), lambda page: page.export_page(), name="page")
        add(tr("Export scores as CS&V…"), lambda page: page.export_table(), name="table")
        picture = tr("Export view as &image…")
        add(picture, lambda page: page.export_picture(), name="picture")


def _show(number: int, page: EvaluationPage) -> None:
    page.show_view(number)
