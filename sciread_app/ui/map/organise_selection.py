"""Chooses the collection or tag for selected papers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QWidget

from sciread_app.domain.library_tree import LibraryTree
from sciread_app.domain.paper import PaperId
from sciread_app.language import tr
from sciread_app.ui.jobs.runner import JobQueue, JobRunner
from sciread_app.ui.library.editor_protocol import LibraryEditing
from sciread_app.ui.library.picker_popup import PickerItem, PickerPopup
from sciread_app.ui.style.theme import Appearance


class SelectionOrganiser(QObject):
    requested = Signal(str, object)  # description of the edit, and its operation

    def __init__(
        self, organiser: LibraryEditing, jobs: JobRunner, appearance: Appearance, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._organiser = organiser
        self._jobs = jobs
        self._appearance = appearance
        self._parent = parent
        self.chooser: PickerPopup | None = None

    def choose(self, what: str, ids: Sequence[PaperId], at: QPoint) -> None:
        """Open the picker for `what` ("tag" or "collection") at this screen position."""
        papers = tuple(ids)

        def ask(shelf: LibraryTree) -> None:
            title = tr("Give a tag") if what == "tag" else tr("Add to a collection")
            chooser = PickerPopup(title, _choices(what, shelf), self._appearance, self._parent)
            chooser.taken.connect(lambda choice: self._request(what, papers, choice.name))
            self.chooser = chooser
            chooser.open_at(at)

        self._jobs.run(
            tr("Reading names"),
            lambda task: self._organiser.shelf(),
            ask,
            queue=JobQueue.short,
            replaces="map names",
        )

    def _request(self, what: str, ids: Sequence[PaperId], name: str) -> None:
        if what == "tag":
            self.requested.emit(tr("Tagging"), lambda organiser: organiser.tag(ids, name))
        else:
            self.requested.emit(tr("Collecting"), lambda organiser: organiser.collect(ids, name))


def _choices(what: str, shelf: LibraryTree) -> list[PickerItem]:
    if what == "tag":
        return [PickerItem(tag.name, tag.colour, tag.count) for tag in shelf.tags]
    return [PickerItem(one.path, papers=one.count) for one in shelf.collections]
