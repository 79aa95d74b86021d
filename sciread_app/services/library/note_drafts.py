"""Drafts of notes, saved as they are typed so that a crash loses nothing."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from pathlib import Path

from sciread_app.domain.paper import PaperId
from sciread_app.tasks import Task

NEW = 0  # the id of a note that is not stored yet
_NAME = re.compile(r"(\d+)-(\d+)\.md")


class Drafts:
    """Unsaved new or changed notes, each in a readable file of its own.

    Fast enough to be called while the window closes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writing = threading.Lock()

    def of(self, paper: PaperId) -> Mapping[int, str]:
        """The drafts of this paper's notes, by note id."""
        found = {}
        for path in self._folder.glob(f"{paper}-*.md"):
            if match := _NAME.fullmatch(path.name):
                found[int(match[2])] = path.read_text("utf-8", errors="replace")
        return found

    def save(self, paper: PaperId, note: int, text: str, task: Task | None = None) -> None:
        """Save a draft; an empty draft of a new note is deleted instead.

        Raises Cancelled if `task` was canceled, since a later text may be saved already.
        """
        if note == NEW and not text.strip():
            self.delete(paper, note, task)
            return
        path = self._path(paper, note)
        partial = path.with_suffix(".new")
        with self._writing:
            if task:
                task.raise_if_cancelled()
            self._folder.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(text.encode("utf-8", errors="replace"))
            partial.replace(path)

    def delete(self, paper: PaperId, note: int, task: Task | None = None) -> None:
        """Delete a draft. Raises Cancelled if `task` was canceled."""
        with self._writing:
            if task:
                task.raise_if_cancelled()
            self._path(paper, note).unlink(missing_ok=True)

    def _path(self, paper: PaperId, note: int) -> Path:
        return self._folder / f"{paper}-{note}.md"
