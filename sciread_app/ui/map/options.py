"""Options of the map. Imports little, since the menus need them at start-up."""

from __future__ import annotations

import enum
from typing import NamedTuple

from sciread_app.language import tr


class ColorBy(enum.Enum):
    """The attribute that colors the points."""

    group = "Group"
    field = "Field"
    year = "Year"
    collection = "Collection"
    read = "Read or not"


class Tool(enum.Enum):
    """The tool of the mouse: the effect of dragging."""

    move = "Move"
    box = "Rectangle"
    lasso = "Lasso"


class ColorByText(NamedTuple):
    """The name of an option and its texts for buttons and menus."""

    name: str
    button: str
    action: str


class ToolText(NamedTuple):
    name: str
    tip: str
    action: str


BY = {
    ColorBy.group: ColorByText(tr("Group"), tr("Color by: group ▾"), tr("Color by group")),
    # Translators: a subject area, such as mathematics
    ColorBy.field: ColorByText(tr("Field"), tr("Color by: field ▾"), tr("Color by field")),
    ColorBy.year: ColorByText(tr("Year"), tr("Color by: year ▾"), tr("Color by year")),
    ColorBy.collection: ColorByText(
        tr("Collection"), tr("Color by: collection ▾"), tr("Color by collection")
    ),
    ColorBy.read: ColorByText(
        # Translators: whether a person has read a paper
        tr("Read status"),
        tr("Color by: read status ▾"),
        tr("Color by read status"),
    ),
}
TOOLS = {
    Tool.move: ToolText(
        # Translators: a tool: dragging moves the map
        tr("Pan"),
        tr("Drag to pan; hold Shift to draw a line around papers"),
        tr("Pan tool"),
    ),
    Tool.box: ToolText(
        tr("Rectangle"), tr("Drag a rectangle to select papers"), tr("Rectangle tool")
    ),
    Tool.lasso: ToolText(
        tr("Lasso"), tr("Draw a line around papers to select them"), tr("Lasso tool")
    ),
}
