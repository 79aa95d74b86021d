"""The actions on evaluations, which open the evaluation page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sciread_app.language import tr
from sciread_app.ui.actions import LINE, Action, ActionTable, Section

if TYPE_CHECKING:
    from sciread_app.ui.evaluation.page import EvaluationPage


def _show(number: int, page: EvaluationPage) -> None:
    page.show_view(number)


_VIEWS = (
    tr("&Scores"),
    tr("&Compare scores of two models"),
    tr("Results &by class"),
    tr("&Learning curves"),
    tr("&Neighbors of papers"),
    tr("&Maps of two models"),
)

ACTIONS: ActionTable[EvaluationPage] = ActionTable((
    Section("tools/models", (
        Action(tr("&Evaluate models…"), lambda page: page.ask_what_to_measure(), anywhere=True),
        LINE,
        *(Action(text, partial(_show, number), anywhere=True)
           for number, text in enumerate(_VIEWS)),
        LINE,
        Action(tr("Export scores as &HTML…"), lambda page: page.export_page(), name="page",
            anywhere=True),
        Action(tr("Export scores as CS&V…"), lambda page: page.export_table(), name="table",
            anywhere=True),
        Action(tr("Export view as &image…"), lambda page: page.export_picture(), name="picture",
            anywhere=True),
    ), submenu=tr("&Evaluation")),
))  # fmt: skip
