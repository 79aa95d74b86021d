"""The placeholder of an empty list: a picture, an explanation and suggested actions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from sciread_app.language import tr
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row

Actions = tuple[tuple[str, Callable[[], object]], ...]  # texts of buttons, and what they do

PICTURE = 48  # pixels
SMALLEST_PICTURE = 20
WIDTH = 440


def second_model_actions(go_to: Callable[[str], object]) -> Actions:
    """Actions that lead to the pages where a second model can be obtained; `go_to` takes the key of
    a page."""
    return (
        (tr("Train a model…"), lambda: go_to("training")),
        (tr("Add a model…"), lambda: go_to("models")),
    )


class EmptyState(QWidget):
    """Says in the middle of an empty area why nothing is shown, with buttons for what can be done.
    In little room, the picture gives way to the texts."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._icon = "papers"
        self._picture = _ShrinkingIcon()
        centred, plain = Qt.AlignmentFlag.AlignCenter, Qt.TextFormat.PlainText
        self.title = QLabel(alignment=centred, wordWrap=True, textFormat=plain)
        self.title.setFont(scaled(self.font(), 1.35, QFont.Weight.DemiBold))
        self.text = styled(QLabel(alignment=centred, wordWrap=True, textFormat=plain), "quiet")
        self._buttons = row(margins=(0, 8, 0, 0), spacing=10)
        middle = QWidget()
        middle.setMaximumWidth(WIDTH)
        parts = (self._picture, self.title, self.text, self._buttons)
        column(2, *parts, 3, parent=middle, margins=0, spacing=8)
        row(1, (middle, 100), 1, parent=self, margins=0)
        self._appearance = appearance
        appearance.changed.connect(self._paint)

    def show_message(self, picture: str, title: str, text: str = "", actions: Actions = ()) -> None:
        """Show a picture, a title, a text and a button for each of `actions`; the first is the
        primary one."""
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
        if held and actions:  # keep the focus for keyboard users
            self.buttons()[0].show()
            self.buttons()[0].setFocus()
        self._paint(self._appearance.theme)

    def buttons(self) -> list[QPushButton]:
        items = (self._buttons.itemAt(n) for n in range(self._buttons.count()))
        widgets = (item.widget() for item in items if item)
        return [widget for widget in widgets if isinstance(widget, QPushButton)]

    def _paint(self, theme: Theme) -> None:
        self._picture.icon = icon(self._icon, theme.faint, large=True)
        self._picture.update()


class _ShrinkingIcon(QWidget):
    """An icon that shrinks and disappears where the texts below need the room."""

    def __init__(self) -> None:
        super().__init__()
        self.icon = QIcon()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def sizeHint(self) -> QSize:
        return QSize(PICTURE, PICTURE)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.height() >= SMALLEST_PICTURE:
            self.icon.paint(QPainter(self), self.rect())
