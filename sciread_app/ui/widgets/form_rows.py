"""The rows of the settings page: a name, a help text, controls, and an error below."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from sciread_app.ui.style.theme import scaled, styled

HIGH = 30  # pixels


class FormSection(QFrame):
    """Rows under a heading."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setObjectName("panel")
        heading = QLabel(title)
        heading.setFont(scaled(self.font(), 1.15, QFont.Weight.DemiBold))
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(20, 16, 20, 18)
        self._column.setSpacing(16)
        self._column.addWidget(heading)

    def add(self, widget: QWidget) -> None:
        self._column.addWidget(widget)


class FormRow(QWidget):
    """A setting with its name and help on the left, its controls on the right and any error
    below."""

    def __init__(self, title: str, help: str, *controls: QWidget) -> None:
        super().__init__()
        name = QLabel(title)
        self.help = styled(QLabel(help, wordWrap=True), "quiet")
        self.wrong = styled(QLabel(wordWrap=True), "wrong")
        self.wrong.hide()
        for label in (self.help, self.wrong):
            label.setTextFormat(Qt.TextFormat.PlainText)
        words = QVBoxLayout()
        words.setSpacing(2)
        for label in (name, self.help, self.wrong):
            words.addWidget(label)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addLayout(words, 1)
        for control in controls:
            if not control.accessibleName() and not isinstance(control, QPushButton):
                control.setAccessibleName(title)
            control.setAccessibleDescription(help)
            row.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)
        if controls:
            name.setBuddy(controls[0])

    def show_error(self, text: str) -> None:
        self.wrong.setText(text)
        self.wrong.setVisible(bool(text))


class ComboBox(QComboBox):
    """A combo box that the mouse wheel does not change while the page is scrolled."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumHeight(HIGH)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class SpinBox(QSpinBox):
    def __init__(self, least: int, most: int) -> None:
        super().__init__()
        self.setRange(least, most)
        self.setMinimumSize(80, HIGH)
        self.lineEdit().setTextMargins(5, 0, 0, 0)  # cannot be set by a style sheet

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
