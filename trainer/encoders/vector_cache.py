"""On-disk cache of vectors, in files of some hundreds.

<cache>/<key>/<name>.npz   keys, vectors, tokens, cut and seconds of some texts, one row per text.
                           <key> is a hash of everything that determines the vectors: the model's
                           space and files, the precision and the trainer's version

Files are written atomically: a process may be killed at any time, and any number of processes may
share the folder. Vectors are not normalized. Once all files together exceed the limit, the least
recently used are deleted.
"""

from __future__ import annotations

import os
import time
import uuid
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import platformdirs
from numpy.typing import NDArray

LIMIT = 4 << 30
_KEY_BYTES = 16
_SUFFIX, _UNFINISHED = ".npz", ".new"
# Age in seconds after which an unfinished file was left by a process that has ended.
_FORGOTTEN = 86_400.0


def cache_folder() -> Path:
    """The cache folder: in SCIREAD_HOME if set, else in the system's cache directory."""
    home = os.environ.get("SCIREAD_HOME")
    if home:
        return Path(home).expanduser() / "cache" / "vectors"
    return Path(platformdirs.user_cache_dir("SciRead", appauthor=False)) / "vectors"


def text_key(title: str, abstract: str) -> bytes:
    """Cache key of a text: a hash of title and abstract."""
    title_bytes, abstract_bytes = (
        text.encode("utf-8", "surrogatepass") for text in (title, abstract)
    )
    content = b"%d:%b%b" % (len(title_bytes), title_bytes, abstract_bytes)
    return blake2b(content, digest_size=_KEY_BYTES).digest()


@dataclass(frozen=True, eq=False)
class CachedVectors:
    """Columns by text: vector, token count, whether it was truncated, and encoding seconds."""

    vectors: NDArray[np.float32]
    tokens: NDArray[np.int64]
    cut: NDArray[np.bool_]
    seconds: NDArray[np.float64]

    @classmethod
    def empty(cls, texts: int, dim: int) -> CachedVectors:
        return cls(
            np.zeros((texts, dim), np.float32),
            np.zeros(texts, np.int64),
            np.zeros(texts, np.bool_),
            np.zeros(texts, np.float64),
        )

    def put(self, rows: Any, other: CachedVectors, at: Any = slice(None)) -> None:
        """Copy `other`'s rows `at` into these `rows`."""
        for name in (field.name for field in fields(self)):
            getattr(self, name)[rows] = getattr(other, name)[at]


class _Hits(NamedTuple):
    """Matches of a cache file: the requested rows, the file's data, and their rows in it."""

    wanted: NDArray[np.intp]
    rows: CachedVectors
    at: NDArray[np.intp]


class VectorCache:
    """A folder of cached vectors of at most `limit` bytes."""

    def __init__(self, folder: Path | None = None, limit: int = LIMIT) -> None:
        self.folder = folder or cache_folder()
        self._limit = limit

    def read(self, key: str, texts: Sequence[bytes], found: CachedVectors) -> NDArray[np.bool_]:
        """Fill the rows of `found` whose `texts` are cached; return a mask of these rows."""
        places = {text: row for row, text in enumerate(texts)}
        there = np.zeros(len(texts), np.bool_)
        dim = found.vectors.shape[1]
        for path in sorted((self.folder / key).glob(f"*{_SUFFIX}")):
            if hits := _known(path, places, dim):
                found.put(hits.wanted, hits.rows, hits.at)
                there[hits.wanted] = True
        return there

    def write(self, key: str, texts: Sequence[bytes], rows: CachedVectors) -> None:
        """Add vectors to the cache. Raises OSError, leaving the cache unchanged."""
        folder = self.folder / key
        folder.mkdir(parents=True, exist_ok=True)
        name = uuid.uuid4().hex
        unfinished = folder / (name + _UNFINISHED)
        keys = np.frombuffer(b"".join(texts), np.uint8).reshape(len(texts), _KEY_BYTES)
        try:
            with unfinished.open("wb") as file:
                np.savez(file, keys=keys, **vars(rows))
            unfinished.replace(folder / (name + _SUFFIX))
        finally:
            unfinished.unlink(missing_ok=True)
        self._trim()

    def _trim(self) -> None:
        files = sorted(_files(self.folder), key=lambda file: file[0])
        excess = sum(size for _, size, _ in files) - self._limit
        for changed, size, path in files:
            old = path.suffix == _UNFINISHED and changed < time.time() - _FORGOTTEN
            if old or (excess > 0 and path.suffix == _SUFFIX):
                path.unlink(missing_ok=True)
                excess -= size


def _known(path: Path, places: Mapping[bytes, int], dim: int) -> _Hits | None:
    """Read the texts in `places` from a file; a damaged file is removed."""
    try:
        with np.load(path, allow_pickle=False) as piece:
            keys = [bytes(key) for key in piece["keys"]]
            at = [row for row, key in enumerate(keys) if key in places]
            if not at:
                return None
            rows = CachedVectors(
                **{field.name: piece[field.name] for field in fields(CachedVectors)}
            )
        if rows.vectors.shape != (len(keys), dim) or len(rows.tokens) != len(keys):
            raise ValueError("it belongs to another model")
    except FileNotFoundError:
        return None  # another process has just trimmed
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        path.unlink(missing_ok=True)
        return None
    with suppress(OSError):
        path.touch()  # used just now
    return _Hits(np.array([places[keys[row]] for row in at]), rows, np.array(at))


def _files(folder: Path) -> Iterator[tuple[float, int, Path]]:
    for path in folder.glob("*/*"):
        with suppress(OSError):
            found = path.stat()
            yield found.st_mtime, found.st_size, path
