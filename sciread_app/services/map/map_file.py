"""The files of a map: named arrays, written completely or not at all, and verified when read."""

from __future__ import annotations

import logging
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

log = logging.getLogger(__name__)

Arrays = Mapping[str, NDArray[Any]]


def write_arrays(path: Path, arrays: Arrays) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    with new.open("wb") as file:
        np.savez(file, **dict(arrays))  # type: ignore[arg-type]
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def read_arrays(path: Path) -> dict[str, NDArray[Any]] | None:
    """Return the arrays; None if the file is missing or damaged, which checksums reveal."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zipfile.LargeZipFile):
        log.warning("%s is damaged and is created again", path.name)
        return None
