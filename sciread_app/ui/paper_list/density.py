"""The densities of a paper list."""

from __future__ import annotations

from enum import Enum

from sciread_app.language import trc


class Density(Enum):
    """How much of a paper its row shows: a card of five lines or of two, or a row of a table."""

    comfortable = "comfortable"
    compact = "compact"
    table = "table"


DENSITIES = {
    Density.comfortable: trc("density of a list", "Comfortable"),
    Density.compact: trc("density of a list", "Compact"),
    Density.table: trc("density of a list", "Table"),
}
