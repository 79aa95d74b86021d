"""Tab order for pages whose widgets change."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QWidget


def follow_layout(whole: QWidget) -> None:
    """Set the tab order of all widgets in `whole` to the reading order. Qt uses the order of
    creation."""
    tab_stops = [one for one in _read(whole) if one.focusPolicy() & Qt.FocusPolicy.TabFocus]
    for before, after in pairwise(tab_stops):
        QWidget.setTabOrder(before, after)


def _read(widget: QWidget) -> Iterator[QWidget]:
    inside = widget.widget() if isinstance(widget, QScrollArea) else None
    if inside is not None:
        yield from _read(inside)
    elif layout := widget.layout():
        yield from _read_layout(layout)
    else:
        yield widget


def _read_layout(layout: QLayout) -> Iterator[QWidget]:
    for place in range(layout.count()):
        item = layout.itemAt(place)
        assert item
        if widget := item.widget():
            yield from _read(widget)
        elif inner := item.layout():
            yield from _read_layout(inner)
