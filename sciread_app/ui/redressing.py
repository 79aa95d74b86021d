"""Putting another style sheet on a window, in parts between which it is heard."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

PART = 100  # widgets between two turns of the window: some milliseconds

_POLISHED = Qt.WidgetAttribute.WA_WState_Polished
_OWN_STYLE = Qt.WidgetAttribute.WA_SetStyle


class Redressing(QObject):
    """Qt puts a sheet on all widgets in one go: a fifth of a second, once every page was looked at.

    So those that nobody sees are undressed first, a part at a time; Qt passes over them, since they
    count as not polished and as having a style of their own. They are dressed again afterwards.
    """

    def __init__(self, app: QApplication, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app
        self._bare: list[tuple[QWidget, bool]] = []  # and whether it was polished
        self._steps: Iterator[None] = iter(())
        self._turns = QTimer(self, interval=0)
        self._turns.timeout.connect(self._go_on)

    def change(self, put_on: Callable[[], object]) -> None:
        """Have `put_on` exchange the sheet: at once where little is hidden, else in a moment. What
        was wanted before and has not come yet is forgotten."""
        self._steps = self._work(put_on)
        self._turns.start()
        self._go_on()

    def _go_on(self) -> None:
        for _ in self._steps:
            return
        self._turns.stop()

    def _work(self, put_on: Callable[[], object]) -> Iterator[None]:
        style = self._app.style()
        hidden = [
            widget
            for widget in self._app.allWidgets()
            if not (widget.isVisible() or widget.testAttribute(_OWN_STYLE))
            and widget.style() is style
        ]
        for n, widget in enumerate(hidden, 1):
            if isValid(widget) and not widget.isVisible():
                self._undress(widget)
            if n % PART == 0:
                yield
        put_on()
        self._bare.sort(key=lambda bare: isValid(bare[0]) and bare[0].isVisible())
        while self._bare:
            yield
            for _ in self._bare[:PART]:
                self._dress(*self._bare.pop())  # who has come to be seen meanwhile is first

    def _undress(self, widget: QWidget) -> None:
        polished = widget.testAttribute(_POLISHED)
        if polished:
            widget.style().unpolish(widget)
            widget.setAttribute(_POLISHED, False)
        widget.setAttribute(_OWN_STYLE, True)
        self._bare.append((widget, polished))

    def _dress(self, widget: QWidget, polished: bool) -> None:
        if not isValid(widget):
            return
        widget.setAttribute(_OWN_STYLE, False)
        if polished:
            widget.style().polish(widget)
            widget.setAttribute(_POLISHED, True)
        self._app.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
        widget.update()
