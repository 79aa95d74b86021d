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
        super().__init__(
            actions, menu, "training", tr("Available on the Training page"), local=True
        )
        self.add_anywhere(tr("&New training run…"), lambda page: page.begin())
        self.add_anywhere(
            tr("Open a training run from a &folder…"), lambda page: page.open_folder()
        )
        self.add_anywhere(tr("Open a training run from a &zip file…"), lambda page: page.open_zip())
        menu.addSeparator()
        for name, text in (
            ("stop", tr("&Stop training")),
            ("resume", tr("&Resume training")),
            ("activate", tr("&Use model for search")),
            ("add_model", tr("&Add model to Models")),
            ("measure", tr("&Evaluate model…")),
            ("compare", tr("&Compare with the model in use")),
            ("log", tr("Show &log")),
            ("folder", tr("&Open folder")),
            ("remove", tr("&Delete training run…")),
        ):
            self.add(text, partial(_do, name), name=name)


def _do(name: str, page: TrainingPage) -> None:
    page.do(name)
