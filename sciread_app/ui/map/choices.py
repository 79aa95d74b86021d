"""What a person chooses about the map. Light, since the menus know it from the beginning."""

from __future__ import annotations

import enum
from typing import NamedTuple

from sciread_app.language import tr


class By(enum.Enum):
    """What points are coloured by."""

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


class ByText(NamedTuple):
    """What a person is told of it: its name, and what a button and a menu say."""

    name: str
    button: str
    verb: str


class ToolText(NamedTuple):
    name: str
    tip: str
    verb: str


BY = {
    By.group: ByText(tr("Group"), tr("Colour by: group ▾"), tr("Colour by group")),
    # Translators: a subject area, such as mathematics
    By.field: ByText(tr("Field"), tr("Colour by: field ▾"), tr("Colour by field")),
    By.year: ByText(tr("Year"), tr("Colour by: year ▾"), tr("Colour by year")),
    By.collection: ByText(
        tr("Collection"), tr("Colour by: collection ▾"), tr("Colour by collection")
    ),
    By.read: ByText(
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
