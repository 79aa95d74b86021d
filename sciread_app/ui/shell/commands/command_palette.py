"""The command palette (Ctrl+K): finds commands, pages and collections by a few letters."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from sciread_app.language import tr
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.page import PaletteEntry
from sciread_app.ui.shell.commands.command_palette_entries import (
    SHOWN,
    PaletteEntries,
    PaletteSource,
    is_sure,
)
from sciread_app.ui.shell.commands.popup import Popup
from sciread_app.ui.style.theme import Appearance

HINT = tr("Type a command, collection, tag, or search")


class CommandPalette(Popup):
    """Lists commands, and the collections, tags and saved searches of the library, recent ones
    first. A typed text can always be searched for; similar spellings are looked up in the
    background."""

    def __init__(
        self, window: QWidget, source: PaletteSource, jobs: JobRunner, appearance: Appearance
    ) -> None:
        super().__init__(window, appearance, tr("Command palette"), HINT)
        self.box.setAccessibleName(tr("Command or search"))
        self._source = source
        self._jobs = jobs
        self._commands = PaletteEntries()
        self._goals = PaletteEntries()

    def open(self) -> None:
        """Open with the commands that are available now, and reload the collections, tags and
        searches."""
        self._commands = PaletteEntries(self._source.commands())
        super().open()

        def keep(goals: PaletteEntries) -> None:
            self._goals = goals
            if self.isVisible():
                self.look()

        self._jobs.run(
            tr("Listing collections and tags"),
            lambda task: PaletteEntries(self._source.goals()),
            keep,
            replaces="goals",
        )

    def choose(self, entry: PaletteEntry | None, modifiers: Qt.KeyboardModifier) -> None:
        if entry is None or entry.unavailable_reason:
            return
        self.close_up()
        self._source.was_used(entry)
        entry.do()

    def look(self) -> None:
        typed = self.box.text().strip()
        self._show(typed, self._found(typed))
        if typed:
            self._look_alike(typed)

    def _found(self, typed: str) -> list[PaletteEntry]:
        recent = self._source.recent()
        found = [*self._commands.find(typed, recent), *self._goals.find(typed, recent)]
        if not typed:
            # Recent ones, then those of the page; the unavailable ones are found by typing.
            age = {key: n for n, key in enumerate(recent)}
            found = [entry for entry in found if not entry.unavailable_reason]
            found.sort(key=lambda entry: (age.get(entry.key, len(age)), not entry.of_page))
        else:
            found.sort(key=lambda entry: not is_sure(entry, typed))
        return found[:SHOWN]

    def _look_alike(self, typed: str) -> None:
        commands, goals = self._commands, self._goals

        def show(alike: list[PaletteEntry]) -> None:
            if self.box.text().strip() == typed and alike:
                found = self._found(typed)
                new = [entry for entry in alike if entry not in found]
                self._show(typed, [*found, *new])

        self._jobs.run(
            tr("Looking up similar spellings"),
            lambda task: [*commands.alike(typed), *goals.alike(typed)],
            show,
            replaces="alike",
        )

    def _show(self, typed: str, found: list[PaletteEntry]) -> None:
        if typed:
            # Return selects an entry that begins with the text; otherwise it starts a search.
            place = 1 if found and is_sure(found[0], typed) else 0
            title = tr("Search for “{typed}”", typed=typed)
            go = partial(self._source.search_for, typed)
            search = PaletteEntry("", title, tr("Search"), go)
            found = [*found[:place], search, *found[place:]]
        self.show_entries(found)
