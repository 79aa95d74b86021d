"""What is shown where papers would be when there are none, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from sciread_app.ui.icons import icon
from sciread_app.ui.theme import Appearance, Theme, scaled, styled

PICTURE = 48  # pixels
WIDTH = 440


class EmptyState(QWidget):
    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._icon = "papers"
        self._picture = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.title = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.title.setFont(scaled(self.font(), 1.35, QFont.Weight.DemiBold))
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.text = styled(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "quiet")
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(10)
        middle = QWidget()
        middle.setMaximumWidth(WIDTH)
        column = QVBoxLayout(middle)
        column.setSpacing(10)
        column.addStretch(2)
        for widget in (self._picture, self.title, self.text):
            column.addWidget(widget)
        column.addSpacing(8)
        column.addLayout(self._buttons)
        column.addStretch(3)
        row = QHBoxLayout(self)
        row.addStretch(1)
        row.addWidget(middle, 100)
        row.addStretch(1)
        self._appearance = appearance
        appearance.changed.connect(self._paint)

    def say(
        self,
        picture: str,
        title: str,
        text: str = "",
        actions: tuple[tuple[str, Callable[[], object]], ...] = (),
    ) -> None:
        """`actions`: what the buttons say and do; the first is the one most people want."""
        held = any(button.hasFocus() for button in self.buttons())
        self._icon = picture
        self.title.setText(title)
        self.text.setText(text)
        while item := self._buttons.takeAt(0):
            if widget := item.widget():
                widget.deleteLater()
        self._buttons.addStretch()
        for number, (name, action) in enumerate(actions):
            button = styled(QPushButton(name), "primary" if number == 0 else "")
            button.clicked.connect(lambda _=False, action=action: action())
            self._buttons.addWidget(button)
        self._buttons.addStretch()
        if held and actions:  # whoever works by keys is still here
            self.buttons()[0].show()
            self.buttons()[0].setFocus()
        self._paint(self._appearance.theme)

    def buttons(self) -> list[QPushButton]:
        items = (self._buttons.itemAt(n) for n in range(self._buttons.count()))
        widgets = (item.widget() for item in items if item)
        return [widget for widget in widgets if isinstance(widget, QPushButton)]

    def _paint(self, theme: Theme) -> None:
        self._picture.setPixmap(icon(self._icon, theme.faint).pixmap(PICTURE, PICTURE))
