"""Where things are: the home folder that holds a library, and what came with the program."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from sciread_app.errors import LibraryError

# Folders that other programs copy or lock while we write: an SQLite file breaks in them.
_SYNCED = ("onedrive", "dropbox", "icloud", "google drive", "googledrive", "nextcloud", "syncthing")


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of one library, and the places in it."""

    folder: Path

    @property
    def library(self) -> Path:
        return self.folder / "library.sqlite3"

    @property
    def settings(self) -> Path:
        return self.folder / "settings.toml"

    @property
    def indexes(self) -> Path:
        return self.folder / "indexes"

    @property
    def models(self) -> Path:
        return self.folder / "models"

    @property
    def log(self) -> Path:
        return self.folder / "logs" / "sciread.log"

    @property
    def synced_by(self) -> str:
        """The program that synchronises the folder, as far as its path tells; else empty."""
        path = str(self.folder.resolve()).lower()
        return next((name for name in _SYNCED if name in path), "")


def open_home(folder: Path | None = None) -> Home:
    """The home folder, made if it is not there: `folder`, else SCIREAD_HOME, else the system's."""
    home = Home(Path(folder or os.environ.get("SCIREAD_HOME") or _usual()).expanduser())
    try:
        home.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(
            f"The folder {home.folder} cannot be made: {error.strerror}.",
            "Choose another home folder with --home, or set SCIREAD_HOME.",
        ) from error
    return home


def _usual() -> str:
    return platformdirs.user_data_dir("SciRead", appauthor=False)


def cache_folder() -> Path:
    """Where answers of sources are kept for a day, and when each was last asked: for all homes of
    a person together, since the sources count requests, not homes. It may be deleted any time."""
    usual = platformdirs.user_cache_dir("SciRead", appauthor=False)
    return Path(os.environ.get("SCIREAD_CACHE") or usual).expanduser()


def resource(name: str) -> Path:
    """A file that came with the program."""
    package = Path(__file__).parent
    installed = package / "resources" / name
    return installed if installed.exists() else package.parent / "resources" / name
