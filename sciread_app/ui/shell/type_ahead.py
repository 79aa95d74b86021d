"""Keys that are pressed before the library is open."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget

MODIFIERS = (
    *(Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta),
    Qt.Key.Key_CapsLock,
)

# Modifiers with which a key types no character; Ctrl and Alt together are AltGr on some keyboards.
NONE = Qt.KeyboardModifier.NoModifier
ALT_GR = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
COMMAND = ALT_GR | Qt.KeyboardModifier.MetaModifier


class TypeAhead:
    """Keeps key presses in their order until they can be delivered."""

    def __init__(self) -> None:
        self._kept: list[QKeyEvent] = []

    def keep(self, event: QKeyEvent) -> None:
        if event.key() not in MODIFIERS:
            self._kept.append(event.clone())

    def deliver(self, window: QWidget) -> None:
        """Press the keys once more: each triggers the action of `window` that it is the shortcut
        of, or else goes to the widget with the focus."""
        kept, self._kept = self._kept, []
        for event in kept:
            if action := _action(window, event):
                action.trigger()
            elif focus := QApplication.focusWidget() or window.focusWidget():
                QCoreApplication.sendEvent(focus, event)
                release = QKeyEvent(
                    QEvent.Type.KeyRelease, event.key(), event.modifiers(), event.text()
                )
                QCoreApplication.sendEvent(focus, release)


def _action(window: QWidget, event: QKeyEvent) -> QAction | None:
    """Return the available action with this shortcut. Keys that type a character are none: their
    shortcuts belong to lists, and the focus is in the search box."""
    held = event.modifiers() & COMMAND
    if event.text() and event.text().isprintable() and held in (NONE, ALT_GR):
        return None
    pressed = QKeySequence(event.keyCombination())
    for action in window.findChildren(QAction):
        if action.isEnabled() and pressed in action.shortcuts():
            return action
    return None
