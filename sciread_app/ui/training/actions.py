"""The menu of training runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, PageActions

if TYPE_CHECKING:
    from sciread_app.ui.training.page import TrainingPage


class TrainingActions(PageActions["TrainingPage"]):
    """A run can be started on every page; actions on a run need the training page."""

    def __init__(self, actions: ActionRegistry, menu: QMenu) -> None:
        super().__init__(actions, menu, "training", tr("On the page of trainings"), local=True)
        self.add_anywhere(tr("&New training…"), lambda page: page.begin())
        self.add_anywhere(tr("Open a training from a &folder…"), lambda page: page.open_folder())
        self.add_anywhere(tr("Open a training from a &zip file…"), lambda page: page.open_zip())
        menu.addSeparator()
        for name, text in (
            ("stop", tr("&Stop the training")),
            ("resume", tr("&Go on with the training")),
            ("activate", tr("&Let its model answer")),
            ("add_model", tr("&Add its model to my models")),
            ("measure", tr("&Measure its model")),
            ("compare", tr("&Compare its model side by side")),
            ("log", tr("Sho&w its log")),
            ("folder", tr("&Open its folder")),
            ("remove", tr("&Remove the training…")),
        ):
            self.add(text, partial(_do, name), name=name)


def _do(name: str, page: TrainingPage) -> None:
    page.do(name)
