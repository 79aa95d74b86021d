"""Readers for the files of suites: JSON lines and tables, gzipped or not."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from trainer.contract.errors import TrainerError
from trainer.evaluations.base import TextInput


def find_file(folder: Path, *names: str) -> Path:
    """Path of the first of these files that exists, gzipped or not. Raises TrainerError."""
    for name in names:
        for path in (folder / name, folder / f"{name}.gz"):
            if path.is_file():
                return path
    raise TrainerError(
        f"{folder} does not contain {' or '.join(names)}.", "Copy the file to this folder."
    )


def has_file(folder: Path, *names: str) -> bool:
    """Whether `find_file` would find one."""
    return any((folder / f"{name}{end}").is_file() for name in names for end in ("", ".gz"))


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """Open a text file, gzipped or not. Raises TrainerError if it cannot be read to its end."""
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            yield io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise TrainerError(f"{path} could not be read: {why}.", "Copy the file again.") from error


def read_rows(path: Path, at_least: int) -> Iterator[list[str]]:
    """Read the columns of each line, separated by tabs, in a .csv by commas.

    Raises TrainerError for a line with fewer than `at_least` columns.
    """
    with open_text(path) as lines:
        commas = path.name.removesuffix(".gz").endswith(".csv")
        split = csv.reader(lines) if commas else (line.rstrip("\r\n").split("\t") for line in lines)
        for number, row in enumerate(split, start=1):
            if not any(row):
                continue
            if len(row) < at_least:
                raise TrainerError(
                    f"Line {number:,} of {path} has {len(row)} columns instead of {at_least}.",
                    "Columns are separated by commas."
                    if commas
                    else "Columns are separated by tabs.",
                )
            yield row


def unique_values(pairs: Iterable[tuple[str, str]], path: Path) -> dict[str, str]:
    """Build a mapping. Raises TrainerError if a name has two different values."""
    found: dict[str, str] = {}
    for name, value in pairs:
        if found.setdefault(name, value) != value:
            raise TrainerError(
                f"{path} contains two values for {name!r}: {found[name]!r} and {value!r}.",
                "Remove one of the values.",
            )
    return found


def build_qrels(rows: Iterable[tuple[str, str, int]], path: Path) -> dict[str, dict[str, int]]:
    """Build qrels: relevance by query and paper. Raises TrainerError for contradicting grades."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for query, paper, grade in rows:
        if found[query].setdefault(paper, grade) != grade:
            raise TrainerError(
                f"{path} contains two different judgments of {paper!r} for {query!r}.",
                "Remove one of the values.",
            )
    return dict(found)


def read_json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read a JSON object from each line. Raises TrainerError, naming file and line."""
    with open_text(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise TrainerError(
                    f"Line {number:,} of {path} is not valid JSON: {error}."
                ) from error
            if not isinstance(found, dict):
                raise TrainerError(f"Line {number:,} of {path} is not a JSON object.")
            yield found


def paper_from_json(found: dict[str, Any], path: Path) -> TextInput:
    """Create a paper from a JSON object. Raises TrainerError if it has no id."""
    name = next((found[key] for key in ("id", "paper_id", "_id") if found.get(key)), None)
    if not isinstance(name, str | int):
        raise TrainerError(f"A paper in {path} has no ID.", 'Give each paper an "id".')
    title, abstract = (found.get(key) or "" for key in ("title", "abstract"))
    abstract = abstract or found.get("text") or ""
    return TextInput(str(name), str(title), str(abstract))


def read_papers(path: Path) -> dict[str, TextInput]:
    """Read papers by id from JSON lines. Raises TrainerError for duplicate ids."""
    found: dict[str, TextInput] = {}
    for described in read_json_lines(path):
        paper = paper_from_json(described, path)
        if paper.id in found:
            raise TrainerError(
                f"{path} contains the paper {paper.id!r} twice.", "Each ID must occur once."
            )
        found[paper.id] = paper
    return found
