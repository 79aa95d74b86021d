"""The actions on pairs of possible duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from sciread_app.language import tr
from sciread_app.ui.actions import Action, ActionTable, Section

if TYPE_CHECKING:
    from sciread_app.ui.duplicates.page import DuplicatesPage

ACTIONS: ActionTable[DuplicatesPage] = ActionTable((
    # holding a key down must not decide several pairs
    Section("paper/merge", (
        Action(tr("&Merge this pair"), lambda page: page.merge(), "M"),
        Action(tr("&Keep both papers"), lambda page: page.mark_not_duplicates(), "K"),
        Action(tr("Link as &versions"), lambda page: page.mark_as_versions(), "V"),
        Action(tr("Merge &all identical pairs"), lambda page: page.merge_agreeing()),
    ),  submenu=tr("Mer&ge and split"), shortcuts=Qt.ShortcutContext.WidgetWithChildrenShortcut,
        auto_repeat=False),
), tr("Available on the Duplicates page"))  # fmt: skip
