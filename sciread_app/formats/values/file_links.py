"""The `file` fields of reference managers: links to PDFs, resolved to existing files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINKS = re.compile(r"(?:\\.|[^\\;])+", re.S)
_PARTS = re.compile(r"(?<!\\):")
_ESCAPED = re.compile(r"\\([\\:;])")
_DRIVE = re.compile(r"[A-Za-z]")
_WINDOWS_PATH = re.compile(r"[A-Za-z]:[\\/]")
_NETWORK_SHARE = re.compile(r"[\\/](?:[\\/]|\?\?[\\/])")  # also \\?\UNC\... and \??\UNC\...


def resolve(field: str, folders: Sequence[Path]) -> tuple[tuple[str, ...], str]:
    """The absolute paths of existing files in a `file` field, and the broken links as written.

    JabRef writes `description:path:type;...` with backslashes before `: ; \\`, Zotero the same with
    or without them, others plain paths. Paths are relative to `folders`, in this order.
    """
    found: dict[str, None] = {}
    missing = []
    for link in _LINKS.findall(field):
        file = next(filter(None, (existing(path, folders) for path in _paths(link))), "")
        if file:
            found[file] = None
        elif link.strip():
            missing.append(link.strip())
    return tuple(found), ";".join(missing)


def _paths(link: str) -> list[str]:
    """The possible paths of one link, the likeliest first."""
    link = link.strip()
    if link.startswith("file:"):
        return [path_of_url(link)]
    if _WINDOWS_PATH.match(link):
        return [link, _ESCAPED.sub(r"\1", link)]
    parts = [_ESCAPED.sub(r"\1", part) for part in _PARTS.split(link)]
    if len(parts) == 1:
        return [link, parts[0]]
    path = parts[1]
    if len(parts) > 2 and _DRIVE.fullmatch(path):
        path = f"{path}:{parts[2]}"
    # Mendeley leaves out the first slash.
    return [path, parts[0], f"/{path}"]


def path_of_url(url: str) -> str:
    """The path in a `file:` address; the drive letter of Windows comes without a slash. Empty if
    the address is invalid."""
    try:
        path = unquote(urlsplit(url).path)
    except ValueError:  # square brackets in the place of a host
        return ""
    return path[1:] if re.match(r"/[A-Za-z]:", path) else path


def is_network_share(path: str) -> bool:
    """Whether Windows would look for this path on another computer, or by the name of a device.

    Paths of a bibliography from elsewhere must not do so: Windows would send the user's password
    hash to any server.
    """
    return bool(_NETWORK_SHARE.match(path))


def existing(path: str, folders: Sequence[Path]) -> str:
    """The absolute path if there is such a file in one of the folders, else empty.

    Network shares are not accessed.
    """
    if not path.strip() or "\0" in path or path.startswith(("http:", "https:")):
        return ""
    if is_network_share(path):
        return ""
    path = path.replace("\\", "/") if "/" not in path else path
    for folder in folders:
        candidate = folder / path
        try:
            if candidate.is_file():
                return str(candidate.resolve())
        except OSError:
            continue
    return ""


def to_field(files: Iterable[str], missing: str) -> str:
    """The inverse of `resolve`: the files in JabRef's notation, then the broken links unchanged."""
    links = [f":{_escaped(file)}:{Path(file).suffix[1:].upper()}" for file in files]
    return ";".join([*links, missing] if missing else links)


def _escaped(path: str) -> str:
    return re.sub(r"([\\:;])", r"\\\1", path)
