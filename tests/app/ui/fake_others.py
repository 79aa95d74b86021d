"""Models to compare with, for the window: one has read all, one nothing, one is broken."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sciread_app.domain.order import Order
from sciread_app.tasks import Task
from sciread_app.ui.values import Listing, Mode
from trainer.contract.errors import PackageRefused

if TYPE_CHECKING:
    from tests.app.ui.fakes import FakeDesk


class FakeOthers:
    def __init__(self, desk: FakeDesk) -> None:
        self._desk = desk
        self.read = {"specter-ours": desk.count, "miread-ours": 0}
        self.closed = 0

    def names(self, task: Task) -> list[str]:
        return [*self.read, "broken"] if self.read else []

    def standing(self, name: str, task: Task) -> tuple[int, int]:
        if name == "broken":
            raise PackageRefused("The model broken is not whole.", "Fetch it again.")
        return self.read[name], self._desk.count

    def find(self, name: str, query: str, mode: Mode, task: Task) -> Listing:
        """What the desk finds, but the first at the end, and one paper that it does not find."""
        found = self._desk.find(query, mode, task, Order.relevance)
        first, *others = found.ids
        return replace(found, ids=(*others, first, 999))

    def encode(self, name: str, task: Task) -> int:
        self.read[name] = self._desk.count
        return self._desk.count

    def close(self) -> None:
        self.closed += 1
