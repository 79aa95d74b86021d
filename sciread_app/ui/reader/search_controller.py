"""Find in document: connects the find bar, the search and the pages."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt

from sciread_app.domain.annotations.annotations import TextMatch
from sciread_app.services.library.annotations import SearchOfFile
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.reader.find_bar import FileSearch, FindBar, counted
from sciread_app.ui.reader.pages.page_view import PageView
from sciread_app.ui.reader.pages.text_selection import TextPosition, TextSelection
from sciread_app.ui.reader.view_models import OpenedFile
from sciread_app.ui.style.theme import Appearance


class FileSearchController(QObject):
    def __init__(
        self, file: OpenedFile, view: PageView, jobs: JobRunner, appearance: Appearance
    ) -> None:
        super().__init__(view)
        self._view = view
        self._result: SearchOfFile | None = None
        self.bar = FindBar(appearance)
        self.bar.hide()
        self.search = FileSearch(file, jobs)
        self.bar.requested.connect(self.search.start)
        self.bar.stepped.connect(self.step)
        self.bar.closed.connect(self.end)
        self.search.began.connect(self._clear_matches)
        self.search.loaded.connect(self._add_matches)
        self.search.done.connect(self._done)

    def begin(self, words: str = "") -> None:
        self.bar.show()
        self.bar.take_focus(words)

    def step(self, step: int) -> None:
        found, current = sorted(self.search.found), self._view.marks.current
        if found:
            place = found.index(current) + step if current in found else 0
            self._show(found[place % len(found)])

    def end(self) -> None:
        """Close the find bar. The current match stays selected, so that it can be copied or
        highlighted.
        """
        if not self.bar.isVisible():
            return
        current = self._view.marks.current
        if current:
            ends = (
                TextPosition(current.page, current.start),
                TextPosition(current.page, current.end),
            )
            self._view.marks.selection = TextSelection(*ends)
        self.bar.hide()
        self.search.start("")
        self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _clear_matches(self) -> None:
        self._result, self._view.marks.current = None, None
        self._view.marks.show_found([])
        self._view.refresh()
        self.bar.say(counted(0, None, None) if self.search.words.strip() else "")

    def _add_matches(self, found: list[TextMatch]) -> None:
        marks, here = self._view.marks, self._view.page
        marks.add_found(found)
        if marks.current is None:
            first = next((one for one in found if one.page >= here), None)
            if first:
                self._show(first)
        self._say()
        self._view.refresh()

    def _done(self, result: SearchOfFile) -> None:
        self._result = result
        if self.search.found and self._view.marks.current is None:
            self._show(self.search.found[0])
        self._say()

    def _show(self, found: TextMatch) -> None:
        self._view.marks.current = found
        if found.boxes:
            self._view.show_box(found.page, found.boxes[0])
        self._say()
        self._view.refresh()

    def _say(self) -> None:
        found, current = self.search.found, self._view.marks.current
        place = found.index(current) if current in found else None
        nothing = self._result is not None and not found
        self.bar.say(counted(len(found), place, self._result), nothing)
