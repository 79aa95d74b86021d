"""The keys and services that the settings page shows, and operations on a closed library."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sciread_app.domain.paper import Paper
from sciread_app.errors import SourceError
from sciread_app.language import format_moment, tr
from sciread_app.paths import Home, local_home
from sciread_app.services.export.citation_styles import CitationStyles
from sciread_app.services.maintenance import backup_file, relocation
from sciread_app.services.maintenance.backup_rotation import BackupCopy
from sciread_app.services.maintenance.salvage import LOSSES_FILE, salvage_home
from sciread_app.settings import Settings, change_settings, read_settings
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace

KEYS = (
    ("ncbi", "PubMed", tr("Allows 10 requests per second instead of 3.")),
    ("openalex", "OpenAlex", tr("Allows about ten times as many look-ups a day.")),
    ("semantic_scholar", "Semantic Scholar", tr("Your own rate limit for citations.")),
)


@dataclass(frozen=True)
class ApiKeyStatus:
    """An API key of a source. `where` it is stored: "keyring", "environment", or empty."""

    name: str
    title: str
    what: str
    where: str = ""


@dataclass(frozen=True)
class ServiceUse:
    """A service on the network: its server, the data of the user that it receives, and when."""

    title: str
    server: str
    sends: str
    occasion: str


MODEL_HUB = ServiceUse(
    "Hugging Face",
    "huggingface.co",
    tr("The name of a model"),
    tr("When you add a model from Hugging Face"),
)


@dataclass(frozen=True)
class Reopening:
    """An operation on a closed library, after which the window opens it again.

    `work` returns the folder of the library from then on. `title` describes the operation,
    `outcome` its result, to be shown afterwards; it may be empty.
    """

    title: str
    work: Callable[[Task], Path]
    outcome: Callable[[], str] = str


def cited(paper: Paper, styles: CitationStyles, style: str) -> str:
    """The reference of a paper in a style, as HTML. Raises StyleRefused and LibraryError."""
    # citeproc.js takes time to load, and the start of the window needs it not.
    from sciread_app.services.export.citations import cite

    cited = cite([paper], styles.load(style))
    return "".join(cited.references) or cited.in_text


def key_statuses(workspace: Workspace) -> list[ApiKeyStatus]:
    """The API keys that the program uses. Blocks: keyrings take time."""
    return [
        ApiKeyStatus(name, title, what, workspace.key_location(name)) for name, title, what in KEYS
    ]


def services_used(settings: Settings) -> list[ServiceUse]:
    """All services that the program uses, with the addresses that are set."""
    # The network modules take a third of a second, and the start of the window needs none.
    from sciread_app.sources.endpoints import OFFICIAL, endpoints

    try:
        known = endpoints(os.environ, settings)
    except SourceError:  # an invalid address, which is reported when it is used
        known = {official.key: official for official in OFFICIAL}
    used = [
        ServiceUse(
            one.title,
            urlsplit(one.url).hostname or tr("The host of the page or file"),
            one.sends,
            one.occasion,
        )
        for one in known.values()
    ]
    return [*used, MODEL_HUB]


def moving(home: Home, folder: Path | None) -> Reopening:
    """Move a home's library to this folder, or to one on a local disk."""

    def work(task: Task) -> Path:
        target = relocation.move(home, Home(folder) if folder else local_home(), task)
        changes: dict[str, str] = {}
        if not read_settings(target.settings)[0].backups:  # they stay in the old folder
            changes["backups"] = str(home.backups)
        if home.risk:  # the library has left the risky folder
            changes["accepted_risk"] = ""
        change_settings(target.settings, **changes)
        return target.folder

    return Reopening(tr("Moving the library"), work)


def restoring(home: Home, copy: BackupCopy) -> Reopening:
    """Put a backup in the place of a home's library."""

    def work(task: Task) -> Path:
        task.step(0, 0, tr("Restoring"))
        backup_file.restore(home, copy.path)
        return home.folder

    def outcome() -> str:
        return tr(
            "The backup of {made} was restored. The library before it is in Settings › Backups.",
            made=format_moment(copy.created),
        )

    title = tr("Restoring the backup of {made}", made=format_moment(copy.created))
    return Reopening(title, work, outcome)


def salvaging(home: Home, target: Path) -> Reopening:
    """Write what can be read of a home's damaged library to a new folder, and open that."""
    sentences: list[str] = []

    def work(task: Task) -> Path:
        report = salvage_home(home, target, task)
        sentences.append(
            tr(
                "{papers} The file {file} in that folder lists the lost data.",
                papers=next(report.lines()),
                file=LOSSES_FILE,
            )
        )
        return report.folder

    return Reopening(tr("Recovering readable papers"), work, lambda: " ".join(sentences))
