"""The environment of a page that is tested without a window."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings
from PySide6.QtGui import QAction

from sciread_app.ui.app_context import AppContext, AppEvents
from sciread_app.ui.followed_topics import FollowedTopics
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.style.theme import Appearance
from tests.support.ui.fakes.recommendations import FakeRecommendations


class CallRecorder:
    """Accepts every call and records its name and positional arguments in `calls`."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args, **named: self.calls.append((name, *args))


def context_of(jobs: JobRunner, appearance: Appearance, folder: Path) -> AppContext:
    """A context whose window only records what the page requests. Its settings are in `folder`."""
    navigate: Any = CallRecorder()
    messages: Any = CallRecorder()
    ignored: Any = CallRecorder()
    file = str(folder / "window.ini")

    def open_settings() -> QSettings:
        return QSettings(file, QSettings.Format.IniFormat)

    return AppContext(
        jobs=jobs,
        appearance=appearance,
        navigate=navigate,
        messages=messages,
        toast=ignored,
        events=AppEvents(),
        edits=ignored,
        activation=ignored,
        topics=FollowedTopics(FakeRecommendations(), jobs, open_settings),
        actions=defaultdict(QAction),
        open_settings=open_settings,
    )
