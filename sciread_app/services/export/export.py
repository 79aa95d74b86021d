"""Export of papers to files of other programs."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TextIO

from sciread_app.domain.paper import Identifier, Paper, PaperId
from sciread_app.domain.query.parser import parse
from sciread_app.errors import BadQuery, LibraryError
from sciread_app.formats import jsonl
from sciread_app.formats.bibtex import reader as bibtex
from sciread_app.formats.csl import reader as csl_json
from sciread_app.formats.ris import reader as ris
from sciread_app.language import tr
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

_BATCH = 500
_HALF = ".sciread-new"  # suffix of the hidden file that is written beside the target
_STALE = 3600  # age in seconds after which such a file is abandoned


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


SUFFIXES = {
    ".bib": Format.bibtex,
    ".ris": Format.ris,
    ".json": Format.csl_json,
    ".jsonl": Format.jsonl,
}


def format_of(path: Path) -> Format:
    """The format for a file of this name. Raises LibraryError."""
    if path.suffix.lower() not in SUFFIXES:
        raise LibraryError(
            tr("SciRead cannot tell the export format from the file name {file}.", file=path.name),
            tr(
                "Use one of the extensions {endings}, or specify the format.",
                endings=", ".join(SUFFIXES),
            ),
        )
    return SUFFIXES[path.suffix.lower()]


def selected_by(library: Library, text: str) -> list[PaperId]:
    """The papers that contain every word of a query and meet its conditions.

    They are ordered by id, so that the same papers give the same file. Raises BadQuery for queries
    by example, which only rank papers.
    """
    query = parse(text)
    if query.has_examples or query.unlike or query.named_unlike:
        raise BadQuery(
            tr(
                "A query with “like:” cannot be exported: it ranks papers, but does not select any."
            ),
            tr("Find papers with `sciread find`, tag the papers to export, and export `tag:NAME`."),
        )
    if query.identifier:
        return library.with_identifier(query.identifier)
    every = " AND ".join(term.expression for term in query.terms)
    return [PaperId(id) for id in library.matching(query.conditions, every).tolist()]


def write(library: Library, ids: Sequence[int], format: Format, stream: TextIO, task: Task) -> None:
    """Write these papers to a stream, in this order.

    The citation key that a paper gets in a bibliography is fixed from then on; see
    storage/papers/citekeys.py.
    """
    papers = _papers(library, ids, task)
    if format is not Format.jsonl:  # our own format, exported unchanged
        papers = _keyed(papers, library.citekeys.pin(ids))
    _WRITERS[format](papers, stream)


def write_file(
    library: Library, ids: Sequence[int], format: Format, path: Path, task: Task
) -> None:
    """Write these papers to a file, completely or not at all; until then the old file stays."""
    with _whole(path) as stream:
        write(library, ids, format, stream, task)


def write_text(text: str, path: Path, look: Callable[[], None] = lambda: None) -> None:
    """Write a text to a file, completely or not at all.

    `look` is called just before the file is replaced, and may raise to keep the old one.
    """
    with _whole(path, look) as stream:
        stream.write(text)


@contextmanager
def _whole(path: Path, look: Callable[[], None] = lambda: None) -> Iterator[TextIO]:
    path = path.resolve()  # write to the target of a link and keep the link
    half = path.with_name(f".{path.name}{_HALF}")
    try:
        _drop_halves(path.parent)
        with half.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            shutil.copymode(path, half)
        look()
        half.replace(path)
    except OSError as error:
        raise LibraryError(
            tr("Could not write {file}: {why}.", file=path, why=error.strerror),
            tr("Select another location for the file."),
        ) from error
    finally:
        half.unlink(missing_ok=True)


def _drop_halves(folder: Path) -> None:
    """Delete partial files that killed exports have left in a folder."""
    for half in folder.glob(f".*{_HALF}"):
        with suppress(OSError):
            if time.time() - half.stat().st_mtime > _STALE:
                half.unlink()


def _keyed(papers: Iterable[Paper], keys: Mapping[PaperId, str]) -> Iterator[Paper]:
    for paper in papers:
        assert paper.id is not None  # read from the library
        pinned = Identifier("citekey", keys[paper.id])
        others = tuple(name for name in paper.identifiers if name != pinned)
        yield replace(paper, identifiers=(pinned, *others))


def _papers(library: Library, ids: Sequence[int], task: Task) -> Iterator[Paper]:
    for start in range(0, len(ids), _BATCH):
        task.step(start, len(ids), tr("Writing"))
        yield from library.get(ids[start : start + _BATCH])
    task.step(len(ids), len(ids), tr("Writing"))
