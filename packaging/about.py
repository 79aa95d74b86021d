"""The program's description in program.toml and its version, for all packages."""

from __future__ import annotations

import os
import re
import subprocess
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class FileType:
    suffixes: tuple[str, ...]
    mime: str
    title: str
    uti: str
    known: bool
    ours: bool
    magic: str = ""


ABOUT: dict[str, Any] = tomllib.loads((ROOT / "packaging" / "program.toml").read_text("utf-8"))
FILES = tuple(FileType(**{**one, "suffixes": tuple(one["suffixes"])}) for one in ABOUT["file"])


def version() -> str:
    """Return the version in sciread_app/__init__.py, without importing it."""
    text = (ROOT / "sciread_app" / "__init__.py").read_text("utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.M)
    assert found, "sciread_app/__init__.py names no __version__"
    return found[1]


def made_at() -> int:
    """Return the timestamp for built files: SOURCE_DATE_EPOCH, else that of the last commit."""
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(epoch)
    log = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return int(log.stdout) if log.stdout.strip() else int(time.time())


def day() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(made_at()))
