"""A file of a paper, as it is found where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PaperFile:
    """`size` is in bytes, `pages` 0 where nobody has counted them. `problem` says why there is no
    text of it in the index."""

    path: Path
    size: int = 0
    pages: int = 0
    missing: bool = False
    problem: str = ""
