"""Vector files written by other programs, read without executing their content.

FILE.jsonl, FILE.jsonl.gz   one paper per line: {"paper_id": ..., "embedding": [...]}, as in
                            SciDocs; an empty list means no vector. Several vectors of one paper,
                            such as those of Multi2SPE, are summed
FILE.npy                    one row per paper, with the ids in FILE.ids.json, FILE.ids.txt, ids.json
                            or ids.txt in the same folder
FOLDER                      a folder of such files, or an output folder of `sciread-trainer embed`
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.package import file_hash
from trainer.contract.report import EvaluatedModel
from trainer.embedding.shards import PLAN, VECTORS, ShardPlan
from trainer.encoders.base import EncodedTask
from trainer.evaluations.base import EvaluationTask, TextInput, Vectors

_LINES = (".jsonl", ".jsonl.gz")
_IDS = ("paper_id", "id", "_id", "doc_id")
_NUMBERS = ("embedding", "vector")
_ONCE = "Each paper must have one vector."
_HOW_TO_SAVE = (
    "Save an array of floats with one row per paper, and the IDs as a JSON list in NAME.ids.json."
)


def is_vectors(path: Path) -> bool:
    """Whether a file or folder appears to hold vectors."""
    if path.is_dir():
        if any((path / name).exists() for name in ("package.json", "config.json", "modules.json")):
            return False
        return bool(_files_in(path))
    return path.name.endswith((*_LINES, ".npy"))


def open_vectors(path: Path, found: str = "") -> VectorFiles:
    """Read the ids, and the vectors of JSON lines; arrays stay on disk.

    Raises TrainerError, naming file and line.
    """
    files = _files_in(path) if path.is_dir() else [path]
    table = _VectorTable()
    for file in files:
        try:
            vectors = _read_array(file) if file.suffix == ".npy" else _read_lines(file)
            table.add_all(vectors, file)
        except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise TrainerError(
                f"{file} could not be read: {why}.", "Copy the file again."
            ) from error
    if not table.rows and not table.empty:
        raise TrainerError(f"{path} contains no vectors.", "Specify a file of vectors.")
    return VectorFiles(table, _subject(path, found or str(path), files, table.dim))


@dataclass
class _VectorTable:
    """Vectors by paper id, and ids of papers without a vector."""

    rows: dict[str, NDArray[np.floating]] = field(default_factory=dict)
    empty: set[str] = field(default_factory=set)
    dim: int = 0

    def add_all(self, vectors: Iterable[tuple[str, NDArray[np.floating]]], file: Path) -> None:
        seen: set[str] = set()
        for name, vector in vectors:
            if name in seen:
                raise TrainerError(f"{file} contains two vectors of {name!r}.", _ONCE)
            seen.add(name)
            self._add(name, vector, file)

    def _add(self, name: str, vector: NDArray[np.floating], file: Path) -> None:
        # SciDocs has one file per task, and some papers are in two of them.
        if name in self.rows or name in self.empty:
            if not np.array_equal(self.rows.get(name, np.empty(0)), vector):
                raise TrainerError(
                    f"{file} contains a vector of {name!r} that differs from an earlier one.", _ONCE
                )
            return
        if not vector.size:
            self.empty.add(name)
            return
        self.dim = self.dim or vector.size
        if vector.size != self.dim:
            raise TrainerError(
                f"The vector of {name!r} in {file} has {vector.size} dimensions, the others "
                f"have {self.dim}.",
                "All vectors must come from the same model.",
            )
        self.rows[name] = vector


class VectorFiles:
    """Encoder for precomputed vectors, looked up by id; texts are ignored."""

    def __init__(self, table: _VectorTable, subject: EvaluatedModel) -> None:
        self._table, self.subject = table, subject

    def unsupported_reason(self, task: EvaluationTask) -> str:
        typed = _typed(task.queries, task.papers)
        known = any(query.id in self._table.rows for query in typed)
        return "" if known or not typed else "there are no vectors of the queries"

    def encode(self, papers: Sequence[TextInput], queries: Sequence[TextInput] = ()) -> EncodedTask:
        """Look up vectors; ids not in the files are missing, ids without numbers are empty."""
        typed = self._of(_typed(queries, papers)) if queries else None
        return EncodedTask(self._of(papers), typed, None)

    def _of(self, papers: Sequence[TextInput]) -> Vectors:
        ids = [paper.id for paper in papers]
        there = [name for name in ids if name in self._table.rows]
        rows = [self._table.rows[name] for name in there]
        matrix = np.stack(rows) if rows else np.empty((0, self._table.dim))
        if matrix.dtype == np.float16:
            matrix = matrix.astype(np.float32)
        return Vectors(there, matrix, frozenset(self._table.empty.intersection(ids)))


def _typed(queries: Sequence[TextInput], papers: Sequence[TextInput]) -> list[TextInput]:
    """Queries whose id is not that of a paper: the vector of such an id is the paper's."""
    names = {paper.id for paper in papers}
    return [query for query in queries if query.id not in names]


def _files_in(folder: Path) -> list[Path]:
    if (folder / PLAN).exists():
        return sorted(folder.glob(f"shards/*/{VECTORS}"))
    return sorted(path for path in folder.iterdir() if path.name.endswith((*_LINES, ".npy")))


def _read_lines(file: Path) -> Iterator[tuple[str, NDArray[np.floating]]]:
    with gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield _entry(json.loads(line))
            except (ValueError, TypeError, RecursionError) as error:
                raise TrainerError(
                    f"Line {number:,} of {file} is not a vector: {error}",
                    'Format of a line: {"paper_id": "...", "embedding": [0.1, ...]}.',
                ) from error


def _entry(found: Any) -> tuple[str, NDArray[np.floating]]:
    """Parse an entry. Raises ValueError, TypeError."""
    if not isinstance(found, dict):
        raise TypeError("not a JSON object")
    name = next((found[key] for key in _IDS if key in found), None)
    numbers = next((found[key] for key in _NUMBERS if key in found), None)
    if not isinstance(name, str | int) or not isinstance(numbers, list):
        raise TypeError(f"no {_IDS[0]} or no {_NUMBERS[0]}")
    vector = np.asarray(numbers, np.float64)
    # Several vectors of a paper are summed, as in Multi2SPE.
    return str(name), vector.sum(axis=0) if vector.ndim == 2 else vector


def _read_array(file: Path) -> Iterator[tuple[str, NDArray[np.floating]]]:
    """Read an array with memory mapping: rows are loaded on access."""
    try:
        matrix = np.load(file, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise TrainerError(f"{file} is not an array of numbers: {error}", _HOW_TO_SAVE) from error
    ids = _ids_of(file)
    if matrix.ndim != 2 or len(matrix) != len(ids) or matrix.dtype.kind != "f":
        raise TrainerError(
            f"{file} has type {matrix.dtype} and shape {matrix.shape}, with {len(ids):,} IDs.",
            _HOW_TO_SAVE,
        )
    return zip(ids, matrix, strict=True)


def _ids_of(file: Path) -> list[str]:
    stem = file.with_suffix("").name
    names = (f"{stem}.ids.json", f"{stem}.ids.txt", "ids.json", "ids.txt")
    path = next((path for name in names if (path := file.with_name(name)).is_file()), None)
    if path is None:
        raise TrainerError(f"{file} has no IDs file next to it.", _HOW_TO_SAVE)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".txt":
        return text.split()
    try:
        ids = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TrainerError(f"{path} is damaged: {error}", _HOW_TO_SAVE) from error
    if not isinstance(ids, list):
        raise TrainerError(f"{path} is not a list of IDs.", _HOW_TO_SAVE)
    return [str(name) for name in ids]


def _subject(path: Path, found: str, files: Sequence[Path], dim: int) -> EvaluatedModel:
    plan = ShardPlan.read(path) if path.is_dir() else None
    return EvaluatedModel(
        id=path.resolve().name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".npy"),
        title=plan.model if plan else path.name,
        kind="vectors",
        found=found,
        space=plan.space if plan else "",
        dim=dim,
        about={
            "files": {file.relative_to(path.parent).as_posix(): file_hash(file) for file in files}
        },
    )
