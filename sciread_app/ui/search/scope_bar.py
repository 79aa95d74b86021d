"""The restrictions of the list, as chips below the search box."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal

from sciread_app.language import tr, trn
from sciread_app.ui.query_state import QueryChip, SearchFilter
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.widgets.chip_row import ChipLabel, ChipRow


class ScopeBar(ChipRow):
    scope_removed = Signal(object)  # QueryChip
    filter_removed = Signal(str)  # the field of the filter

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(tr("What the list is limited to"), appearance)
        self.removed.connect(self._remove)

    def show_limits(self, scope: Sequence[QueryChip], filters: Sequence[SearchFilter]) -> None:
        chosen = [ChipLabel(one, filter_text(one)) for one in filters]
        # Translators: before the names of collections and tags
        heading = tr("In")
        self.show_groups([(heading, [ChipLabel(chip, chip.label) for chip in scope]), ("", chosen)])

    def _remove(self, key: object) -> None:
        if isinstance(key, SearchFilter):
            self.filter_removed.emit(key.field)
        else:
            self.scope_removed.emit(key)


def filter_text(one: SearchFilter) -> str:
    """A filter as text."""
    if one.field == "year":
        return _years(one.values[0])
    if (one.field, one.values) in _PLAIN:
        return _PLAIN[one.field, one.values]
    if len(one.values) < 2:
        return "".join(one.values)
    first, second, *more = one.values
    if not more:
        return tr("{first} or {second}", first=first, second=second)
    return trn(
        "{first} or {second} or {n} more",
        "{first} or {second} or {n} more",
        len(more),
        first=first,
        second=second,
    )


def _years(value: str) -> str:
    """A range of years as text: 2015..2019 as «Years 2015–2019», and so on."""
    first, _, last = value.partition("..")
    if first and last:
        return tr("Years {years}", years=first if first == last else f"{first}–{last}")
    return tr("Years from {year}", year=first) if first else tr("Years until {year}", year=last)


_PLAIN: dict[tuple[str, tuple[str, ...]], str] = {
    ("has", ("pdf",)): tr("Has a PDF"),
    ("is", ("unread",)): tr("Unread"),
}
