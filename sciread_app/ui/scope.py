"""What the list is limited to, as chips below the search box."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal

from sciread_app.ui.chips import ChipRow, Label
from sciread_app.ui.request import Chip, Filter
from sciread_app.ui.theme import Appearance


class ScopeBar(ChipRow):
    scope_removed = Signal(object)  # Chip
    filter_removed = Signal(str)  # its field

    def __init__(self, appearance: Appearance) -> None:
        super().__init__("What the list is limited to", appearance)
        self.removed.connect(self._remove)

    def show_limits(self, scope: Sequence[Chip], filters: Sequence[Filter]) -> None:
        chosen = [Label(one, words_for(one)) for one in filters]
        self.show_groups([("In", [Label(chip, chip.label) for chip in scope]), ("", chosen)])

    def _remove(self, key: object) -> None:
        if isinstance(key, Filter):
            self.filter_removed.emit(key.field)
        else:
            self.scope_removed.emit(key)


def words_for(one: Filter) -> str:
    """What was chosen by a filter, for a person."""
    if one.field == "year":
        return f"Years {years(one.values[0])}"
    if (one.field, one.values) in _PLAIN:
        return _PLAIN[one.field, one.values]
    shown = " or ".join(one.values[:2])
    more = len(one.values) - 2
    return f"{shown} or {more} more" if more > 0 else shown


def years(value: str) -> str:
    """2015..2019 as 2015–2019, and so on."""
    first, _, last = value.partition("..")
    if first == last:
        return first
    if first and last:
        return f"{first}–{last}"
    return f"from {first}" if first else f"until {last}"


_PLAIN: dict[tuple[str, tuple[str, ...]], str] = {
    ("has", ("pdf",)): "Has a PDF",
    ("is", ("unread",)): "Unread",
}
