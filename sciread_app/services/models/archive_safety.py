"""Safety checks for imported model archives. Each rejected file is named in the error."""

from __future__ import annotations

import io
import re
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from trainer.contract.errors import PackageRefused

DESCRIPTION = "package.json"
# A model has a dozen files, one of them large.
MOST_FILES = 200
MOST_FOLDERS = 6  # depth of nested folders
LARGEST_WEIGHTS = 64 << 30
LARGEST_OTHER = 64 << 20
# Compression hardly shrinks weights, and text by a factor of ten; a zip bomb by a thousand.
_DENSEST = 100
_NO_BOMB = 64 << 20  # bytes below which any compression ratio is accepted
_LARGEST_LIST = 1 << 20  # bytes of the central directory of a zip file
_SPARE = 200 << 20  # bytes of the disk that must stay free

# The errors of zipfile for a file that is no zip, is truncated or damaged, needs a password, or
# uses an unknown compression.
UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, LookupError),
    struct.error,
)

_NO_NAME = re.compile(r'[\x00-\x1f<>:"|?*\\]|[ .]$|^$')
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_LIST_OF_FILES, _LIST_64, _WHERE_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
# Bytes at the end of a zip file: the longest comment, and the end records before it.
_END = (1 << 16) + 22 + 20 + 56


def check_entry(info: zipfile.ZipInfo, source: Path) -> None:
    """Check the name, type, encryption and compression of a file in a zip file."""
    name = info.orig_filename
    parts = name.removesuffix("/").split("/")
    if any(part in ("", ".", "..") or _NO_NAME.search(part) for part in parts) or any(
        _DEVICES.fullmatch(part) for part in parts
    ):
        raise PackageRefused(
            tr(
                "{file} holds {name}, which would lie outside the model's folder or cannot lie "
                "in it.",
                file=source.name,
                name=repr(name[:200]),
            ),
            tr("Nothing was unpacked. Whoever made this file may mean no good."),
        )
    if len(parts) > MOST_FOLDERS + 2:
        raise too_many(source)
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise refused_kind(source, name, kind)
    if info.flag_bits & 1:
        raise PackageRefused(
            tr("{file} is locked with a password.", file=source.name),
            tr("Unpack it, and add the folder."),
        )
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise PackageRefused(
            tr("{file} is packed in a way that is rarely used.", file=source.name),
            tr("Unpack it, and add the folder."),
        )


def check_apart(files: Sequence[zipfile.ZipInfo], source: Path) -> None:
    """Check that no name occurs twice, ignoring case, and that no file is also a folder."""
    names = [info.filename.casefold() for info in files]
    folders = {str(above) for name in names for above in PurePosixPath(name).parents}
    if len({*names}) < len(names) or folders & {*names}:
        raise PackageRefused(
            tr("{file} holds a file twice.", file=source.name),
            tr("Nothing was unpacked. Whoever made this file may mean no good."),
        )


def model_in(paths: dict[PurePosixPath, zipfile.ZipInfo], source: Path) -> PurePosixPath:
    """Return the folder of the only model at the lowest depth in a zip file."""
    found = [path.parent for path in paths if path.name == DESCRIPTION]
    nearest = min((len(path.parts) for path in found), default=0)
    found = [path for path in found if len(path.parts) == nearest]
    if not found:
        raise no_model(source)
    if len(found) > 1:
        raise several_models(source, [path.name for path in found])
    return found[0]


def check_list(source: Path) -> None:
    """Check the size of the central directory, which zipfile reads into memory at once."""
    with source.open("rb") as stream:
        size = stream.seek(0, io.SEEK_END)
        stream.seek(max(0, size - _END))
        end = stream.read()
    # The same search as in zipfile: without a comment, the record is at the very end.
    plain = end[-22:-18] == _LIST_OF_FILES and end[-2:] == b"\0\0"
    at = len(end) - 22 if plain else end.rfind(_LIST_OF_FILES)
    if at < 0 or len(end) < at + 22:
        return  # not a zip file, which zipfile reports
    listed = int.from_bytes(end[at + 12 : at + 16], "little")
    whole = end[max(0, at - 76) : at]
    if len(whole) == 76 and whole[:4] == _LIST_64 and whole[56:60] == _WHERE_64:
        listed = int.from_bytes(whole[40:48], "little")
    if listed > _LARGEST_LIST:
        raise too_many(source)


def check_density(unpacked: int, source: Path) -> None:
    """Reject a zip bomb by its compression ratio. `unpacked` is in bytes."""
    packed = source.stat().st_size
    if unpacked > max(_NO_BOMB, packed * _DENSEST):
        raise PackageRefused(
            tr(
                "{file} has {packed:,} MB and would be {unpacked:,} MB when it is unpacked: it is "
                "made to fill disks.",
                file=source.name,
                packed=mb(packed),
                unpacked=mb(unpacked),
            ),
            tr("Nothing was unpacked. Delete it."),
        )


def check_size(name: str, size: int, source: Path) -> None:
    """Check the size of one file, in bytes."""
    most = LARGEST_WEIGHTS if name.endswith(".safetensors") else LARGEST_OTHER
    if size > most:
        raise PackageRefused(
            tr(
                "The file {name} in {source} is too large for a model: {size:,} MB.",
                name=repr(name),
                source=source.name,
                size=mb(size),
            ),
            tr("Such a file has {most:,} MB at the most.", most=mb(most)),
        )


def check_room(needed: int, target: Path) -> None:
    """Check that the disk of `target` has so many bytes free. Raises LibraryError."""
    there = next(folder for folder in target.absolute().parents if folder.exists())
    free = shutil.disk_usage(there).free
    if needed + _SPARE > free:
        raise LibraryError(
            tr(
                "The model needs {needed:,} MB of disk in {folder}, and {free:,} MB are free.",
                needed=mb(needed + _SPARE),
                folder=there,
                free=mb(free),
            ),
            tr("Make room, then add it again."),
        )


def mb(size: int) -> int:
    """Return a size in megabytes, rounded up."""
    return -(-size // 1_000_000)


def no_model(source: Path) -> PackageRefused:
    return PackageRefused(
        tr("There is no model in {source}: it lacks a package.json.", source=source.name),
        tr("A model is a folder with a package.json beside its weights, or such a folder as a zip "
           "file."),
    )  # fmt: skip


def several_models(source: Path, names: Sequence[str]) -> PackageRefused:
    return PackageRefused(
        tr("{source} holds several models: {names}.", source=source.name, names=", ".join(names)),
        tr("Add each by itself."),
    )


def too_many(source: Path) -> PackageRefused:
    return PackageRefused(
        tr("{source} holds more files and folders than any model.", source=source.name),
        tr("Choose the folder of one model."),
    )


def refused_kind(source: Path, name: str, mode: int) -> PackageRefused:
    said = tr("{source} holds a link: {name}", source=source.name, name=repr(name[:200]))
    if not stat.S_ISLNK(mode):
        said = tr(
            "{source} holds something that is no file: {name}",
            source=source.name,
            name=repr(name[:200]),
        )
    return PackageRefused(said, tr("Copy the file that it stands for."))
