"""The actions on digests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry, PageActions

if TYPE_CHECKING:
    from sciread_app.ui.digest.page import DigestPage


class DigestActions(PageActions["DigestPage"]):
    """Actions that are available on every page, and open the digest page."""

    def __init__(self, actions: ActionRegistry, menu: QMenu) -> None:
        super().__init__(actions, menu, "digest")
        self.add_anywhere(tr("&Preview digest"), lambda page: page.preview())
        self.add_anywhere(tr("Cr&eate digest now"), lambda page: page.make())
        self.add_anywhere(tr("Di&gest settings…"), lambda page: page.change_settings())
