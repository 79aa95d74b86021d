"""The colors of tags. They are stored by name, since the light and dark themes use different
ones."""

from __future__ import annotations

from typing import NamedTuple

from sciread_app.language import tr
from sciread_app.ui.style.theme import Theme


class Shade(NamedTuple):
    """One color in one theme: for a dot, and for the fill and the text of a chip."""

    dot: str
    fill: str
    text: str


NAMES = {
    "red": tr("Red"),
    "orange": tr("Orange"),
    "yellow": tr("Yellow"),
    "green": tr("Green"),
    "teal": tr("Teal"),
    "blue": tr("Blue"),
    "purple": tr("Purple"),
    "pink": tr("Pink"),
}
_LIGHT = {
    "red": Shade("#d64545", "#fbe3e1", "#8f2219"),
    "orange": Shade("#dd7a1f", "#fdeada", "#85440a"),
    "yellow": Shade("#c79a06", "#fbf1cc", "#6b5204"),
    "green": Shade("#3f9b4b", "#e0f2e2", "#23602c"),
    "teal": Shade("#17968f", "#d9f1ef", "#0e5b57"),
    "blue": Shade("#3b78d8", "#e1ecfb", "#1f4c94"),
    "purple": Shade("#8456cf", "#ece4f9", "#563190"),
    "pink": Shade("#cf4a92", "#fae2ef", "#8a2459"),
}
_DARK = {
    "red": Shade("#ef7b72", "#4a2523", "#ffb4ad"),
    "orange": Shade("#f0a04f", "#472f18", "#ffcc99"),
    "yellow": Shade("#e3c04a", "#413612", "#f3dd8f"),
    "green": Shade("#74c47e", "#1f3b24", "#a8e0af"),
    "teal": Shade("#4fc4bb", "#123b39", "#93dfd9"),
    "blue": Shade("#79a8f5", "#21365a", "#b4cffc"),
    "purple": Shade("#b392f0", "#37284f", "#d4c2fa"),
    "pink": Shade("#ee86bd", "#48243a", "#fabddb"),
}


def shade(theme: Theme, colour: str) -> Shade:
    """`colour` as it looks in `theme`; an unknown color looks like no color."""
    plain = Shade(theme.faint, theme.track, theme.quiet)
    look = (_DARK if theme.dark else _LIGHT).get(colour, plain)
    return look._replace(fill=theme.chips or look.fill)
