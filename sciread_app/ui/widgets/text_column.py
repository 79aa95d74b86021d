"""The contents of a scroll area: texts one below the other."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QWidget

from sciread_app.ui.style.theme import styled


class TextColumn(QWidget):
    """A column as high as its texts need at its width; a scroll area ignores height-for-width."""

    def __init__(self) -> None:
        super().__init__()
        styled(self, "column")

    def event(self, event: QEvent) -> bool:
        layout = self.layout()
        if layout and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.setMinimumHeight(layout.totalHeightForWidth(self.width()))
        return super().event(event)
