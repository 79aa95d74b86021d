"""What the command palette offers: the menus, places of the library, the last searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

from PySide6.QtCore import QSettings
from PySide6.QtGui import QAction

from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.menus import native
from sciread_app.ui.palette_entries import Entry, searched, used

if TYPE_CHECKING:
    from sciread_app.ui.main_window import MainWindow


class Goal(NamedTuple):
    """A part of the library with a name; `query` asks for its papers."""

    kind: Literal["Collection", "Tag", "Saved search"]
    name: str
    query: str


class WindowOffer:
    def __init__(self, window: MainWindow, memory: QSettings) -> None:
        self._window = window
        self._memory = memory
        # Whoever has more to offer at once, such as the papers that are open, adds it here.
        self.more: list[Callable[[], Sequence[Entry]]] = []

    def commands(self) -> list[Entry]:
        menus = self._window.menus
        verbs = [self._verb(title, action) for title, action in menus.verbs()]
        searches = [self._search(query) for query in self._remembered("searches")]
        return [*verbs, *(entry for more in self.more for entry in more()), *searches]

    def goals(self, task: Task) -> list[Entry]:
        goals = self._window.desk.goals() if self._window.desk else []
        return [self._goal(goal) for goal in goals]

    def recent(self) -> list[str]:
        return self._remembered("recent")

    def was_used(self, entry: Entry) -> None:
        if entry.key:
            self._memory.setValue("palette/recent", used(self.recent(), entry.key))

    def was_searched(self, query: str) -> None:
        searches = searched(self._remembered("searches"), query)
        self._memory.setValue("palette/searches", searches)

    def search_for(self, query: str) -> None:
        self._window.search_for(query)

    def _verb(self, title: str, action: QAction) -> Entry:
        why_not = "" if action.isEnabled() else self._window.menus.why_not(action)
        return Entry(f"verb:{title}", title, tr("Command"), action.trigger, native(action), why_not)

    def _goal(self, goal: Goal) -> Entry:
        go = partial(self._window.search_for, goal.query)
        return Entry(f"goal:{goal.query}", *_words_for(goal), go)

    def _search(self, query: str) -> Entry:
        go = partial(self._window.search_for, query)
        title = tr("Search again: {query}", query=query)
        return Entry(f"search:{query}", title, tr("Last search"), go)

    def _remembered(self, what: str) -> list[str]:
        known = self._memory.value(f"palette/{what}") or []
        # A file of one line comes back as a text.
        return [known] if isinstance(known, str) else [str(one) for one in known]


def _words_for(goal: Goal) -> tuple[str, str]:
    """What the entry of a goal is called, and its kind."""
    if goal.kind == "Collection":
        return tr("Go to collection: {name}", name=goal.name), tr("Collection")
    if goal.kind == "Tag":
        return tr("Go to tag: {name}", name=goal.name), tr("Tag")
    return tr("Go to saved search: {name}", name=goal.name), tr("Saved search")
