"""Vector and index files: the model each belongs to, and removal of those no longer needed."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from sciread_app.paths import Home
from sciread_app.storage.library import Library
from trainer.contract.errors import PackageRefused
from trainer.contract.package import read_package, starter_package

# Files of a space, as embedding_index.py and map_service.py name them.
_FILE = re.compile(
    r"(?P<space>[^.]+)\.(vectors|hnsw(\.\d+)?|atlas(-neighbours|-state)?)(\.new|\.lock)?"
)


class VectorCleanup:
    """Removes the vectors in the library and the files in `indexes` that no model needs."""

    def __init__(self, library: Library, home: Home) -> None:
        self._library = library
        self._home = home

    def unneeded(self) -> list[str]:
        """Return the spaces of no model that is installed, in the trash, active, or was active
        before.

        The list is empty if any package cannot be read, since it may be repaired and its vectors
        have taken hours, and if the library does not record which model is active.
        """
        installed, state = self._installed_spaces(), self._library.active_model.state()
        if installed is None or state is None:
            return []
        kept = {ref.space for ref in (state.answers, *state.earlier)}
        kept |= installed | self._trashed_spaces()
        return sorted((self._library.spaces() | set(self._files())) - kept)

    def clean(self) -> list[str]:
        """Remove the vectors and files of unneeded spaces, and return the spaces. After a kill the
        next call removes the rest."""
        unneeded = self.unneeded()
        for space in unneeded:
            self._library.drop_vectors(space)
            for path in self._files().get(space, ()):
                # Another program may still have it open; then the next call removes it.
                with suppress(OSError):
                    path.unlink()
        return unneeded

    def _installed_spaces(self) -> set[str] | None:
        """Return the spaces of the installed models; None if a package cannot be read."""
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

    def _trashed_spaces(self) -> set[str]:
        found = set()
        for file in (self._home.trash / "models").glob("*/package.json"):
            with suppress(PackageRefused):
                found.add(read_package(file.parent, hashes=False).space)
        return found

    def _files(self) -> dict[str, list[Path]]:
        """Return the files in the folder `indexes` by their space."""
        found: dict[str, list[Path]] = {}
        for path in self._home.indexes.iterdir() if self._home.indexes.is_dir() else ():
            if match := _FILE.fullmatch(path.name):
                found.setdefault(match["space"], []).append(path)
        return found
