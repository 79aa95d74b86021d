"""The log of a background task or a training run."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QPushButton, QWidget

from sciread_app.language import tr
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.layout.boxes import column


class LogDialog(QDialog):
    """A log, scrolled to its end."""

    def __init__(self, name: str, text: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Log of {name}", name=name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = styled(QPlainTextEdit(text or tr("The log is empty.")), "notebox")
        self.text.setReadOnly(True)
        self.text.setAccessibleName(self.windowTitle())
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        close = QPushButton(tr("Close"), default=True)
        close.clicked.connect(self.accept)
        column(
            self.text,
            (close, 0, Qt.AlignmentFlag.AlignRight),
            parent=self,
            margins=(16, 16, 16, 12),
        )
        self.resize(820, 520)
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())
