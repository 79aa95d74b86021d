"""Versions of the trainer and its libraries."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

NAME = "sciread"  # name of the distribution that the trainer is part of
# Present in a trainer that was copied without being installed, as by a job.
_COPIED = Path(__file__).with_name("VERSION")


def trainer_version() -> str:
    return f"{NAME} {version_of(NAME)}"


def version_of(name: str) -> str:
    if name == NAME and _COPIED.is_file():
        return _COPIED.read_text("utf-8").strip()
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
