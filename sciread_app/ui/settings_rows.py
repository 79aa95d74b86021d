"""The rows of the settings page: what is chosen, what that means, and where it is chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.theme import scaled, styled
from sciread_app.ui.values_care import KeyPlace

PLACES = {
    "keyring": tr("Kept in the keyring of this system."),
    "environment": tr("Taken from the environment."),
    "": tr("None yet."),
}


HIGH = 30  # pixels


class Section(QFrame):
    """Some rows under a heading."""

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


class Row(QWidget):
    """A choice with its name and help on the left. What is wrong with it is said below."""

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

    def say_wrong(self, text: str) -> None:
        self.wrong.setText(text)
        self.wrong.setVisible(bool(text))


class Choices(QComboBox):
    """Scrolling the page over it does not change it."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumHeight(HIGH)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Number(QSpinBox):
    def __init__(self, least: int, most: int) -> None:
        super().__init__()
        self.setRange(least, most)
        self.setMinimumSize(80, HIGH)
        self.lineEdit().setTextMargins(5, 0, 0, 0)  # a style sheet cannot say it

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class KeyRow(Row):
    """A key is typed in, and never shown."""

    given = Signal(str, str)  # name, key; an empty key is to be forgotten

    def __init__(self, key: KeyPlace) -> None:
        self._key = key
        self.line = styled(QLineEdit(echoMode=QLineEdit.EchoMode.Password), "field")
        title = tr("Key for {source}", source=key.title)
        self.line.setAccessibleName(title)
        self.line.setPlaceholderText(tr("Paste a key"))
        self.line.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.keep = QPushButton(tr("Keep"))
        self.forget = QPushButton(tr("Forget"))
        self.keep.setAccessibleName(tr("Keep the key for {source}", source=key.title))
        self.forget.setAccessibleName(tr("Forget the key for {source}", source=key.title))
        super().__init__(
            title, f"{key.what} {PLACES[key.where]}", self.line, self.keep,
            self.forget,
        )  # fmt: skip
        self.keep.setEnabled(False)
        self.forget.setEnabled(key.where == "keyring")
        self.line.textChanged.connect(lambda text: self.keep.setEnabled(bool(text.strip())))
        self.line.returnPressed.connect(self._give)
        self.keep.clicked.connect(self._give)
        self.forget.clicked.connect(lambda: self.given.emit(self._key.name, ""))

    def _give(self) -> None:
        if value := self.line.text().strip():
            self.line.clear()
            self.given.emit(self._key.name, value)
