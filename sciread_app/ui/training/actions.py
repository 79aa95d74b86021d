"""The actions on training runs. A run can be started on every page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from sciread_app.language import tr
from sciread_app.ui.actions import LINE, Action, ActionTable, Section

if TYPE_CHECKING:
    from sciread_app.ui.training.page import TrainingPage


def _do(name: str, page: TrainingPage) -> None:
    page.do(name)


_ON_RUN = {
    "stop": tr("&Stop training"),
    "resume": tr("&Resume training"),
    "activate": tr("&Use model for search"),
    "add_model": tr("&Add model to Models"),
    "measure": tr("&Evaluate model…"),
    "compare": tr("&Compare with the model in use"),
    "log": tr("Show &log"),
    "folder": tr("&Open folder"),
    "remove": tr("&Delete training run…"),
}

ACTIONS: ActionTable[TrainingPage] = ActionTable((
    Section("tools/models", (
        Action(tr("&New training run…"), lambda page: page.begin(), anywhere=True),
        Action(tr("Open a training run from a &folder…"), lambda page: page.open_folder(),
            anywhere=True),
        Action(tr("Open a training run from a &zip file…"), lambda page: page.open_zip(),
            anywhere=True),
        LINE,
    ), submenu=tr("&Training")),
    Section("tools/models", [
        Action(text, partial(_do, name), name=name)
        for name, text in _ON_RUN.items()
    ], submenu=tr("&Training"), shortcuts=Qt.ShortcutContext.WidgetWithChildrenShortcut),
), tr("Available on the Training page"))  # fmt: skip
