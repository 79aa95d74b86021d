"""The keyboard shortcuts that the user has set for actions."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence

from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry
from sciread_app.ui.jobs.saved_state import SavedState

SETTING = "shortcuts"  # a JSON object of key sequences by the names of the actions
Standard = QKeySequence.StandardKey
Context = Qt.ShortcutContext
_EXACT = QKeySequence.SequenceMatch.ExactMatch
# Keys that text boxes use for the same purpose everywhere.
_EDITING = (Standard.Cut, Standard.Copy, Standard.Paste, Standard.SelectAll)
_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)


class CustomShortcuts(QObject):
    """Applies the stored shortcuts to the actions, and changes them.

    An action is stored under its full name, such as "Theme: Dark". Entries of unknown actions and
    invalid key sequences have no effect but are kept.
    """

    changed = Signal()

    def __init__(
        self,
        named: Sequence[tuple[str, QAction]],
        registry: ActionRegistry,
        settings: SavedState,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._names = {action: name for name, action in named}
        self._defaults = {action: action.shortcuts() for action in self._names}
        self._registry = registry
        self._settings = settings
        self._stored = _read(settings)
        self._apply()

    def name(self, action: QAction) -> str:
        """Return the full name of an action."""
        return self._names[action]

    def is_custom(self, action: QAction) -> bool:
        """Return whether the shortcut of an action is not its default."""
        return action.shortcuts() != self._defaults[action]

    def unavailable_reason(self, action: QAction, keys: QKeySequence) -> str:
        """Return why an action cannot have these keys; empty if it can."""
        if keys.isEmpty():
            return ""
        shown = keys.toString(QKeySequence.SequenceFormat.NativeText)
        first = keys[0]  # type: ignore[index]
        plain = not first.keyboardModifiers() & _COMMANDS
        is_function_key = Qt.Key.Key_F1 <= first.key() <= Qt.Key.Key_F35
        # A letter or digit is a shortcut where no text can be typed: in the list of papers, say.
        if plain and not is_function_key and action.shortcutContext() is Context.WindowShortcut:
            return tr("Use Ctrl, Alt, or a function key: {keys} is needed for typing.", keys=shown)
        if any(keys.matches(QKeySequence(one)) == _EXACT for one in _EDITING):
            return tr("{keys} is needed for editing text.", keys=shown)
        return ""

    def other(self, action: QAction, keys: QKeySequence) -> QAction | None:
        """Return another action with these keys that is available on a page of this one."""
        pages = set(self._registry.pages_of_action(action))
        for one in self._names:
            theirs = set(self._registry.pages_of_action(one))
            meet = not pages or not theirs or pages & theirs
            if one is not action and meet and not keys.isEmpty() and keys in one.shortcuts():
                return one
        return None

    def set(self, action: QAction, keys: QKeySequence) -> None:
        """Give an action this shortcut alone, and take it from others on its pages; none if `keys`
        is empty."""
        while other := self.other(action, keys):
            self._stored[self._names[other]] = ""
            other.setShortcuts([])
        self._stored[self._names[action]] = keys.toString()
        self._save()

    def reset(self, action: QAction) -> None:
        """Give an action its default shortcuts, and take them from others on its pages."""
        self._stored.pop(self._names[action], None)
        for keys in self._defaults[action]:
            while other := self.other(action, keys):
                self._stored[self._names[other]] = ""
                other.setShortcuts([])
        self._save()

    def reset_all(self) -> None:
        """Give every action its default shortcuts."""
        for name in self._names.values():
            self._stored.pop(name, None)
        self._save()

    def _apply(self) -> None:
        """Set the shortcuts of all actions. A stored one is taken from actions with that default,
        as a later version of the program may have."""
        for action, default in self._defaults.items():
            action.setShortcuts(default)
        for action, name in self._names.items():
            written = self._stored.get(name)
            keys = QKeySequence(written or "")
            if written == "":
                action.setShortcuts([])
            elif written and keys.toString() and not self.unavailable_reason(action, keys):
                action.setShortcuts([])
                while other := self.other(action, keys):
                    other.setShortcuts([one for one in other.shortcuts() if one != keys])
                action.setShortcuts([keys])

    def _save(self) -> None:
        self._settings.setValue(SETTING, json.dumps(self._stored))
        self._apply()
        self.changed.emit()


def _read(settings: SavedState) -> dict[str, str]:
    try:
        stored = json.loads(str(settings.value(SETTING) or "{}"))
    except ValueError:
        return {}
    if not isinstance(stored, dict):
        return {}
    return {name: keys for name, keys in stored.items() if isinstance(keys, str)}
