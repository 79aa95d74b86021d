"""Where the focus was, and how it goes from pane to pane."""

from __future__ import annotations

from collections.abc import Sequence

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


class ComeBack:
    """Remembers what had the focus, so that who takes it can give it back."""

    def __init__(self) -> None:
        self._widget: QWidget | None = None

    def remember(self, taker: QWidget) -> None:
        widget = QApplication.focusWidget()
        if widget is not None and widget is not taker and not taker.isAncestorOf(widget):
            self._widget = widget

    def give_back(self) -> None:
        widget, self._widget = self._widget, None
        if widget is not None and shiboken6.isValid(widget) and widget.isVisible():
            widget.setFocus(Qt.FocusReason.OtherFocusReason)


def next_pane(panes: Sequence[QWidget]) -> None:
    """Move the focus into the pane after the one that has it. Panes that are hidden, or hold
    nothing that takes the focus, are passed over."""
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
    """Whether Tab leads there."""
    by_tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    return bool(by_tab) and widget.isEnabled() and widget.isVisible()


def _entrance(pane: QWidget) -> QWidget | None:
    """The first in the chain of Tab that lies in this pane."""
    at: QWidget | None = pane
    while at is not None:
        if (at is pane or pane.isAncestorOf(at)) and takes_focus(at):
            return at
        at = at.nextInFocusChain()
        if at is pane:
            return None
    return None


def holds_focus(widget: QWidget) -> bool:
    """Whether somebody types into something within."""
    focus = QApplication.focusWidget()
    return focus is not None and widget.isAncestorOf(focus)
