"""A fake of the settings and backups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from sciread_app.domain.clipboard_formats import Style
from sciread_app.domain.paper import Paper
from sciread_app.services.maintenance.backup_rotation import BackupCopy, BackupKind
from sciread_app.settings import Settings
from sciread_app.tasks import Task
from sciread_app.ui.settings.gateway import MODEL_HUB, KeyPlace, Reopening, ServiceUse


class FakeSettings:
    def __init__(self) -> None:
        self.home = Path("/home/ada/SciRead")
        self.risk = ""
        self.settings = Settings()
        self.places = {"ncbi": "keyring", "semantic_scholar": ""}
        self.given: list[tuple[str, str]] = []
        self.due = False
        self.taken: list[date] = []
        self.taken_now = 0
        self.fault: Exception | None = None
        self.copies = [
            BackupCopy(Path("2026-11-22.sqlite3"), BackupKind.daily, datetime(2026, 11, 22, 9, 5),
                       1234, 12_300_000),
            BackupCopy(Path("2026-11-21.sqlite3"), BackupKind.daily, datetime(2026, 11, 21, 18),
                       1200, 900_000),
            BackupCopy(Path("sciread-x.zip"), BackupKind.manual, datetime(2026, 10, 1), None,
                       4_000),
        ]  # fmt: skip

    def change(self, **changes: Any) -> Settings:
        if "@" not in (changes.get("contact") or "@"):
            raise ValueError("The value must be an email address.")
        if not changes.get("proxy", "none").startswith(("http", "none", "system")):
            raise ValueError("The value must be an address.")
        self.settings = replace(self.settings, **changes)
        return self.settings

    def styles(self) -> Sequence[Style]:
        return [Style("apa", "APA"), Style("ieee", "IEEE")]

    def cited(self, paper: Paper, style: str) -> str:
        if self.fault:
            raise self.fault
        return f"{paper.authors[0].family} in <i>{style}</i>"

    def keys(self) -> list[KeyPlace]:
        titles = {"ncbi": "PubMed", "semantic_scholar": "Semantic Scholar"}
        return [KeyPlace(n, titles[n], "Faster.", place) for n, place in self.places.items()]

    def set_key(self, name: str, value: str) -> None:
        self.given.append((name, value))
        self.places[name] = "keyring" if value else ""

    def services(self) -> list[ServiceUse]:
        return [ServiceUse("arXiv", "arxiv.org", "Your query", "When you fetch"), MODEL_HUB]

    def backups(self) -> Sequence[BackupCopy]:
        return self.copies

    def backup_due(self, today: date) -> bool:
        return self.due

    def back_up(self, today: date, task: Task) -> Path:
        if self.fault:
            raise self.fault
        self.taken.append(today)
        return Path(f"{today}.sqlite3")

    def back_up_now(self, task: Task) -> Path:
        if self.fault:
            raise self.fault
        self.taken_now += 1
        return Path("manual.sqlite3")

    def restoring(self, copy: BackupCopy) -> Reopening:
        return Reopening(f"Restoring {copy.name}", lambda task: self.home)

    def moving(self, folder: Path | None) -> Reopening:
        return Reopening(f"Moving to {folder}", lambda task: folder or self.home)
