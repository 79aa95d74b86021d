"""Collections that are kept as a file, beside a text that somebody writes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeptFile:
    """`written` is the SHA-256 of what was written last, `at` when, in seconds since 1970; empty
    and 0 before the first time. `problem`: why the file is behind its collection, for a person."""

    collection: str  # full path: "thesis/chapter 2"
    path: str
    format: str
    written: str = ""
    at: float = 0.0
    problem: str = ""
