"""Labels for untrusted text."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel


def plain_label(text: str = "", font: QFont | None = None) -> QLabel:
    """A label that shows any markup literally, wraps, and can be copied from."""
    label = QLabel(text, wordWrap=True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if font:
        label.setFont(font)
    return label
