"""A line that says what was just done, with the way back, and goes away by itself."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QEnterEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from sciread_app.language import tr
from sciread_app.ui.icons import icon
from sciread_app.ui.theme import Appearance, Theme, styled

SHOWN_MS = 8_000
ABOVE_FOOT, ABOVE_BAR = 96, 8  # pixels
WIDEST = 640


class Notice(QFrame):
    """Lies at the foot of `ground`, above what is there. It stays while the mouse rests on it."""

    def __init__(self, ground: QWidget, appearance: Appearance) -> None:
        super().__init__(ground)
        self.setObjectName("toast")
        self.hide()
        self._ground = ground
        self._bar: QWidget | None = None
        self._undo: Callable[[], object] = lambda: None
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.undo_button = styled(QPushButton(tr("Undo")), "link")
        self.undo_button.setToolTip(tr("Take it back (Ctrl+Z)"))
        self.undo_button.clicked.connect(self._take_back)
        self._close = styled(QToolButton(), "link")
        self._close.setAccessibleName(tr("Close the message"))
        self._close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 8, 6)
        for widget in (self.text, self.undo_button, self._close):
            row.addWidget(widget)
        self.going = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self.going.timeout.connect(self.hide)
        ground.installEventFilter(self)
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)

    def keep_clear_of(self, bar: QWidget) -> None:
        """Lie above it, however high it is."""
        self._bar = bar
        bar.installEventFilter(self)

    def say(self, text: str, undo: Callable[[], object] | None = None) -> None:
        """`text` is a sentence without its full stop. Without `undo` there is no way back."""
        # Translators: the full stop of any sentence
        sentence = tr("{sentence}.", sentence=text)
        metrics = self.text.fontMetrics()
        self.text.setText(metrics.elidedText(sentence, Qt.TextElideMode.ElideMiddle, WIDEST))
        self.setAccessibleName(sentence)
        self.undo_button.setVisible(undo is not None)
        self._undo = undo or (lambda: None)
        self._place()
        self.show()
        self.raise_()
        self.going.start()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def enterEvent(self, event: QEnterEvent) -> None:
        self.going.stop()

    def leaveEvent(self, event: QEvent) -> None:
        if self.isVisible():
            self.going.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _take_back(self) -> None:
        self.hide()
        self._undo()

    def _place(self) -> None:
        self.adjustSize()
        ground, bar = self._ground.rect(), self._bar
        left = (ground.width() - self.width()) // 2
        foot = ground.height() - ABOVE_FOOT
        if bar and bar.isVisible():
            foot = min(foot, bar.mapTo(self._ground, QPoint(0, -ABOVE_BAR)).y())
        self.move(max(left, 8), foot - self.height())

    def _paint(self, theme: Theme) -> None:
        self._close.setIcon(icon("close", theme.quiet))
