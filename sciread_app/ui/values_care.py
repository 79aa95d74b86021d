"""What the settings page shows and asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Protocol

from sciread_app.services.backups import Copy
from sciread_app.settings import Settings
from sciread_app.tasks import Task


@dataclass(frozen=True)
class KeyPlace:
    """A key that a source takes. `where` it is kept: "keyring", "environment", or nowhere."""

    name: str
    title: str
    what: str
    where: str = ""


@dataclass(frozen=True)
class Reopening:
    """Something that is done to a library while it is closed; then the window opens it again.

    `work` returns the folder of the library from then on. `title` says what is being done,
    `outcome` what came of it when another folder is opened then; it may be empty.
    """

    title: str
    work: Callable[[Task], Path]
    outcome: Callable[[], str] = str


class Care(Protocol):
    """What the settings page needs of a library. Only `settings` and `change` do not take long."""

    @property
    def home(self) -> Path: ...

    @property
    def risk(self) -> str:
        """Why its folder is no good place, unless a person has said that it shall stay there."""
        ...

    @property
    def settings(self) -> Settings: ...

    def change(self, **changes: Any) -> Settings:
        """Raises ValueError with what is wrong."""
        ...

    def keys(self) -> Sequence[KeyPlace]: ...

    def set_key(self, name: str, value: str) -> None:
        """Keep a key in the keyring, or with an empty one forget it."""
        ...

    def backups(self) -> Sequence[Copy]: ...

    def backup_due(self, today: date) -> bool: ...

    def back_up(self, today: date, task: Task) -> Path: ...

    def back_up_now(self, task: Task) -> Path:
        """Into a file of its own, which replaces no other."""
        ...

    def restoring(self, copy: Copy) -> Reopening: ...

    def moving(self, folder: Path | None) -> Reopening:
        """To this folder, or one of this computer's own."""
        ...
