"""Keyboard focus: returning it, its order, moving it between panes, and pressing buttons with
Enter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLayout, QPushButton, QScrollArea, QToolButton, QWidget


class FocusRestorer:
    """Remembers which widget had the focus, so that a temporary one can return it."""

    def __init__(self) -> None:
        self._widget: QWidget | None = None

    def remember(self, taker: QWidget) -> None:
        widget = QApplication.focusWidget()
        if widget is not None and widget is not taker and not taker.isAncestorOf(widget):
            self._widget = widget

    def restore(self) -> None:
        widget, self._widget = self._widget, None
        if widget is not None and shiboken6.isValid(widget) and widget.isVisible():
            widget.setFocus(Qt.FocusReason.OtherFocusReason)


class EnterKeyFilter(QObject):
    """Lets Enter press the focused button of a window, as Space does. Qt itself does so only in
    dialogs, or where the desktop's conventions ask for it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            isinstance(watched, QPushButton | QToolButton)
            and isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        ):
            if not event.isAutoRepeat():
                watched.click()
            return True
        return super().eventFilter(watched, event)

    def _follow(self, before: QWidget | None, now: QWidget | None) -> None:
        # The filter is on the button alone: Enter in a line edit, which may move the focus to a
        # button, must not press that button too.
        if before is not None and shiboken6.isValid(before):
            before.removeEventFilter(self)
        if isinstance(now, QPushButton | QToolButton) and now.window() is self._window:
            now.installEventFilter(self)


def next_pane(panes: Sequence[QWidget]) -> None:
    """Move the focus to the pane after the one that has it, skipping panes that are hidden or
    contain nothing focusable."""
    shown = [pane for pane in panes if pane.isVisible() and _entrance(pane)]
    if not shown:
        return
    now = QApplication.focusWidget()
    inside = [n for n, pane in enumerate(shown) if now and (pane is now or pane.isAncestorOf(now))]
    after = shown[(inside[-1] + 1) % len(shown)] if inside else shown[0]
    entrance = _entrance(after)
    assert entrance
    entrance.setFocus(Qt.FocusReason.TabFocusReason)


def takes_focus(widget: QWidget) -> bool:
    """Whether Tab leads to the widget."""
    by_tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    return bool(by_tab) and widget.isEnabled() and widget.isVisible()


def _entrance(pane: QWidget) -> QWidget | None:
    """The first widget of the pane in the tab order."""
    at: QWidget | None = pane
    while at is not None:
        if (at is pane or pane.isAncestorOf(at)) and takes_focus(at):
            return at
        at = at.nextInFocusChain()
        if at is pane:
            return None
    return None


def holds_focus(widget: QWidget) -> bool:
    """Whether the widget or one inside it has the focus."""
    focus = QApplication.focusWidget()
    return focus is not None and widget.isAncestorOf(focus)


def follow_layout(whole: QWidget) -> None:
    """Set the tab order of all widgets in `whole` to the reading order. Qt uses the order of
    creation."""
    tab_stops = [one for one in _leaf_widgets(whole) if one.focusPolicy() & Qt.FocusPolicy.TabFocus]
    for before, after in pairwise(tab_stops):
        QWidget.setTabOrder(before, after)


def _leaf_widgets(widget: QWidget) -> Iterator[QWidget]:
    inside = widget.widget() if isinstance(widget, QScrollArea) else None
    if inside is not None:
        yield from _leaf_widgets(inside)
    elif layout := widget.layout():
        yield from _widgets_of_layout(layout)
    else:
        yield widget


def _widgets_of_layout(layout: QLayout) -> Iterator[QWidget]:
    for place in range(layout.count()):
        item = layout.itemAt(place)
        assert item
        if widget := item.widget():
            yield from _leaf_widgets(widget)
        elif inner := item.layout():
            yield from _widgets_of_layout(inner)
