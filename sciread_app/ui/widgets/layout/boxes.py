"""Rows and columns of widgets."""

from __future__ import annotations

from typing import Any, TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

B = TypeVar("B", bound=QBoxLayout)

# A widget or a layout, alone or followed by its stretch factor and its alignment; a number is the
# stretch factor of an empty space.
BoxItem = QWidget | QLayout | int | tuple[Any, ...]
Margins = int | tuple[int, int, int, int]  # pixels, on all sides or left, top, right and bottom


def row(
    *items: BoxItem,
    parent: QWidget | None = None,
    margins: Margins | None = None,
    spacing: int = -1,
) -> QHBoxLayout:
    """Lay out items from left to right, in `parent` if it is given.

    Margins and spacing are in pixels; without them, the style decides.
    """
    return _filled(QHBoxLayout(), items, parent, margins, spacing)


def column(
    *items: BoxItem,
    parent: QWidget | None = None,
    margins: Margins | None = None,
    spacing: int = -1,
) -> QVBoxLayout:
    """Lay out items from top to bottom, like `row`."""
    return _filled(QVBoxLayout(), items, parent, margins, spacing)


def remove_widgets(layout: QLayout) -> None:
    """Remove and delete all widgets of a layout. They are hidden at once: one of them may be the
    button whose click is being handled, which Qt deletes later."""
    while item := layout.takeAt(0):
        if widget := item.widget():
            widget.hide()
            widget.deleteLater()


def _filled(
    box: B,
    items: tuple[BoxItem, ...],
    parent: QWidget | None,
    margins: Margins | None,
    spacing: int,
) -> B:
    if parent is not None:
        parent.setLayout(box)
    if margins is not None:
        box.setContentsMargins(*(margins if isinstance(margins, tuple) else (margins,) * 4))
    box.setSpacing(spacing)
    for item in items:
        if isinstance(item, int):
            box.addStretch(item)
            continue
        part, *arguments = item if isinstance(item, tuple) else (item,)
        add = box.addLayout if isinstance(part, QLayout) else box.addWidget
        add(part, *arguments)
    return box
