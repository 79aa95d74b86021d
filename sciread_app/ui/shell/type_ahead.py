"""Keys that are pressed before the library is open, or before a page has loaded its contents."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from sciread_app.ui.jobs.runner import Job, JobQueue, JobRunner

LONGEST_MS = 5_000  # that keys wait for the contents of a page
TEXT_FIELDS = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox, QComboBox)
LEAVING = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape)

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

    @property
    def is_empty(self) -> bool:
        return not self._kept

    def clear(self) -> None:
        self._kept.clear()

    def keep(self, event: QKeyEvent) -> None:
        if event.key() not in MODIFIERS:
            self._kept.append(event.clone())

    def deliver(self, window: QWidget) -> None:
        """Press the keys once more: each triggers the action of `window` that it is the shortcut
        of, or else goes to the widget with the focus."""
        kept, self._kept = self._kept, []
        for event in kept:
            focus = QApplication.focusWidget() or window.focusWidget()
            if action := _action(window, event, focus):
                action.trigger()
            elif focus:
                QCoreApplication.sendEvent(focus, event)
                release = QKeyEvent(
                    QEvent.Type.KeyRelease, event.key(), event.modifiers(), event.text()
                )
                QCoreApplication.sendEvent(focus, release)


class LoadingKeys(QObject):
    """Keeps the keys that are pressed while a page loads its contents, and delivers them in their
    order as soon as the contents are shown.

    Text that is being typed, and keys for dialogs and menus, are not kept. A shortcut with Ctrl or
    Alt is kept only behind other keys.
    """

    def __init__(self, jobs: JobRunner, window: QWidget) -> None:
        super().__init__(window)
        self._jobs = jobs
        self._window = window
        self._page: QWidget | None = None
        self._kept = TypeAhead()
        self._others: set[Job] = set()
        self._limit = QTimer(self, singleShot=True, interval=LONGEST_MS)
        self._limit.timeout.connect(self._deliver)
        jobs.finished.connect(self._look)

    def hold(self, page: QWidget, others: Iterable[Job]) -> None:
        """Keep the keys for this page until the short jobs that are running now, except `others`,
        have ended."""
        self.drop()
        self._page, self._others = page, set(others)
        if self._is_loading() and (app := QCoreApplication.instance()):
            self._limit.start()
            app.installEventFilter(self)

    def drop(self) -> None:
        """Forget the keys, which were meant for a page that is no longer shown."""
        self._end()
        self._kept.clear()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or not self._is_for_page(event):
            return False
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()  # so that the key is pressed instead of triggering a shortcut
            return True
        if event.type() is QEvent.Type.KeyPress:
            self._kept.keep(event)
            return True
        return False

    def _is_for_page(self, event: QKeyEvent) -> bool:
        focus, page = QApplication.focusWidget(), self._page
        if QApplication.activeModalWidget() or QApplication.activePopupWidget():
            return False
        if focus is None or page is None or isinstance(focus, TEXT_FIELDS):
            return False
        if not (focus is page or page.isAncestorOf(focus)) or event.key() in MODIFIERS:
            return False
        plain = not event.modifiers() & COMMAND and event.key() not in LEAVING
        return plain or not self._kept.is_empty

    def _is_loading(self) -> bool:
        return any(job not in self._others for job in self._jobs.running(JobQueue.short))

    def _look(self) -> None:
        if self._limit.isActive() and not self._is_loading():
            self._deliver()

    def _deliver(self) -> None:
        self._end()
        self._kept.deliver(self._window)

    def _end(self) -> None:
        self._limit.stop()
        self._page = None
        self._others.clear()
        if app := QCoreApplication.instance():
            app.removeEventFilter(self)


def _action(window: QWidget, event: QKeyEvent, focus: QWidget | None) -> QAction | None:
    """Return the available action with this shortcut. A shortcut that is a plain character works
    only in the list or page that it belongs to, which must have the focus."""
    held = event.modifiers() & COMMAND
    types = bool(event.text()) and event.text().isprintable() and held in (NONE, ALT_GR)
    pressed = QKeySequence(event.keyCombination())
    for action in window.findChildren(QAction):
        reached = not types or (focus is not None and _is_active_in(action, focus))
        if reached and action.isEnabled() and pressed in action.shortcuts():
            return action
    return None


def _is_active_in(action: QAction, focus: QWidget) -> bool:
    """Whether the shortcut of an action that is limited to some widgets works at this one."""
    owners = [one for one in action.associatedObjects() if isinstance(one, QWidget)]
    if action.shortcutContext() is Qt.ShortcutContext.WidgetShortcut:
        return focus in owners
    below = action.shortcutContext() is Qt.ShortcutContext.WidgetWithChildrenShortcut
    return below and any(one is focus or one.isAncestorOf(focus) for one in owners)
