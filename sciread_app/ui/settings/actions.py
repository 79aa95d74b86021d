"""The actions on backups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, PageActions

if TYPE_CHECKING:
    from sciread_app.ui.settings.page import SettingsPage


class SettingsActions(PageActions["SettingsPage"]):
    """Actions that are available on every page, and open the settings page at its backups."""

    def __init__(self, actions: ActionRegistry, menu: QMenu) -> None:
        super().__init__(actions, menu, "settings")
        self.add_anywhere(tr("&Back up now"), lambda page: page.back_up())
        self.add_anywhere(tr("&Restore backup…"), lambda page: page.show_backups())
