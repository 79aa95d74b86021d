"""Colours of highlights and their names."""

from __future__ import annotations

from sciread_app.domain.annotations.annotations import Colour
from sciread_app.language import tr

# Highlights are multiplied with the page, so that letters stay black.
COLOURS = {
    Colour.yellow: "#ffe066",
    Colour.green: "#a8e6a1",
    Colour.blue: "#a5d0ff",
    Colour.pink: "#ffb3c7",
    Colour.purple: "#d9bfff",
}
NAMES = {
    Colour.yellow: tr("Yellow"),
    Colour.green: tr("Green"),
    Colour.blue: tr("Blue"),
    Colour.pink: tr("Pink"),
    Colour.purple: tr("Purple"),
}
WORDS = {  # in lower case, for use within a sentence
    Colour.yellow: tr("yellow"),
    Colour.green: tr("green"),
    Colour.blue: tr("blue"),
    Colour.pink: tr("pink"),
    Colour.purple: tr("purple"),
}
