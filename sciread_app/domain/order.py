"""How papers are listed that nobody searched for."""

from __future__ import annotations

from enum import Enum


class Order(Enum):
    """The newest, or the first letter, stands in front."""

    added = "added"
    year = "year"
    title = "title"
