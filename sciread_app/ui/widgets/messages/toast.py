"""A short confirmation with Undo and Redo that disappears after some seconds."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QEnterEvent
from PySide6.QtWidgets import QFrame, QPushButton, QToolButton, QWidget

from sciread_app.language import tr
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled
from sciread_app.ui.widgets.focus import holds_focus
from sciread_app.ui.widgets.layout.boxes import row
from sciread_app.ui.widgets.text.labels import plain_label

SHOWN_MS = 8_000
BOTTOM_MARGIN, GAP = 96, 8  # pixels
MAX_TEXT_WIDTH, SIDE_MARGIN = 640, 80  # pixels: of the text; around it in the narrowest window
MOVES = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)


class Toast(QFrame):
    """An overlay near the bottom of `area`. It stays while the mouse is over it or a button of it
    has the focus."""

    def __init__(self, area: QWidget, appearance: Appearance) -> None:
        super().__init__(area)
        self.setObjectName("toast")
        self.hide()
        self._area = area
        self._others: list[QWidget] = []  # widgets that it must not cover
        self._undo: Callable[[], object] = lambda: None
        self._redo: Callable[[], object] = lambda: None
        self._act: Callable[[], object] = lambda: None
        self.text = plain_label()
        self.undo_button = styled(QPushButton(tr("Undo")), "link")
        self.undo_button.setToolTip(tr("Undo (Ctrl+Z)"))
        self.undo_button.clicked.connect(lambda: self._answer(self._undo))
        self.redo_button = styled(QPushButton(tr("Redo")), "link")
        self.redo_button.setToolTip(tr("Redo (Ctrl+Shift+Z)"))
        self.redo_button.clicked.connect(lambda: self._answer(self._redo))
        self.action_button = styled(QPushButton(), "link")
        self.action_button.clicked.connect(lambda: self._answer(self._act))
        self._close = styled(QToolButton(), "link")
        self._close.setAccessibleName(tr("Close message"))
        self._close.clicked.connect(self.hide)
        self._buttons = (self.action_button, self.undo_button, self.redo_button, self._close)
        # A click leaves the focus where it is: hidden with the toast, it would go to the next
        # widget in tab order.
        self.text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for button in self._buttons:
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        middle = Qt.AlignmentFlag.AlignVCenter
        buttons = ((button, 0, middle) for button in self._buttons)
        row(self.text, *buttons, parent=self, margins=(16, 6, 8, 6))
        self.going = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self.going.timeout.connect(self._go)
        area.installEventFilter(self)
        appearance.follow(self._paint)

    def avoid(self, other: QWidget) -> None:
        """Stay above this widget wherever it moves."""
        self._others.append(other)
        other.installEventFilter(self)

    def show_message(
        self,
        text: str,
        undo: Callable[[], object] | None = None,
        redo: Callable[[], object] | None = None,
        *,
        action: tuple[str, Callable[[], object]] | None = None,
    ) -> None:
        """Show `text`, a sentence without its full stop, with a button for each of `undo` and
        `redo` given, and for `action`, its name and what it does."""
        # Translators: the full stop of any sentence
        sentence = tr("{sentence}.", sentence=text)
        self.text.setText(sentence)
        self.setAccessibleName(sentence)
        name, self._act = action or ("", lambda: None)
        self.action_button.setText(name)
        self.action_button.setVisible(action is not None)
        self.undo_button.setVisible(undo is not None)
        self.redo_button.setVisible(redo is not None)
        self._undo = undo or (lambda: None)
        self._redo = redo or (lambda: None)
        self._place()
        self.show()
        self.going.start()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def enterEvent(self, event: QEnterEvent) -> None:
        self.going.stop()

    def leaveEvent(self, event: QEvent) -> None:
        if self.isVisible():
            self.going.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in MOVES and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _go(self) -> None:
        """Disappear, unless the focus is on a button."""
        if holds_focus(self):
            self.going.start()
        else:
            self.hide()

    def _answer(self, do: Callable[[], object]) -> None:
        self.hide()
        do()

    def _place(self) -> None:
        """Move to the bottom center; the text wraps as needed."""
        area = self._area.rect()
        shown = (button for button in self._buttons if not button.isHidden())
        taken_width = sum(button.sizeHint().width() for button in shown)
        room = min(MAX_TEXT_WIDTH, area.width() - taken_width - SIDE_MARGIN)
        wanted = self.text.fontMetrics().horizontalAdvance(self.text.text()) + 4
        self.text.setFixedWidth(max(min(wanted, room), 1))
        self.adjustSize()
        place = QRect(QPoint(), self.size())
        place.moveLeft(max((area.width() - self.width()) // 2, 8))
        place.moveBottom(area.height() - BOTTOM_MARGIN)
        for other in (one for one in self._others if one.isVisible()):
            taken = QRect(other.mapTo(self._area, QPoint()), other.size())
            if place.adjusted(0, 0, 0, GAP).intersects(taken):
                place.moveBottom(taken.top() - GAP)
        self.move(place.topLeft())
        self.raise_()

    def _paint(self, theme: Theme) -> None:
        self._close.setIcon(icon("close", theme.quiet))
