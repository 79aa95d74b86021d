"""What a person has changed in the library."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """`at` is in seconds since 1970; `what` is for a person: "Tagged 3 papers “to read”"; `title`
    is that of the paper it changed, empty if there was not exactly one."""

    id: int
    at: float
    what: str
    title: str = ""
