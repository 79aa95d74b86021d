"""What can be done with models, as actions of a menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import PageActions
from sciread_app.ui.app_context import AppContext

if TYPE_CHECKING:
    from sciread_app.ui.models.page import ModelsPage


class ModelsActions(PageActions["ModelsPage"]):
    """Models are added from everywhere; what is done to the chosen one, is done on their page."""

    def __init__(self, context: AppContext, menu: QMenu) -> None:
        super().__init__(context, menu, "models", tr("On the page of models"))
        self.add_anywhere(tr("Fetch a model from the &hub…"), lambda page: page.ask_hub())
        self.add_anywhere(tr("Add a model from a &folder…"), lambda page: page.add_folder())
        self.add_anywhere(tr("Add a model from a &zip file…"), lambda page: page.add_zip())
        self.add_anywhere(tr("&Add the model of a training…"), lambda page: page.add_run())
        menu.addSeparator()
        on_page = self.add_on_page
        on_page(
            "activate", tr("&Let the model answer"), lambda page: page.activate(), "Ctrl+Return"
        )
        on_page("back", tr("Go &back to the model before"), lambda page: page.go_back())
        on_page("measure", tr("&Measure the model"), lambda page: page.measure())
        on_page("export", tr("&Export the model…"), lambda page: page.export())
        on_page("rename", tr("&Rename the model"), lambda page: page.rename(), "F2")
        on_page("check", tr("Look at its files a&gain"), lambda page: page.check())
        on_page("remove", tr("Remo&ve the model"), lambda page: page.remove(), "Del")
        on_page("restore", tr("&Put the model back"), lambda page: page.restore())
        on_page("delete", tr("&Delete the model for good…"), lambda page: page.delete())
        self.show_place("")
