"""Changing the application's style sheet in steps, so that the window stays responsive."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

# Widgets between two passes of the event loop, some milliseconds: hidden ones whose style is taken
# away and given back, and visible ones
BATCH, RESTORED, VISIBLE = 100, 50, 25

_POLISHED = Qt.WidgetAttribute.WA_WState_Polished
_OWN_STYLE = Qt.WidgetAttribute.WA_SetStyle


class ThemeSwitcher(QObject):
    """Restyles widgets in batches: the visible ones, while the window keeps its picture, and the
    hidden ones before and after them.

    Qt applies a sheet to all widgets at once, and twice. With every page opened (1,422 widgets, 100
    of them visible) that blocks the event loop for 260 to 380 ms; with only the hidden widgets in
    batches for 75 to 110 ms; with this class for 50 to 60 ms, most of which paint the window.

    Widgets are unpolished and marked as having a style of their own, which makes Qt skip them; they
    are polished again after the sheet has been changed.
    """

    def __init__(self, app: QApplication, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app
        self._skipped: list[tuple[QWidget, bool]] = []  # and whether it was polished
        self._frozen: list[QWidget] = []  # windows that are not painted
        self._steps: Iterator[None] = iter(())
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._next_step)

    def change(self, apply: Callable[[], object], finish: Callable[[], object]) -> None:
        """Call `apply` to change the sheet, and `finish` when visible widgets have it: at once if
        there are few widgets, else after some passes of the event loop. Replaces a change that is
        still pending."""
        self._steps = self._run(apply, finish)
        self._timer.start()
        self._next_step()

    def _next_step(self) -> None:
        for _ in self._steps:
            return
        self._timer.stop()

    def _run(self, apply: Callable[[], object], finish: Callable[[], object]) -> Iterator[None]:
        style = self._app.style()

        def unskipped() -> list[QWidget]:
            return [
                widget
                for widget in self._app.allWidgets()
                if not widget.testAttribute(_OWN_STYLE) and widget.style() is style
            ]

        for n, widget in enumerate(unskipped(), 1):
            if isValid(widget) and not widget.isVisible():
                self._skip(widget)
            if n % BATCH == 0:
                yield
        self._freeze()
        shown = unskipped()
        for widget in shown:
            self._skip(widget)
        in_steps = len(shown) > VISIBLE
        if in_steps:
            yield
        apply()
        if in_steps:
            yield
        while self._restore_visible():
            yield
        finish()
        if in_steps:
            yield
        self._unfreeze()
        while self._skipped:
            yield
            # Those of a page shown meanwhile are on the screen without their style.
            self._skipped.sort(key=_is_visible)
            for _ in self._skipped[:RESTORED]:
                self._restore(*self._skipped.pop())

    def _restore_visible(self) -> bool:
        """Restore some visible widgets. Returns whether others are left."""
        self._skipped.sort(key=_is_visible)
        for _ in range(VISIBLE):
            if not (self._skipped and _is_visible(self._skipped[-1])):
                return False
            self._restore(*self._skipped.pop())
        return True

    def _freeze(self) -> None:
        """Keep the picture of the windows, which would show widgets of both themes."""
        for window in self._app.topLevelWidgets():
            if window.isVisible() and window.updatesEnabled():
                window.setUpdatesEnabled(False)
                self._frozen.append(window)

    def _unfreeze(self) -> None:
        for window in self._frozen:
            if isValid(window):
                window.setUpdatesEnabled(True)
        self._frozen.clear()

    def _skip(self, widget: QWidget) -> None:
        polished = widget.testAttribute(_POLISHED)
        if polished:
            widget.style().unpolish(widget)
            widget.setAttribute(_POLISHED, False)
        widget.setAttribute(_OWN_STYLE, True)
        self._skipped.append((widget, polished))

    def _restore(self, widget: QWidget, polished: bool) -> None:
        if not isValid(widget):
            return
        widget.setAttribute(_OWN_STYLE, False)
        if polished:
            widget.style().polish(widget)
            widget.setAttribute(_POLISHED, True)
        self._app.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
        widget.update()


def _is_visible(entry: tuple[QWidget, bool]) -> bool:
    return isValid(entry[0]) and entry[0].isVisible()
