"""How the reader shows pages, in all files."""

from __future__ import annotations

from typing import NamedTuple


class PageDisplay(NamedTuple):
    dark: bool = False  # inverted, for the dark theme
    two_pages: bool = False  # pages 1 and 2 side by side, then 3 and 4, and so on
