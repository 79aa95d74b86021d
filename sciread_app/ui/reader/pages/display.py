"""How the reader shows pages, in all files."""

from __future__ import annotations

from typing import NamedTuple


class PageDisplay(NamedTuple):
    dark: bool = False  # inverted, for the dark theme
    two_pages: bool = False  # pages 1 and 2 side by side, then 3 and 4, and so on
    cover: bool = False  # with two pages: page 1 alone, as a cover, then 2 and 3, and so on

    @property
    def columns(self) -> int:
        """The number of pages in a row."""
        return 2 if self.two_pages else 1

    @property
    def skipped(self) -> int:
        """The number of empty places before the first page."""
        return int(self.two_pages and self.cover)
