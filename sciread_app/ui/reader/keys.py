"""The keyboard over the pages. What has an action in the menus is not here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from sciread_app.ui.reader.choice import NOTHING, At, Choice
from sciread_app.ui.reader.values import COLOURS

if TYPE_CHECKING:
    from sciread_app.ui.reader.canvas import PagesView

Key, Modifier = Qt.Key, Qt.KeyboardModifier


def key_pressed(view: PagesView, event: QKeyEvent) -> bool:
    """Whether the key meant something here."""
    key, bar = event.key(), view.verticalScrollBar()
    shift = bool(event.modifiers() & Modifier.ShiftModifier)
    if event.matches(QKeySequence.StandardKey.Copy):
        view.copy_wanted.emit()
    elif key == Key.Key_Escape:
        _leave(view)
    elif shift and key in (Key.Key_Left, Key.Key_Right):
        by_word = bool(event.modifiers() & Modifier.ControlModifier)
        _extend(view, 1 if key == Key.Key_Right else -1, by_word)
    elif key == Key.Key_Space:
        bar.setValue(bar.value() + (-1 if shift else 1) * bar.pageStep())
    elif key in (Key.Key_Home, Key.Key_End):
        bar.setValue(bar.minimum() if key == Key.Key_Home else bar.maximum())
    elif key in (Key.Key_PageUp, Key.Key_PageDown):
        bar.setValue(bar.value() + (1 if key == Key.Key_PageDown else -1) * bar.pageStep())
    elif key in (Key.Key_N, Key.Key_P):
        view.go_to_page(view.page + (1 if key == Key.Key_N else -1))
    elif 0 <= key - Key.Key_1 < len(COLOURS) and view.marks.choice:
        view.colour_wanted.emit(key - Key.Key_1)
    else:
        return False
    return True


def _leave(view: PagesView) -> None:
    if view.marks.choice:
        view.marks.choice = NOTHING
        view.refresh()
        view.choice_changed.emit()
    else:
        view.left.emit()


def _extend(view: PagesView, step: int, by_word: bool) -> None:
    """Move the end of what is chosen by a letter or to the end of a word, within its page."""
    choice = view.marks.choice
    text = view.pictures.text(choice.head.page)
    if not choice or text is None:
        return
    letters, letter = text.letters, choice.head.letter + step
    if by_word and 0 < letter < len(letters.text):
        start, end = letters.word(letter if step > 0 else letter - 1)
        letter = end if step > 0 else start
    letter = min(max(letter, 0), len(letters.text))
    view.marks.choice = Choice(choice.anchor, At(choice.head.page, letter))
    view.refresh()
    view.choice_changed.emit()
