"""What a person chooses about the map. Light, since the menus know it from the beginning."""

from __future__ import annotations

import enum


class By(enum.Enum):
    """What points are coloured by, and what that is called."""

    group = "Group"
    field = "Field"
    year = "Year"
    collection = "Collection"
    read = "Read or not"


class Tool(enum.Enum):
    """What dragging does."""

    move = "Move"
    box = "Rectangle"
    lasso = "Lasso"
