"""The bar above the pages of the sample library, with the way back to the user's own."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QLabel, QPushButton

from sciread_app.language import tr
from sciread_app.ui.widgets.layout.boxes import row


class SampleBar(QFrame):
    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("samplebar")
        text = QLabel(tr("You are viewing the sample library"))
        self.button = QPushButton(tr("Close sample library"))
        self.button.setToolTip(tr("Return to your own library"))
        row(text, 0, self.button, parent=self, margins=(16, 6, 12, 6), spacing=12)
