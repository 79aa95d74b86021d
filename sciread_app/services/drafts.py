"""What is being written, from key to key: nothing that was typed is lost when something breaks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from sciread_app.domain.paper import PaperId

NEW = 0  # the number of a note that is not there yet
_NAME = re.compile(r"(\d+)-(\d+)\.md")


class Drafts:
    """Notes that were begun or changed and not saved yet: a file each, which anybody can read.

    Quick enough for a window's last moment.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, paper: PaperId) -> Mapping[int, str]:
        """The drafts of this paper's notes, by the number of the note."""
        found = {}
        for path in self._folder.glob(f"{paper}-*.md"):
            if match := _NAME.fullmatch(path.name):
                found[int(match[2])] = path.read_text("utf-8", errors="replace")
        return found

    def keep(self, paper: PaperId, note: int, text: str) -> None:
        """Remember a draft; an empty one of a new note is none."""
        if note == NEW and not text.strip():
            self.drop(paper, note)
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(paper, note)
        half = path.with_suffix(".new")
        half.write_bytes(text.encode("utf-8", errors="replace"))
        half.replace(path)

    def drop(self, paper: PaperId, note: int) -> None:
        self._path(paper, note).unlink(missing_ok=True)

    def _path(self, paper: PaperId, note: int) -> Path:
        return self._folder / f"{paper}-{note}.md"
