"""A library that is open, as the window needs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from sciread_app.tasks import Task
from sciread_app.ui.importing import Importer
from sciread_app.ui.palette_offer import Goal
from sciread_app.ui.search_page import Finder
from sciread_app.ui.values import Status

if TYPE_CHECKING:
    from sciread_app.ui.dashboard.values import Dashboard
    from sciread_app.ui.duplicates_values import Reviewer
    from sciread_app.ui.exchange import Exporter
    from sciread_app.ui.foryou_values import ForYou
    from sciread_app.ui.intake_page import Intake
    from sciread_app.ui.map.values import Maps
    from sciread_app.ui.models.swap import Swaps
    from sciread_app.ui.models.values import Keeper
    from sciread_app.ui.reader.values import Files
    from sciread_app.ui.shelf.organiser import Organiser
    from sciread_app.ui.training.values import Teacher
    from sciread_app.ui.values_care import Care


class Desk(Finder, Importer, Protocol):
    """Each page has its own part; what is asked for here takes a while, and is asked by jobs."""

    @property
    def intake(self) -> Intake: ...

    @property
    def reading(self) -> Files: ...

    @property
    def organise(self) -> Organiser: ...

    @property
    def map(self) -> Maps: ...

    @property
    def foryou(self) -> ForYou: ...

    @property
    def swaps(self) -> Swaps: ...

    @property
    def models(self) -> Keeper: ...

    @property
    def training(self) -> Teacher: ...

    @property
    def duplicates(self) -> Reviewer: ...

    @property
    def care(self) -> Care: ...

    @property
    def dashboard(self) -> Dashboard: ...

    @property
    def exchange(self) -> Exporter: ...

    def status(self) -> Status: ...

    def goals(self) -> Sequence[Goal]:
        """The parts of the library that have a name."""
        ...

    def wake(self, task: Task) -> None:
        """Start the model, which takes seconds; until then searches go by words."""
        ...
