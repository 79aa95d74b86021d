"""Labels that show any markup literally, and labels that elide their text."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

TIP = 2_000  # characters of an elided text that its tooltip shows


def plain_label(text: str = "", font: QFont | None = None) -> QLabel:
    """A label that shows any markup literally, wraps, and can be copied from."""
    label = QLabel(text, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if font:
        label.setFont(font)
    return label


def show_text(label: QLabel, text: str) -> None:
    """Set the text of a label, which is hidden while it has none."""
    label.setText(text)
    label.setVisible(bool(text))


class ElidedLabel(QLabel):
    """A label that elides its text to the width available and shows the full text as a tooltip.

    `whole`: for a text that one can do without, it shows none where the text does not fit.
    """

    def __init__(self, text: str = "", *, whole: bool = False) -> None:
        super().__init__()
        self._whole = whole
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(text[:TIP])

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = self.contentsRect()
        text = QFontMetrics(self.font()).elidedText(
            self.text(), Qt.TextElideMode.ElideRight, box.width()
        )
        if text == self.text() or not self._whole:
            painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter), text)
