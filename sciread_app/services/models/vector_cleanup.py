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


def unneeded_spaces(library: Library, home: Home) -> list[str]:
    """Return the spaces of no model that is installed, in the trash, active, or was active before.

    The list is empty if any package cannot be read, since it may be repaired and its vectors have
    taken hours, and if the library does not record which model is active.
    """
    state = library.active_model.state()
    folders = home.models.iterdir() if home.models.is_dir() else ()
    try:
        installed = {
            starter_package(hashes=False).space,
            *(
                read_package(folder, hashes=False).space
                for folder in folders
                if (folder / "package.json").is_file() and folder.suffix != ".new"
            ),
        }
    except PackageRefused:
        return []
    if state is None:
        return []
    kept = installed | {ref.space for ref in (state.active, *state.earlier)}
    for file in (home.trash / "models").glob("*/package.json"):
        with suppress(PackageRefused):
            kept.add(read_package(file.parent, hashes=False).space)
    return sorted((library.spaces() | set(_index_files(home))) - kept)


def remove_unneeded_spaces(library: Library, home: Home) -> list[str]:
    """Remove the vectors and index files of unneeded spaces, and return the spaces. After a kill
    the next call removes the rest."""
    unneeded = unneeded_spaces(library, home)
    for space in unneeded:
        library.drop_vectors(space)
        for path in _index_files(home).get(space, ()):
            # Another program may still have it open; then the next call removes it.
            with suppress(OSError):
                path.unlink()
    return unneeded


def _index_files(home: Home) -> dict[str, list[Path]]:
    """Return the files in the folder `indexes` by their space."""
    found: dict[str, list[Path]] = {}
    for path in home.indexes.iterdir() if home.indexes.is_dir() else ():
        if match := _FILE.fullmatch(path.name):
            found.setdefault(match["space"], []).append(path)
    return found
