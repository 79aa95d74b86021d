"""Puts papers into a collection, or gives them a tag, that is chosen by its name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QWidget

from sciread_app.domain.paper import PaperId
from sciread_app.domain.shelf import Shelf
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.shelf.chooser import Choice, Chooser
from sciread_app.ui.shelf.organiser import Organiser
from sciread_app.ui.theme import Appearance


class Choosing(QObject):
    done = Signal(str)  # what was done, a sentence without full stop

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
            title = "Give a tag" if what == "tag" else "Add to a collection"
            chooser = Chooser(title, _choices(what, shelf), self._appearance, self._parent)
            chooser.taken.connect(lambda choice: self._do(what, papers, choice.name))
            self.chooser = chooser
            chooser.open_at(at)

        self._jobs.run(
            "Reading names",
            lambda task: self._organiser.shelf(),
            ask,
            lane=Lane.light,
            instead_of="map names",
        )

    def _do(self, what: str, ids: Sequence[PaperId], name: str) -> None:
        verb = self._organiser.tag if what == "tag" else self._organiser.collect
        self._jobs.run(
            "Tagging" if what == "tag" else "Adding to a collection",
            lambda task: verb(ids, name),
            lambda edit: self.done.emit(edit.what if edit else "Nothing had to be changed"),
            lane=Lane.light,
        )


def _choices(what: str, shelf: Shelf) -> list[Choice]:
    if what == "tag":
        return [Choice(tag.name, tag.colour, tag.count) for tag in shelf.tags]
    return [Choice(one.path, papers=one.count) for one in shelf.collections]
