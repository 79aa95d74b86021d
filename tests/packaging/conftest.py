"""Import the scripts of packaging/, which are top-level modules and not a package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
# Last, so that other packages named `wheel` or `build` take precedence over our scripts.
sys.path += [str(PACKAGING / name) for name in ("", "linux", "macos", "windows")]


def script(name: str) -> ModuleType:
    """Load a script whose name is also that of an installed module."""
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
    """Return the share/ folder as installed: desktop entry, icons, man pages and completions."""
    folder = tmp_path_factory.mktemp("made") / "share"
    linux.share(folder)
    return folder


@pytest.fixture
def program(tmp_path) -> Path:
    """Return the folder of a fake frozen program that prints its arguments."""
    folder = tmp_path / "SciRead"
    (folder / "_internal").mkdir(parents=True)
    (folder / "_internal" / "part").write_text("of the program")
    start = folder / "sciread"
    start.write_text('#!/bin/sh\necho "started with:" "$@"\n')
    start.chmod(0o755)
    return folder
