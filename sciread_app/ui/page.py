"""What a page of the window is to the window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from sciread_app.domain.paper import Changes, PaperId

if TYPE_CHECKING:
    from sciread_app.ui.search_page import SearchPage


class Page(QWidget):
    """What the window asks of a page; a page does what it needs of it."""

    def refresh(self) -> None:
        """It is about to be looked at: show what is so now."""

    def take_focus(self) -> None:
        self.setFocus()

    def window_closes(self) -> None:
        """The last moment in which something can be kept. It must be short."""

    def find_here(self) -> bool:
        """Let somebody search in what the page shows; False if there is nothing of that kind."""
        return False

    def panes(self) -> Sequence[QWidget]:
        """Its parts as F6 goes through them."""
        return (self,)

    def chosen(self) -> Sequence[PaperId]:
        """The papers on it that are meant by what is done next."""
        return ()

    def library_changed(self, changes: Changes) -> None:
        """Something has changed, whether or not the page is looked at."""


def search_panes(page: SearchPage | None) -> Sequence[QWidget]:
    if page is None:
        return ()
    sides = (side.hits for side in page.compare.sides)
    return (page.box, *page.parts.sidebars(), page.hits, *sides, page.compare.ballot, page.details)
