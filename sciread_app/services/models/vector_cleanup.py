"""Vector and index files: the model each belongs to, and removal of those no longer needed."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from sciread_app.paths import Home
from sciread_app.storage.library import Library
from trainer.contract.errors import PackageRefused
from trainer.contract.package import read_package, starter_package

# Files of a space, as space.py and atlas.py name them.
_FILE = re.compile(
    r"(?P<space>[^.]+)\.(vectors|hnsw(\.\d+)?|atlas(-neighbours|-state)?)(\.new|\.lock)?"
)


class VectorCleanup:
    """Vectors in the library, and files in `indexes`."""

    def __init__(self, library: Library, home: Home) -> None:
        self._library = library
        self._home = home

    def unneeded(self) -> list[str]:
        """Those of no model that is installed, in the trash, answers, or answered lately. Where a
        package cannot be read it may be mended, and its vectors have taken hours: then there are
        none, as in a library that does not say what answers."""
        installed, standing = self._installed(), self._library.active_model.state()
        if installed is None or standing is None:
            return []
        kept = {one.space for one in (standing.answers, *standing.earlier)}
        kept |= installed | self._in_trash()
        return sorted((self._library.spaces() | set(self._files())) - kept)

    def clean(self) -> list[str]:
        """Remove those; returns which. Killed meanwhile, the next call goes on."""
        gone = self.unneeded()
        for space in gone:
            self._library.drop_vectors(space)
            for path in self._files().get(space, ()):
                with suppress(OSError):  # another program may look at it still; so the next time
                    path.unlink()
        return gone

    def _installed(self) -> set[str] | None:
        folders = self._home.models.iterdir() if self._home.models.is_dir() else ()
        try:
            return {
                starter_package(hashes=False).space,
                *(
                    read_package(folder, hashes=False).space
                    for folder in folders
                    if (folder / "package.json").is_file() and folder.suffix != ".new"
                ),
            }
        except PackageRefused:
            return None

    def _in_trash(self) -> set[str]:
        found = set()
        for file in (self._home.trash / "models").glob("*/package.json"):
            with suppress(PackageRefused):
                found.add(read_package(file.parent, hashes=False).space)
        return found

    def _files(self) -> dict[str, list[Path]]:
        found: dict[str, list[Path]] = {}
        for path in self._home.indexes.iterdir() if self._home.indexes.is_dir() else ():
            if match := _FILE.fullmatch(path.name):
                found.setdefault(match["space"], []).append(path)
        return found
