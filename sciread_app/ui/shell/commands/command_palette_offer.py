"""The entries of the command palette in the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QSettings
from PySide6.QtGui import QAction

from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.page import PaletteEntry
from sciread_app.ui.shell.commands.command_palette_entries import searched, used
from sciread_app.ui.shell.commands.menu_bar import MenuBar, native
from sciread_app.ui.view_models import PaletteTarget


class WindowPaletteSource:
    """The entries of the command palette: actions of the menus, parts of the library, and the last
    searches."""

    def __init__(
        self,
        menus: MenuBar,
        search_for: Callable[[str], None],
        targets: Callable[[], Sequence[PaletteTarget]],
        memory: QSettings,
    ) -> None:
        self._menus = menus
        self.search_for = search_for
        self._targets = targets
        self._memory = memory
        # Functions that return further entries, such as the papers that are open.
        self.more: list[Callable[[], Sequence[PaletteEntry]]] = []

    def commands(self) -> list[PaletteEntry]:
        verbs = [self._verb(title, action) for title, action in self._menus.verbs()]
        searches = [self._search(query) for query in self._remembered("searches")]
        return [*verbs, *(entry for more in self.more for entry in more()), *searches]

    def goals(self, task: Task) -> list[PaletteEntry]:
        return [self._goal(goal) for goal in self._targets()]

    def recent(self) -> list[str]:
        return self._remembered("recent")

    def was_used(self, entry: PaletteEntry) -> None:
        if entry.key:
            self._memory.setValue("palette/recent", used(self.recent(), entry.key))

    def was_searched(self, query: str) -> None:
        searches = searched(self._remembered("searches"), query)
        self._memory.setValue("palette/searches", searches)

    def _verb(self, title: str, action: QAction) -> PaletteEntry:
        return PaletteEntry(
            f"verb:{title}",
            title,
            tr("Command"),
            action.trigger,
            native(action),
            action.property("why_not"),
        )

    def _goal(self, goal: PaletteTarget) -> PaletteEntry:
        go = partial(self.search_for, goal.query)
        return PaletteEntry(f"goal:{goal.query}", *_words_for(goal), go)

    def _search(self, query: str) -> PaletteEntry:
        go = partial(self.search_for, query)
        title = tr("Search again: {query}", query=query)
        return PaletteEntry(f"search:{query}", title, tr("Last search"), go)

    def _remembered(self, what: str) -> list[str]:
        known = self._memory.value(f"palette/{what}") or []
        # A file of one line comes back as a text.
        return [known] if isinstance(known, str) else [str(one) for one in known]


def _words_for(goal: PaletteTarget) -> tuple[str, str]:
    """Return the title and the kind of the entry for a target."""
    if goal.kind == "Collection":
        return tr("Go to collection: {name}", name=goal.name), tr("Collection")
    if goal.kind == "Tag":
        return tr("Go to tag: {name}", name=goal.name), tr("Tag")
    return tr("Go to saved search: {name}", name=goal.name), tr("Saved search")
