"""Paths: the home folder of a library, the cache, and resources of the program."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from sciread_app.errors import LibraryError
from sciread_app.language import tr

# Folders that other programs copy or lock during writes, which corrupts SQLite files.
_SYNCED = ("onedrive", "dropbox", "icloud", "google drive", "googledrive", "nextcloud", "syncthing")
_TITLES = {"onedrive": "OneDrive", "icloud": "iCloud", "googledrive": "Google Drive"}
# File systems of other computers, on which SQLite's locks cannot be relied upon.
_NETWORK = ("nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afpfs", "webdav", "davfs",
            "fuse.sshfs", "fuse.rclone", "fuse.davfs", "fuse.gvfsd-fuse")  # fmt: skip
_REMOTE_DRIVE = 4  # DRIVE_REMOTE, the result of GetDriveType for a network drive

MOVED = "moved-to.txt"  # in a home folder whose library was moved: the path of the new folder
SAMPLE_FOLDER = "sample-library"  # in the home folder of the user who looks at the sample
PORTABLE_FOLDER = "SciRead-home"  # a folder next to the program that replaces the system's default


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of one library, and the paths in it.

    The sample library has a home of its own in a folder of the user's, and shares the user's
    settings, models and citation styles.
    """

    folder: Path

    @property
    def sample(self) -> Home:
        """The home of the sample library of this home, which may not exist yet."""
        return Home(self.folder / SAMPLE_FOLDER)

    @property
    def is_sample(self) -> bool:
        return self.folder.name == SAMPLE_FOLDER and Home(self.folder.parent).library.exists()

    @property
    def owner(self) -> Home:
        """The user's own home: for that of a sample library the one around it, else this home."""
        return Home(self.folder.parent) if self.is_sample else self

    @property
    def library(self) -> Path:
        return self.folder / "library.sqlite3"

    @property
    def settings(self) -> Path:
        return self.owner.folder / "settings.toml"

    @property
    def indexes(self) -> Path:
        return self.folder / "indexes"

    @property
    def models(self) -> Path:
        return self.owner.folder / "models"

    @property
    def styles(self) -> Path:
        """Citation styles added by the user."""
        return self.owner.folder / "styles"

    @property
    def reports(self) -> Path:
        """Evaluation reports: a folder for each suite and corpus, with one for each model."""
        return self.folder / "reports"

    @property
    def trash(self) -> Path:
        return self.folder / "trash"

    @property
    def runs(self) -> Path:
        """Training runs, each a folder."""
        return self.folder / "runs"

    @property
    def corpora(self) -> Path:
        """Training corpora, each a folder."""
        return self.folder / "corpora"

    @property
    def lookups(self) -> Path:
        """The answers of metadata look-ups."""
        return self.folder / "lookups.jsonl"

    @property
    def digest_feed(self) -> Path:
        """The Atom feed of the latest digests."""
        return self.folder / "digest.atom"

    @property
    def log(self) -> Path:
        return self.folder / "logs" / "sciread.log"

    @property
    def backups(self) -> Path:
        return self.folder / "backups"

    @property
    def synced_by(self) -> str:
        """The name of the program that synchronizes the folder, detected by the path; else ""."""
        path = str(self.folder.resolve()).lower()
        return next((name for name in _SYNCED if name in path), "")

    @property
    def risk(self) -> str:
        """The risk of a library in this folder, as a sentence; empty if there is none."""
        if name := self.synced_by:
            return tr(
                "The library is in a {program} folder. {program} can damage a library that is "
                "open.",
                program=_TITLES.get(name, name.title()),
            )
        if kind := network_kind(self.folder):
            return tr(
                "The library is on a network drive ({kind}). An open library can be damaged there.",
                kind=kind,
            )
        return ""


def open_home(folder: Path | None = None) -> Home:
    """Return the home folder, created if missing: `folder`, else SCIREAD_HOME, else the one next to
    the program, else the system's default.

    If the library was moved, its new folder is returned.
    """
    home = find_home(folder)
    try:
        home.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(
            tr(
                "Could not create the folder {folder}: {why}.",
                folder=home.folder,
                why=error.strerror,
            ),
            tr("Select another library folder with --home or SCIREAD_HOME."),
        ) from error
    return home


def find_home(folder: Path | None = None) -> Home:
    """Return the home folder that `open_home` chooses, without creating it."""
    wanted = folder or os.environ.get("SCIREAD_HOME") or _portable_folder() or _usual()
    # Absolute, since the trainer's processes run in another working directory.
    home = Home(Path(wanted).expanduser().absolute())
    return _moved(home) or home


def local_home() -> Home:
    """Return an unused home folder in the default place, ignoring SCIREAD_HOME."""
    usual = Path(_usual())
    names = [usual.name, *(f"{usual.name} {n}" for n in range(2, 100))]
    homes = (Home(usual.with_name(name)) for name in names)
    return next(home for home in homes if not home.library.exists() and not _moved_file(home))


def network_kind(folder: Path) -> str:
    """Return the type of a network file system that contains the folder; "" for a local one."""
    if sys.platform == "win32":
        return tr("a shared folder") if _is_remote(folder.absolute()) else ""
    kind = file_system(folder)
    return kind.removeprefix("fuse.") if kind in _NETWORK else ""


def file_system(folder: Path) -> str:
    """Return the type of the file system of a folder, except on Windows; "" if unknown."""
    return _kind_of(folder.resolve(), _mounts())


def _moved(home: Home) -> Home | None:
    if not (file := _moved_file(home)):
        return None
    try:
        there = Home(Path(file.read_text("utf-8").strip()))
    except (OSError, UnicodeDecodeError):
        there = home
    if there == home or not there.library.exists():
        raise LibraryError(
            tr(
                "The library was moved from {old} to {new}, but that folder contains no library.",
                old=home.folder,
                new=there.folder,
            ),
            tr(
                "If the library is on another computer, open it there. To create a new library "
                "here, or to restore a backup, delete the file {file}.",
                file=file,
            ),
        )
    return there


def _moved_file(home: Home) -> Path | None:
    file = home.folder / MOVED
    return file if file.is_file() else None


def _kind_of(folder: Path, mounts: Sequence[tuple[str, str]]) -> str:
    """Return the type of the file system with the innermost mount point that contains `folder`."""
    best, kind = Path("/"), ""
    for place, name in mounts:
        at = Path(place)
        if folder.is_relative_to(at) and (not kind or at.is_relative_to(best)):
            best, kind = at, name.lower()
    return kind


def _mounts() -> list[tuple[str, str]]:
    """Return the mount points, each with the type of its file system."""
    if sys.platform == "darwin":
        # //me@server/share on /Volumes/share (smbfs, nodev, nosuid, mounted by me)
        output = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=False).stdout
        return re.findall(r" on (.+) \((\w+)", output)
    try:
        lines = Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    rows = [line.split(" ") for line in lines]
    return [(_without_octals(row[1]), row[2]) for row in rows if len(row) > 2]


def _without_octals(text: str) -> str:
    r"""Decode a path of /proc/mounts, in which a space is \040."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)


def _is_remote(folder: Path) -> bool:
    if folder.drive.startswith("\\\\"):
        return True
    drives = ctypes.windll.kernel32  # type: ignore[attr-defined]  # Windows only
    return bool(drives.GetDriveTypeW(f"{folder.drive}\\") == _REMOTE_DRIVE)


def _usual() -> str:
    return platformdirs.user_data_dir("SciRead", appauthor=False)


def _portable_folder() -> Path | None:
    """Return the folder SciRead-home next to a frozen program, if it exists.

    It is looked for wherever the user sees the program: also next to its folder, which an update
    may replace, next to an AppImage file, and next to the bundle that macOS shows as a file.
    """
    if not getattr(sys, "frozen", False):
        return None
    program = Path(sys.executable).resolve()
    places = [program.parent, program.parent.parent]
    if image := os.environ.get("APPIMAGE"):
        places.insert(0, Path(image).parent)
    places += [bundle.parent for bundle in program.parents if bundle.suffix == ".app"]
    return next(
        (place / PORTABLE_FOLDER for place in places if (place / PORTABLE_FOLDER).is_dir()), None
    )


def cache_folder() -> Path:
    """Return the folder for cached responses of sources and the times of the last requests.

    It is shared by all home folders of a user, since sources limit requests per user. It may be
    deleted at any time.
    """
    usual = platformdirs.user_cache_dir("SciRead", appauthor=False)
    return Path(os.environ.get("SCIREAD_CACHE") or usual).expanduser()


def resource(name: str) -> Path:
    """Return the path of a file that comes with the program."""
    package = Path(__file__).parent
    installed = package / "resources" / name
    return installed if installed.exists() else package.parent / "resources" / name
