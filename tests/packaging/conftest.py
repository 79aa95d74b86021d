"""The scripts of packaging/ are no package: they find one another by their names."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
# Behind all others: what others mean by `wheel` or `build` is not ours.
sys.path += [str(PACKAGING / name) for name in ("", "linux", "macos", "windows")]


def script(name: str) -> ModuleType:
    """A script that bears the name of somebody else's module."""
    path = PACKAGING / name
    spec = importlib.util.spec_from_file_location(f"script_{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def linux() -> ModuleType:
    before = list(sys.path)
    module = script("linux/build.py")
    sys.path[:] = before
    return module


@pytest.fixture(scope="session")
def share(tmp_path_factory, linux) -> Path:
    """All that a desktop and a terminal look for, as it is installed below share/."""
    place = tmp_path_factory.mktemp("made") / "share"
    linux.share(place)
    return place


@pytest.fixture
def program(tmp_path) -> Path:
    """In place of the frozen program: it says what it was called with."""
    folder = tmp_path / "SciRead"
    (folder / "_internal").mkdir(parents=True)
    (folder / "_internal" / "part").write_text("of the program")
    start = folder / "sciread"
    start.write_text('#!/bin/sh\necho "started with:" "$@"\n')
    start.chmod(0o755)
    return folder
