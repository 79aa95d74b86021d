"""The actions on digests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sciread_app.language import tr
from sciread_app.ui.actions import LINE, Action, ActionTable, Section

if TYPE_CHECKING:
    from sciread_app.ui.digest.page import DigestPage

ACTIONS: ActionTable[DigestPage] = ActionTable((
    Section("paper/discover", (
        LINE,
        Action(tr("&Preview digest"), lambda page: page.preview(), anywhere=True),
        Action(tr("Cr&eate digest now"), lambda page: page.make(), anywhere=True),
        Action(tr("Di&gest settings…"), lambda page: page.change_settings(), anywhere=True),
    ), submenu=tr("Di&scover")),
))  # fmt: skip
