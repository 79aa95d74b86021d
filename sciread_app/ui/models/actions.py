"""The actions of the models menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, PageActions

if TYPE_CHECKING:
    from sciread_app.ui.models.page import ModelsPage


class ModelsActions(PageActions["ModelsPage"]):
    """Models can be added from every page; actions on the selected model need the models page."""

    def __init__(self, actions: ActionRegistry, menu: QMenu) -> None:
        super().__init__(actions, menu, "models", tr("Available on the Models page"), local=True)
        self.add_anywhere(tr("Add a model from &Hugging Face…"), lambda page: page.ask_hub())
        self.add_anywhere(tr("Add a model from a &folder…"), lambda page: page.add_folder())
        self.add_anywhere(tr("Add a model from a &zip file…"), lambda page: page.add_zip())
        self.add_anywhere(tr("&Add a model from a training run…"), lambda page: page.add_run())
        menu.addSeparator()
        add = self.add
        answer = tr("&Use for search")
        add(answer, lambda page: page.activate(), "Ctrl+Return", name="activate")
        add(tr("Switch &back to the previous model"), lambda page: page.go_back(), name="back")
        add(tr("E&valuate model…"), lambda page: page.measure(), name="measure")
        add(tr("E&xport model…"), lambda page: page.export(), name="export")
        add(tr("&Rename model"), lambda page: page.rename(), "F2", name="rename")
        add(tr("Verif&y files"), lambda page: page.check(), name="check")
        add(tr("&Move model to Trash"), lambda page: page.remove(), "Del", name="remove")
        add(tr("Re&store model from Trash"), lambda page: page.restore(), name="restore")
        add(tr("&Delete model permanently…"), lambda page: page.delete(), name="delete")
