"""The actions on backups, which open the settings page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sciread_app.language import tr
from sciread_app.ui.actions import Action, ActionTable, Section

if TYPE_CHECKING:
    from sciread_app.ui.settings.page import SettingsPage

ACTIONS: ActionTable[SettingsPage] = ActionTable((
    Section("file/backup", (
        Action(tr("&Back up now"), lambda page: page.back_up(), anywhere=True),
        Action(tr("&Restore backup…"), lambda page: page.show_backups(), anywhere=True),
    )),
))  # fmt: skip
