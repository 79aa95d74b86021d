"""Other programs, for a window that is tried without them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sciread_app.domain.kept_files import KeptFile
from sciread_app.domain.paper import PaperId, Skipped
from sciread_app.errors import SourceError
from sciread_app.tasks import Task
from sciread_app.ui.values import Ledger


class FakeExchange:
    def __init__(self) -> None:
        self.files: dict[str, KeptFile] = {}
        self.written: list[tuple[object, Path]] = []
        self.brought_up_to_date = 0
        self.zotero_runs = True

    def write(self, papers: Sequence[PaperId], path: Path, task: Task) -> int:
        self.written.append((list(papers), path))
        return len(papers)

    def write_found(self, query: str, path: Path, task: Task) -> int:
        self.written.append((query, path))
        return 1

    def kept(self) -> Sequence[KeptFile]:
        return list(self.files.values())

    def keep(self, collection: str, path: Path, task: Task) -> KeptFile:
        self.files[collection] = KeptFile(collection, str(path), "bibtex")
        return self.files[collection]

    def stop_keeping(self, collection: str) -> None:
        del self.files[collection]

    def write_kept(self, task: Task) -> Sequence[KeptFile]:
        self.brought_up_to_date += 1
        return self.kept()

    def bring_zotero(self, task: Task) -> Ledger:
        if not self.zotero_runs:
            raise SourceError("Zotero cannot be reached.", "Start Zotero.")
        return Ledger(3, 2, 0, [Skipped("Zotero", "X", "The item has no title.")])
