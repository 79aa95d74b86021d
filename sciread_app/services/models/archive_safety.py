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
                "{file} contains {name}, which is an invalid name or outside the model's folder.",
                file=source.name,
                name=repr(name[:200]),
            ),
            tr("Nothing was unpacked. The file may be malicious."),
        )
    if len(parts) > MOST_FOLDERS + 2:
        raise too_many(source)
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise refused_kind(source, name, kind)
    if info.flag_bits & 1:
        raise PackageRefused(
            tr("{file} is password-protected.", file=source.name),
            tr("Unpack the file, then add the folder."),
        )
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise PackageRefused(
            tr("{file} uses an unsupported compression method.", file=source.name),
            tr("Unpack the file, then add the folder."),
        )


def check_apart(files: Sequence[zipfile.ZipInfo], source: Path) -> None:
    """Check that no name occurs twice, ignoring case, and that no file is also a folder."""
    names = [info.filename.casefold() for info in files]
    folders = {str(above) for name in names for above in PurePosixPath(name).parents}
    if len({*names}) < len(names) or folders & {*names}:
        raise PackageRefused(
            tr("{file} contains a file twice.", file=source.name),
            tr("Nothing was unpacked. The file may be malicious."),
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
                "{file} has {packed:,} MB and would expand to {unpacked:,} MB. It appears to "
                "be a zip bomb, made to fill the disk.",
                file=source.name,
                packed=mb(packed),
                unpacked=mb(unpacked),
            ),
            tr("Nothing was unpacked. Delete the file."),
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
            tr("The limit for this type of file is {most:,} MB.", most=mb(most)),
        )


def check_room(needed: int, target: Path) -> None:
    """Check that the disk of `target` has so many bytes free. Raises LibraryError."""
    there = next(folder for folder in target.absolute().parents if folder.exists())
    free = shutil.disk_usage(there).free
    if needed + _SPARE > free:
        raise LibraryError(
            tr(
                "Not enough disk space in {folder}: the model needs {needed:,} MB, and "
                "{free:,} MB are free.",
                needed=mb(needed + _SPARE),
                folder=there,
                free=mb(free),
            ),
            tr("Free up disk space, then add the model again."),
        )


def mb(size: int) -> int:
    """Return a size in megabytes, rounded up."""
    return -(-size // 1_000_000)


def no_model(source: Path) -> PackageRefused:
    return PackageRefused(
        tr("{source} contains no model: the file package.json is missing.", source=source.name),
        tr("Select a model folder, which contains package.json and the weights, or a zip "
           "file of a model folder."),
    )  # fmt: skip


def several_models(source: Path, names: Sequence[str]) -> PackageRefused:
    return PackageRefused(
        tr(
            "{source} contains several models: {names}.", source=source.name, names=", ".join(names)
        ),
        tr("Add one model at a time."),
    )


def too_many(source: Path) -> PackageRefused:
    return PackageRefused(
        tr("{source} contains too many files and folders for a model.", source=source.name),
        tr("Select the folder of a single model."),
    )


def refused_kind(source: Path, name: str, mode: int) -> PackageRefused:
    message = tr("{source} contains a link: {name}", source=source.name, name=repr(name[:200]))
    if not stat.S_ISLNK(mode):
        message = tr(
            "{source} contains a special file: {name}",
            source=source.name,
            name=repr(name[:200]),
        )
    return PackageRefused(message, tr("Replace this file with a copy of the original."))
