"""The environment of a page that is tested without a window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings

from sciread_app.ui.app_context import AppContext, AppEvents
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.style.theme import Appearance


class Ignored:
    """Accepts every call, and does nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args, **named: None


def context_of(jobs: JobRunner, appearance: Appearance, folder: Path) -> AppContext:
    """A context whose window ignores what the page requests. Its settings are in `folder`."""
    nothing: Any = Ignored()
    file = str(folder / "window.ini")
    return AppContext(
        jobs=jobs,
        appearance=appearance,
        navigate=nothing,
        messages=nothing,
        toast=nothing,
        events=AppEvents(),
        edits=nothing,
        activation=nothing,
        open_settings=lambda: QSettings(file, QSettings.Format.IniFormat),
    )
