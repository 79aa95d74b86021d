"""The checks of a wheel before its release."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from about import version

from tests.packaging.conftest import script

NEEDED = ("sciread_app/__init__.py", "sciread_app/storage/migrations/env.py", "resources/a.bib")
METADATA = (
    f"Version: {version()}\nLicense-Expression: Apache-2.0\nProvides-Extra: gui\n\n# SciRead\n"
)
ENTRIES = "[console_scripts]\nsciread = x:main\nsciread-trainer = y:main\n"


@pytest.fixture
def tree(tmp_path) -> Path:
    for name in NEEDED:
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_text("")
    return tmp_path / "tree"


def wheel(tmp_path: Path, *names: str, metadata: str = METADATA) -> Path:
    file = tmp_path / "x.whl"
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "")
        archive.writestr("sciread.dist-info/METADATA", metadata)
        archive.writestr("sciread.dist-info/entry_points.txt", ENTRIES)
    return file


def test_complete_wheel_has_no_faults(tree, tmp_path):
    files = [*NEEDED[:2], "sciread_app/resources/a.bib"]
    assert script("wheel.py").faults_of_wheel(wheel(tmp_path, *files), tree) == []


def test_missing_and_extra_files_are_named(tree, tmp_path):
    made = wheel(
        tmp_path, NEEDED[0], "tests/test_a.py", "sciread_app/__pycache__/a.pyc",
        metadata=METADATA.replace("gui", "ray") + "![x](resources/screenshot.png)",
    )  # fmt: skip
    assert script("wheel.py").faults_of_wheel(made, tree) == [
        "Not in the wheel: sciread_app/resources/a.bib",
        "Not in the wheel: sciread_app/storage/migrations/env.py",
        "In the wheel: sciread_app/__pycache__/a.pyc",
        "In the wheel: tests/test_a.py",
        "Its metadata lack 'Provides-Extra: gui'.",
        "A picture of the README leads nowhere outside the sources.",
    ]
