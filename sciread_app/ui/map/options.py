"""Options of the map. Imports little, since the menus need them at start-up."""

from __future__ import annotations

import enum
from typing import NamedTuple

from sciread_app.language import tr


class ColorBy(enum.Enum):
    """The attribute that colours the points."""

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
    ColorBy.group: ColorByText(tr("Group"), tr("Colour by: group ▾"), tr("Colour by group")),
    # Translators: a subject area, such as mathematics
    ColorBy.field: ColorByText(tr("Field"), tr("Colour by: field ▾"), tr("Colour by field")),
    ColorBy.year: ColorByText(tr("Year"), tr("Colour by: year ▾"), tr("Colour by year")),
    ColorBy.collection: ColorByText(
        tr("Collection"), tr("Colour by: collection ▾"), tr("Colour by collection")
    ),
    ColorBy.read: ColorByText(
        # Translators: whether a person has read a paper
        tr("Read or not"),
        tr("Colour by: read or not ▾"),
        tr("Colour by read or not"),
    ),
}
TOOLS = {
    Tool.move: ToolText(
        # Translators: what dragging does: it moves the map about
        tr("Move"),
        tr("Drag to move about; hold Shift to draw around papers"),
        tr("Drag: move"),
    ),
    Tool.box: ToolText(
        tr("Rectangle"), tr("Drag a rectangle around papers"), tr("Drag: rectangle")
    ),
    Tool.lasso: ToolText(tr("Lasso"), tr("Draw a line around papers"), tr("Drag: lasso")),
}
