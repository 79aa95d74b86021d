"""The state of the window that is kept for the next start."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSettings, QTimer

from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import JobQueue, JobRunner

DELAY_MS = 500  # until a change is written, together with those that follow it


class SavedState(QObject):
    """Values in an INI file, such as widths and recent searches, with the methods of QSettings.

    QSettings by itself writes each change on the window's thread, and waits until the disk has it,
    which takes half a second during an import. Here a job writes the file.
    """

    def __init__(self, file: Path, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file, self._jobs = file, jobs
        stored = _open(file)
        self._values: dict[str, Any] = {key: stored.value(key) for key in stored.allKeys()}
        self._changed: dict[str, Any] = {}  # since the start
        self._writing = threading.Lock()
        self._soon = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._soon.timeout.connect(self._save_in_background)

    def value(self, key: str, default: Any = None, type: Callable[[Any], Any] | None = None) -> Any:
        """Return a value, converted to `type` if that is given; `default` if there is none.

        Without a type, a number comes from the file as a text, and so does a list of one text.
        """
        value = self._values.get(key, default)
        if type is bool:
            return value in (True, "true")
        return type(value) if type else value

    def setValue(self, key: str, value: Any) -> None:
        """Change a value, which is written a moment later."""
        self._values[key] = self._changed[key] = value
        if not self._soon.isActive():
            self._soon.start()

    def save(self) -> None:
        """Write all changes now, since the window closes."""
        self._soon.stop()
        self._jobs.drop(self._job)
        if self._changed:
            self._write(self._changed, Task())

    @property
    def _job(self) -> str:
        return f"state of the window in {self._file}"

    def _save_in_background(self) -> None:
        changed = dict(self._changed)
        self._jobs.run(
            tr("Saving the state of the window"),
            lambda task: self._write(changed, task),
            queue=JobQueue.short,
            replaces=self._job,
            visible=False,
        )

    def _write(self, changed: Mapping[str, Any], task: Task) -> None:
        with self._writing:
            task.raise_if_cancelled()  # later values are written in its place
            stored = _open(self._file)
            for key, value in changed.items():
                stored.setValue(key, value)
            # Writes the file, as sync() does, during which PySide would keep the interpreter lock.
            QCoreApplication.sendPostedEvents(stored, QEvent.Type.UpdateRequest.value)


def _open(file: Path) -> QSettings:
    return QSettings(str(file), QSettings.Format.IniFormat)
