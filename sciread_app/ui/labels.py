"""Labels of texts that came from outside."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel


def plain_label(text: str = "", font: QFont | None = None) -> QLabel:
    """Shows markup as it is written, and can be copied from; as many lines as it needs."""
    label = QLabel(text, wordWrap=True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if font:
        label.setFont(font)
    return label
