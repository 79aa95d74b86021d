"""The popup "Go to paper" (Ctrl+P): finds a paper by its title, authors and year."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.services.search.paper_finder import FoundPaper
from sciread_app.tasks import Task
from sciread_app.ui.app_context import Navigator
from sciread_app.ui.formatting import authors
from sciread_app.ui.jobs.runner import JobError, JobRunner
from sciread_app.ui.page import PaletteEntry
from sciread_app.ui.shell.commands.popup import Popup
from sciread_app.ui.style.theme import Appearance

Finder = Callable[[str, Task], Sequence[FoundPaper]]
CONTROL = Qt.KeyboardModifier.ControlModifier


class PaperPopup(Popup):
    """Return opens the selected paper, Ctrl+Return shows it in the library."""

    def __init__(
        self,
        window: QWidget,
        find: Finder,
        navigate: Navigator,
        jobs: JobRunner,
        appearance: Appearance,
    ) -> None:
        """`find` returns the papers that match a text; it is called on a background thread."""
        super().__init__(window, appearance, tr("Go to paper"), tr("Title, author, or year"))
        self._find = find
        self._navigate = navigate
        self._jobs = jobs
        self._found_for: str | None = None  # the text whose papers are shown
        self._papers: dict[str, FoundPaper] = {}  # by the key of the entry
        # Return was pressed before the papers for the typed text were found.
        self._pressed: Qt.KeyboardModifier | None = None

    def open(self) -> None:
        self._found_for = self._pressed = None
        self.show_entries([])
        super().open()

    def look(self) -> None:
        """Find the papers that match the typed text, in the background."""
        typed = self.box.text().strip()
        self._pressed = None

        def show(found: Sequence[FoundPaper]) -> None:
            self._found_for = typed
            self._papers = {str(one.paper.id): one for one in found}
            self.show_entries([self._entry(one) for one in found], _footer(typed, found))
            if self._pressed is not None:
                self.choose(next(iter(self.shown()), None), self._pressed)

        def fail(problem: JobError) -> None:
            self.show_entries([], problem.message)

        self._jobs.run(
            tr("Finding papers"),
            lambda task: self._find(typed, task),
            show,
            on_failed=fail,
            replaces="paper to go to",
        )

    def choose(self, entry: PaletteEntry | None, modifiers: Qt.KeyboardModifier) -> None:
        """Open the paper, or with Ctrl show it in the library; while the papers are still being
        found, the first one as soon as it is there."""
        if self._found_for != self.box.text().strip():
            self._pressed = modifiers
        elif entry is not None and self.isVisible():
            self.close_up()
            if modifiers & CONTROL:
                paper = self._papers[entry.key].paper
                assert paper.id is not None
                self._navigate.show_papers([paper.id], entry.title)
            else:
                entry.do()

    def _entry(self, found: FoundPaper) -> PaletteEntry:
        paper = found.paper
        assert paper.id is not None
        title = readable(paper.title)
        open_paper = partial(self._navigate.open_paper, paper.id, title)
        if found.file:
            open_paper = partial(self._navigate.read, paper.id, found.file)
        about = (authors(paper, 1), paper.published[:4], tr("PDF") if found.file else "")
        return PaletteEntry(str(paper.id), title, " · ".join(filter(None, about)), open_paper)


def _footer(typed: str, found: Sequence[FoundPaper]) -> str:
    if found:
        return tr("Enter: open · Ctrl+Enter: show in library")
    return tr("No papers found") if typed else tr("No papers in the library")
