"""Papers out of the library, into the files that other programs read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TextIO

from sciread_app.domain.paper import Paper
from sciread_app.errors import LibraryError
from sciread_app.formats import bibtex, csl_json, jsonl, ris
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

_BATCH = 500


class Format(StrEnum):
    bibtex = "bibtex"
    biblatex = "biblatex"
    ris = "ris"
    csl_json = "csl-json"
    jsonl = "jsonl"


_WRITERS: dict[Format, Callable[[Iterable[Paper], TextIO], None]] = {
    Format.bibtex: bibtex.write,
    Format.biblatex: partial(bibtex.write, dialect="biblatex"),
    Format.ris: ris.write,
    Format.csl_json: csl_json.write,
    Format.jsonl: jsonl.write,
}


def write(library: Library, ids: Sequence[int], format: Format, stream: TextIO, task: Task) -> None:
    """Write these papers, in this order."""
    _WRITERS[format](_papers(library, ids, task), stream)


def write_file(
    library: Library, ids: Sequence[int], format: Format, path: Path, task: Task
) -> None:
    """Write these papers to a file, whole or not at all: what stood there stays until then."""
    half = path.with_name(path.name + ".new")
    try:
        with half.open("w", encoding="utf-8", newline="\n") as stream:
            write(library, ids, format, stream, task)
            stream.flush()
            os.fsync(stream.fileno())
        half.replace(path)
    except OSError as error:
        raise LibraryError(
            f"{path} cannot be written: {error.strerror}.", "Choose another place for the file."
        ) from error
    finally:
        half.unlink(missing_ok=True)


def _papers(library: Library, ids: Sequence[int], task: Task) -> Iterator[Paper]:
    for start in range(0, len(ids), _BATCH):
        task.step(start, len(ids), "Writing")
        yield from library.get(ids[start : start + _BATCH])
    task.step(len(ids), len(ids), "Writing")
