"""Numbers derived from a corpus: computed once, and cached beside it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from filelock import FileLock
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.data.corpus.columns import numbers, write_numbers


def key_of(*parts: object) -> str:
    """Return the name of what depends on these parts, each of which must have a stable repr."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def cached_numbers(folder: Path, name: str, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    """Return the numbers in the file `name` of the folder, in one dimension; `make` computes them
    if they are not there.

    The extension of the file is the type of the numbers. Of several processes that need them at
    once, one computes them and the others wait. Raises TrainerError if they cannot be saved.
    """
    try:
        if not (folder / name).is_file():
            folder.parent.mkdir(exist_ok=True)
            with FileLock(folder.with_suffix(".lock")):
                if not (folder / name).is_file():
                    unfinished = folder.with_name(f"{folder.name}.new")
                    shutil.rmtree(unfinished, ignore_errors=True)
                    unfinished.mkdir()
                    write_numbers(unfinished / name, make())
                    unfinished.rename(folder)
    except OSError as error:
        raise TrainerError(
            f"{folder / name} could not be saved: {error.strerror or error}.",
            "It is saved in the corpus folder. Check the free disk space and the permissions.",
        ) from error
    return numbers(folder / name)
