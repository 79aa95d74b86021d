"""Where Tab goes, for a place whose widgets come and go."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QWidget


def follow_layout(whole: QWidget) -> None:
    """Let Tab go through `whole` as one reads it. Qt goes by when each widget was made."""
    stops = [one for one in _read(whole) if one.focusPolicy() & Qt.FocusPolicy.TabFocus]
    for before, after in pairwise(stops):
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
