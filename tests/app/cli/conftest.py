"""A library of three papers for the commands."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sciread_app import workspace
from tests.support.models.fake_encoder import FakeEncoder
from tests.support.shell import BIB, Shell


@pytest.fixture(scope="session")
def home_of_three_papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home that `shell` copies; no test may change it."""
    folder = tmp_path_factory.mktemp("three_papers")
    (folder / "refs.bib").write_text(BIB)
    shell = Shell(folder / "home")
    shell.run("add", str(folder / "refs.bib"))
    return shell.home


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home_of_three_papers: Path) -> Shell:
    # A fake model, as the real one takes seconds to start; test_encoder.py tests that.
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: FakeEncoder())
    (tmp_path / "refs.bib").write_text(BIB)
    return Shell(shutil.copytree(home_of_three_papers, tmp_path / "home"))
