"""Inputs of bulk embedding, divided into parts that workers read independently."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol
from urllib.parse import quote

from trainer.contract.errors import TrainerError
from trainer.contract.files import LONGEST_LINE, UNREADABLE
from trainer.data.corpus.corpus import DESCRIPTION, Corpus
from trainer.data.corpus.records import InputRecord, RecordProblem
from trainer.data.inputs import json_lines
from trainer.data.inputs.source import Source, unreadable_reason
from trainer.data.inputs.values import first, text

Entry = InputRecord | RecordProblem


@dataclass(frozen=True)
class InputPart:
    """A range of consecutive entries: from `start` to `end`, exclusive.

    The unit is rows, lines, bytes or ids, depending on the input.
    """

    start: int
    end: int
    count: int


class Input(Protocol):
    """Papers to embed. `stamp` identifies the content; empty if the input may grow."""

    path: Path
    stamp: str

    def parts(self, papers: int) -> Iterator[InputPart]:
        """Divide the input into parts of `papers` entries; the last may be smaller."""

    def read(self, part: InputPart) -> Iterator[Entry]:
        """Read the entries of a part in order: papers, or the problems with them."""


def open_input(path: Path) -> Input:
    """Open a corpus, JSON lines (.gz too), parquet or the app's library. Raises TrainerError."""
    if path.is_dir():
        return CorpusRows(path)
    with _telling(path):
        head = Source(path).head().lstrip(b"\xef\xbb\xbf \r\n\t")
    if head.startswith(b"SQLite format 3\x00"):
        return LibraryInput(path)
    if head.startswith(b"PAR1"):
        return Parquet(path)
    if not head or head.startswith(b"{"):
        return JsonLines(path)
    raise TrainerError(
        f"{path} is not a corpus, JSON Lines file, Parquet table or SciRead library.",
        "Create a corpus from the file: sciread-trainer prepare FILES --output DIR",
    )


class CorpusRows:
    """The papers of a corpus, by row."""

    def __init__(self, path: Path) -> None:
        if not (path / DESCRIPTION).exists():
            raise TrainerError(
                f"The folder {path} is not a corpus.",
                "List the files in the folder individually: DIR/*.jsonl",
            )
        self.path = path
        self._corpus = Corpus.open(path, verify=False)
        self.stamp = self._corpus.sha256

    def parts(self, papers: int) -> Iterator[InputPart]:
        return _equal_parts(self._corpus.papers, papers)

    def read(self, part: InputPart) -> Iterator[Entry]:
        self._corpus.check()
        columns = (self._corpus.ids, self._corpus.titles, self._corpus.abstracts)
        for row in range(part.start, part.end):
            yield _record(f"row {row}", *(column[row] for column in columns))


class JsonLines:
    """JSON lines, as SciRead and arXiv's snapshot write them.

    Parts are ranges of bytes; for a gzipped file, which can only be read forward, ranges of lines.
    A worker's parts are mostly consecutive.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stamp = str(path.stat().st_size)
        with path.open("rb") as file:
            self._packed = file.read(2) == b"\x1f\x8b"
        self._next = 0
        self._lines: Iterator[tuple[int, bytes]] | None = None

    def parts(self, papers: int) -> Iterator[InputPart]:
        """Yield parts of `papers` papers; the last may have fewer. Blank lines count as none. Reads
        the whole file."""
        start = end = count = 0
        with _telling(self.path), Source(self.path).open() as stream:
            for length, line in _lines(stream):
                if count == papers:
                    yield InputPart(start, end, count)
                    start, count = end, 0
                end += 1 if self._packed else length
                count += not line.isspace()
        if count:
            yield InputPart(start, end, count)

    def read(self, part: InputPart) -> Iterator[Entry]:
        """Yield the papers and unreadable entries of a part, each with its position for
        messages."""
        lines, unit = (
            (self._packed_lines(part), "line")
            if self._packed
            else (self._plain_lines(part), "byte")
        )
        with _telling(self.path):
            for at, line in lines:
                if not line.isspace():
                    yield json_lines.paper_of_line(line, f"{unit} {at + 1:,}")

    def _plain_lines(self, part: InputPart) -> Iterator[tuple[int, bytes]]:
        with Source(self.path).open() as stream:
            at = stream.seek(part.start)
            lines = _lines(stream)
            while at < part.end:
                length, line = next(lines, (part.end, b"\n"))
                yield at, line
                at += length

    def _packed_lines(self, part: InputPart) -> Iterator[tuple[int, bytes]]:
        if self._lines is None or self._next > part.start:
            self._lines, self._next = _lines(Source(self.path).open()), 0
        while self._next < part.end:
            _, line = next(self._lines, (0, b"\n"))
            self._next += 1
            if self._next > part.start:
                yield self._next - 1, line


class Parquet:
    """A table with columns `title` and `abstract`, or one of them, and `id` if papers have one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stamp = str(path.stat().st_size)
        try:
            from pyarrow import ArrowException, parquet
        except ImportError as error:
            raise TrainerError(
                f"Reading {path.name} requires pyarrow.", "Run: pip install 'sciread[parquet]'"
            ) from error
        self._broken: type[Exception] = ArrowException
        with self._telling():
            self._table = parquet.ParquetFile(path, memory_map=True)
        known = ("id", "paper_id", "title", "abstract", "abstr")
        self._columns = [name for name in self._table.schema_arrow.names if name in known]
        if not {"title", "abstract", "abstr"}.intersection(self._columns):
            raise TrainerError(
                f"The table {path} has no column of titles or abstracts.",
                f"The columns are: {', '.join(self._table.schema_arrow.names[:20])}.",
            )

    def parts(self, papers: int) -> Iterator[InputPart]:
        return _equal_parts(self._table.metadata.num_rows, papers)

    def read(self, part: InputPart) -> Iterator[Entry]:
        groups, at = self._groups(part)
        with self._telling():
            for batch in self._table.iter_batches(1_024, groups, self._columns):
                if at + batch.num_rows > part.start:
                    for row, values in enumerate(batch.to_pylist(), start=at):
                        if part.start <= row < part.end:
                            yield _of_values(values, f"row {row + 1:,}")
                at += batch.num_rows

    def _groups(self, part: InputPart) -> tuple[list[int], int]:
        """Row groups that contain the part, and the first row of the first group."""
        groups: list[int] = []
        start = end = 0
        for number in range(self._table.metadata.num_row_groups):
            begin, end = end, end + self._table.metadata.row_group(number).num_rows
            if begin < part.end and end > part.start:
                start = start if groups else begin
                groups.append(number)
        return groups, start

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (self._broken, OSError) as error:
            raise TrainerError(
                f"The table {self.path} is invalid: {error}.", "Copy or download it again."
            ) from error


class LibraryInput:
    """The app's library, without papers in the trash. Ids are those of the library."""

    stamp = ""

    def __init__(self, path: Path) -> None:
        self.path = path

    def parts(self, papers: int) -> Iterator[InputPart]:
        with self._open() as db:
            ids = [number for (number,) in db.execute(_NUMBERS)]
        for at in range(0, len(ids), papers):
            some = ids[at : at + papers]
            yield InputPart(some[0], some[-1] + 1, len(some))

    def read(self, part: InputPart) -> Iterator[Entry]:
        with self._open() as db:
            for number, title, abstract in db.execute(_PAPERS, (part.start, part.end)):
                yield _record(f"paper {number}", str(number), title, abstract)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        address = f"file:{quote(str(self.path.absolute()))}?mode=ro"
        try:
            with closing(sqlite3.connect(address, uri=True)) as db:
                yield db
        except sqlite3.Error as error:
            raise TrainerError(
                f"The library {self.path} could not be read: {error}.",
                "The file is usually named library.sqlite3. If it is on a network drive, copy "
                "it to this machine.",
            ) from error


_NUMBERS = "SELECT id FROM papers WHERE trashed IS NULL ORDER BY id"
_PAPERS = """
    SELECT id, title, abstract FROM papers
    WHERE trashed IS NULL AND id >= ? AND id < ? ORDER BY id
"""


def _equal_parts(rows: int, papers: int) -> Iterator[InputPart]:
    for start in range(0, rows, papers):
        end = min(start + papers, rows)
        yield InputPart(start, end, end - start)


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the size of each line in bytes and the line, truncated if it is too long."""
    while line := stream.readline(LONGEST_LINE):
        length, rest = len(line), line
        while not rest.endswith(b"\n") and (rest := stream.readline(LONGEST_LINE)):
            length += len(rest)
        yield length, line


def _of_values(values: dict[str, Any], entry: str) -> Entry:
    name = text(first(values, "id", "paper_id"))
    title, abstract = text(values.get("title")), text(first(values, "abstract", "abstr"))
    return _record(entry, name, title, abstract)


def _record(entry: str, name: str, title: str, abstract: str) -> Entry:
    if title or abstract:
        return InputRecord(name, title, abstract)
    return RecordProblem(name or entry, "This paper has neither a title nor an abstract.")


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    try:
        yield
    except UNREADABLE as error:
        raise TrainerError(f"{path}: {unreadable_reason(error)}") from error
