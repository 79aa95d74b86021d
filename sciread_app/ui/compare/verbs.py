"""What can be done while two models are compared, as the menus offer it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.compare.ballot import LEFT_KEY, NEITHER_KEY, RIGHT_KEY

if TYPE_CHECKING:
    from sciread_app.ui.compare.panel import ComparePanel
    from sciread_app.ui.main_window import MainWindow

_NOT_COMPARING = tr("While two models are compared")
_NO_VOTE = tr("While the names are hidden and two answers differ")


class Verb(NamedTuple):
    text: str
    keys: str
    do: Callable[[ComparePanel], object]
    can: Callable[[ComparePanel], bool]
    why_not: str


VERBS = (
    Verb(
        tr("&Hide the names, to vote"), "Ctrl+Shift+H",
        lambda panel: panel.chooser.blind.toggle(),
        lambda panel: panel.is_open and panel.chooser.blind.isEnabled(), _NOT_COMPARING,
    ),
    Verb(
        tr("The &left answer is better"), LEFT_KEY,
        lambda panel: panel.vote(0), lambda panel: panel.can_vote, _NO_VOTE,
    ),
    Verb(
        tr("The &right answer is better"), RIGHT_KEY,
        lambda panel: panel.vote(1), lambda panel: panel.can_vote, _NO_VOTE,
    ),
    Verb(
        tr("&Neither answer is better"), NEITHER_KEY,
        lambda panel: panel.vote(None), lambda panel: panel.can_vote, _NO_VOTE,
    ),
    Verb(
        tr("Take the last vote &back"), "",
        lambda panel: panel.take_back(), lambda panel: panel.can_take_back,
        tr("Where two models are compared that were voted on"),
    ),
)  # fmt: skip


class CompareVerbs:
    """A menu whose verbs can be done as far as what is compared allows it."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        self._window = window
        self._panel: ComparePanel | None = None
        self._here = False  # the search page is looked at
        self._actions = {verb: self._add(menu, verb) for verb in VERBS}

    def show_place(self, place: str) -> None:
        if self._panel is None and self._window.page:
            self._panel = self._window.page.compare
            self._panel.changed.connect(self._look)
        self._here = place == "search"
        self._look()

    def _look(self) -> None:
        for verb, action in self._actions.items():
            action.setEnabled(self._here and self._panel is not None and verb.can(self._panel))

    def _add(self, menu: QMenu, verb: Verb) -> QAction:
        action = QAction(verb.text, self._window)
        action.setShortcut(QKeySequence(verb.keys))
        action.setEnabled(False)
        action.setProperty("why_not", verb.why_not)
        action.triggered.connect(lambda: self._panel and verb.do(self._panel))
        menu.addAction(action)
        return action
