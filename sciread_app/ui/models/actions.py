"""The actions on models. They can be added from every page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from sciread_app.language import tr
from sciread_app.ui.actions import LINE, Action, ActionTable, Section

if TYPE_CHECKING:
    from sciread_app.ui.models.page import ModelsPage

ACTIONS: ActionTable[ModelsPage] = ActionTable((
    Section("tools/models", (
        Action(tr("Add a model from &Hugging Face…"), lambda page: page.ask_hub(), anywhere=True),
        Action(tr("Add a model from a &folder…"), lambda page: page.add_folder(), anywhere=True),
        Action(tr("Add a model from a &zip file…"), lambda page: page.add_zip(), anywhere=True),
        Action(tr("&Add a model from a training run…"), lambda page: page.add_run(), anywhere=True),
        LINE,
    ), submenu=tr("&Models")),
    Section("tools/models", (
        Action(tr("&Use for search"), lambda page: page.activate(), "Ctrl+Return", "activate"),
        Action(tr("Switch &back to the previous model"), lambda page: page.go_back(), name="back"),
        Action(tr("E&valuate model…"), lambda page: page.measure(), name="measure"),
        Action(tr("E&xport model…"), lambda page: page.export(), name="export"),
        Action(tr("&Rename model"), lambda page: page.rename(), "F2", "rename"),
        Action(tr("Verif&y files"), lambda page: page.check(), name="check"),
        Action(tr("&Move model to Trash"), lambda page: page.remove(), "Del", "remove"),
        Action(tr("Re&store model from Trash"), lambda page: page.restore(), name="restore"),
        Action(tr("&Delete model permanently…"), lambda page: page.delete(), name="delete"),
    ), submenu=tr("&Models"), shortcuts=Qt.ShortcutContext.WidgetWithChildrenShortcut),
), tr("Available on the Models page"))  # fmt: skip
