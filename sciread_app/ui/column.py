"""What stands in a place that scrolls: texts one below the other."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QWidget

from sciread_app.ui.theme import styled


class Column(QWidget):
    """As high as its texts are at its width, which a scroll area does not ask for."""

    def __init__(self) -> None:
        super().__init__()
        styled(self, "column")

    def event(self, event: QEvent) -> bool:
        layout = self.layout()
        if layout and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.setMinimumHeight(layout.totalHeightForWidth(self.width()))
        return super().event(event)
