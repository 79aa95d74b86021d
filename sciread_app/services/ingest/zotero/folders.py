"""Where Zotero keeps its data: the data folders of all its profiles."""

from __future__ import annotations

import configparser
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sciread_app.errors import SourceError
from sciread_app.formats.zotero.database import NAME
from sciread_app.language import tr

_PREFERENCE = re.compile(r'user_pref\("extensions\.zotero\.(\w+)",\s*(.+?)\);')


@dataclass(frozen=True, slots=True)
class ZoteroFolder:
    """A data folder. `profile` is the name of the profile that uses it; empty if none does. `base`
    is where paths of linked files begin, if that is set. `modified` is the time of the last change
    in seconds since 1970."""

    path: Path
    profile: str = ""
    base: Path | None = None
    modified: float = 0.0

    @property
    def database(self) -> Path:
        return self.path / NAME


def find_folders(
    home: Path | None = None,
    platform: str = sys.platform,
    environ: Mapping[str, str] = os.environ,
) -> list[ZoteroFolder]:
    """The data folders of this user, that used last first."""
    home = home or Path.home()
    found: dict[Path, ZoteroFolder] = {}
    for profiles, user in _profile_folders(home, platform, environ):
        for name, profile in _profiles(profiles):
            preferences = _preferences(profile / "prefs.js")
            chosen = str(preferences.get("dataDir") or "")
            is_chosen = preferences.get("useDataDir") and chosen
            path = Path(chosen) if is_chosen else user / "Zotero"
            base = str(preferences.get("baseAttachmentPath") or "")
            _note(found, path, name, Path(base) if base else None)
        _note(found, user / "Zotero")
    return sorted(found.values(), key=lambda one: -one.modified)


def folder_at(path: Path, known: list[ZoteroFolder]) -> ZoteroFolder:
    """The data folder at a path, which may also be that of its database. Raises SourceError."""
    path = path.expanduser().absolute()
    if path.name == NAME:
        path = path.parent
    found: dict[Path, ZoteroFolder] = {}
    _note(found, path)
    if not found:
        raise SourceError(
            tr("There is no Zotero database in {folder}.", folder=path),
            tr("Select the folder that contains the file {file}.", file=NAME),
        )
    own = path.resolve()
    return next((one for one in known if one.path.resolve() == own), found[own])


def _profile_folders(
    home: Path, platform: str, environ: Mapping[str, str]
) -> Iterator[tuple[Path, Path]]:
    """The folders that may contain profiles.ini, each with the home folder that Zotero sees."""
    if platform == "darwin":
        yield home / "Library" / "Application Support" / "Zotero", home
    elif platform == "win32":
        roaming = environ.get("APPDATA")
        yield Path(roaming or home / "AppData" / "Roaming") / "Zotero" / "Zotero", home
    else:
        yield home / ".zotero" / "zotero", home
        snap = home / "snap" / "zotero-snap" / "common"
        flatpak = home / ".var" / "app" / "org.zotero.Zotero"
        for user in (snap, flatpak):
            yield user / ".zotero" / "zotero", user


def _profiles(folder: Path) -> Iterator[tuple[str, Path]]:
    """The name and folder of each profile in profiles.ini."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string((folder / "profiles.ini").read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError, configparser.Error):
        return
    for section in parser.sections():
        if path := parser.get(section, "Path", fallback=""):
            relative = parser.get(section, "IsRelative", fallback="1") == "1"
            name = parser.get(section, "Name", fallback="")
            yield name, folder / path if relative else Path(path)


def _preferences(file: Path) -> dict[str, Any]:
    """Zotero's preferences in a prefs.js; empty if it cannot be read."""
    try:
        text = file.read_text("utf-8", "replace")
    except OSError:
        return {}
    found: dict[str, Any] = {}
    for name, value in _PREFERENCE.findall(text):
        try:
            found[name] = json.loads(value)
        except ValueError:
            continue
    return found


def _note(
    found: dict[Path, ZoteroFolder], path: Path, profile: str = "", base: Path | None = None
) -> None:
    """Add a folder if there is a database in it, but none twice."""
    try:
        modified = (path / NAME).stat().st_mtime
    except OSError:
        return
    found.setdefault(path.resolve(), ZoteroFolder(path, profile, base, modified))
