"""The views of the Library page."""

from __future__ import annotations

from enum import Enum

from sciread_app.language import tr, trc

MAP_PREFIX = "map/"  # of the names of actions that need the map
SWITCH_KEYS = "Ctrl+6"  # the shortcut that switches to the other view


class ViewMode(Enum):
    """How papers are shown: in a list, or as points of the map."""

    list = "list"
    map = "map"


# The name of a view, and its description
VIEW_MODES = {
    ViewMode.list: (trc("view of the library", "List"), tr("Show papers in a list")),
    ViewMode.map: (trc("view of the library", "Map"), tr("Show papers on the map")),
}
