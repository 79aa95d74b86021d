"""Asks which collection papers are to be put into, or which tag they are to be given."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QWidget

from sciread_app.domain.paper import PaperId
from sciread_app.domain.shelf import Shelf
from sciread_app.language import tr
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.shelf.chooser import Choice, Chooser
from sciread_app.ui.shelf.organiser import Organiser
from sciread_app.ui.theme import Appearance


class Choosing(QObject):
    wanted = Signal(str, object)  # what is done, and the step that does it

    def __init__(
        self, organiser: Organiser, jobs: Jobs, appearance: Appearance, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._organiser = organiser
        self._jobs = jobs
        self._appearance = appearance
        self._parent = parent
        self.chooser: Chooser | None = None

    def choose(self, what: str, ids: Sequence[PaperId], at: QPoint) -> None:
        """Ask which `what` ("tag" or "collection"), beside this place on the screen."""
        papers = tuple(ids)

        def ask(shelf: Shelf) -> None:
            title = tr("Give a tag") if what == "tag" else tr("Add to a collection")
            chooser = Chooser(title, _choices(what, shelf), self._appearance, self._parent)
            chooser.taken.connect(lambda choice: self._want(what, papers, choice.name))
            self.chooser = chooser
            chooser.open_at(at)

        self._jobs.run(
            tr("Reading names"),
            lambda task: self._organiser.shelf(),
            ask,
            lane=Lane.light,
            instead_of="map names",
        )

    def _want(self, what: str, ids: Sequence[PaperId], name: str) -> None:
        if what == "tag":
            self.wanted.emit(tr("Tagging"), lambda organiser: organiser.tag(ids, name))
        else:
            self.wanted.emit(tr("Collecting"), lambda organiser: organiser.collect(ids, name))


def _choices(what: str, shelf: Shelf) -> list[Choice]:
    if what == "tag":
        return [Choice(tag.name, tag.colour, tag.count) for tag in shelf.tags]
    return [Choice(one.path, papers=one.count) for one in shelf.collections]
