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
        super().__init__(actions, menu, "models", tr("On the page of models"), local=True)
        self.add_anywhere(tr("Fetch a model from the &hub…"), lambda page: page.ask_hub())
        self.add_anywhere(tr("Add a model from a &folder…"), lambda page: page.add_folder())
        self.add_anywhere(tr("Add a model from a &zip file…"), lambda page: page.add_zip())
        self.add_anywhere(tr("&Add the model of a training…"), lambda page: page.add_run())
        menu.addSeparator()
        add = self.add
        answer = tr("&Let the model answer")
        add(answer, lambda page: page.activate(), "Ctrl+Return", name="activate")
        add(tr("Go &back to the model before"), lambda page: page.go_back(), name="back")
        add(tr("&Measure the model"), lambda page: page.measure(), name="measure")
        add(tr("&Export the model…"), lambda page: page.export(), name="export")
        add(tr("&Rename the model"), lambda page: page.rename(), "F2", name="rename")
        add(tr("Look at its files a&gain"), lambda page: page.check(), name="check")
        add(tr("Remo&ve the model"), lambda page: page.remove(), "Del", name="remove")
        add(tr("&Put the model back"), lambda page: page.restore(), name="restore")
        add(tr("&Delete the model for good…"), lambda page: page.delete(), name="delete")
