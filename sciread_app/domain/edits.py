"""What a person has changed in the library."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """`at` is in seconds since 1970; `what` is for a person: "Tagged 3 papers “to read”"."""

    id: int
    at: float
    what: str
