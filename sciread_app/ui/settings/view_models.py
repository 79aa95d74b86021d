"""The services and data of the settings page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Protocol

from sciread_app.services.maintenance.backup_rotation import Copy
from sciread_app.settings import Settings
from sciread_app.tasks import Task


@dataclass(frozen=True)
class KeyPlace:
    """An API key of a source. `where` it is stored: "keyring", "environment", or empty."""

    name: str
    title: str
    what: str
    where: str = ""


@dataclass(frozen=True)
class Reopening:
    """An operation on a closed library, after which the window opens it again.

    `work` returns the folder of the library from then on. `title` describes the operation,
    `outcome` its result when another folder is opened afterwards; it may be empty.
    """

    title: str
    work: Callable[[Task], Path]
    outcome: Callable[[], str] = str


class SettingsServices(Protocol):
    """The services that the settings page needs. Every method may block, except `settings` and
    `change`."""

    @property
    def home(self) -> Path: ...

    @property
    def risk(self) -> str:
        """Why the library's folder is risky, unless the user has chosen to stay there."""
        ...

    @property
    def settings(self) -> Settings: ...

    def change(self, **changes: Any) -> Settings:
        """Raises ValueError with the reason."""
        ...

    def keys(self) -> Sequence[KeyPlace]: ...

    def set_key(self, name: str, value: str) -> None:
        """Store a key in the keyring; an empty value deletes it."""
        ...

    def backups(self) -> Sequence[Copy]: ...

    def backup_due(self, today: date) -> bool: ...

    def back_up(self, today: date, task: Task) -> Path: ...

    def back_up_now(self, task: Task) -> Path:
        """Back up into a new file, replacing none."""
        ...

    def restoring(self, copy: Copy) -> Reopening: ...

    def moving(self, folder: Path | None) -> Reopening:
        """Move the library to this folder, or to one on a local disk."""
        ...
