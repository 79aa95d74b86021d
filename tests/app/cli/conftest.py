"""A library of three papers for the commands."""

from __future__ import annotations

import pytest

from sciread_app import workspace
from tests.support.models.fake_encoder import FakeEncoder
from tests.support.shell import BIB, Shell


@pytest.fixture
def shell(tmp_path, monkeypatch) -> Shell:
    # A fake model, as the real one takes seconds to start; test_encoder.py tests that.
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: FakeEncoder())
    (tmp_path / "refs.bib").write_text(BIB)
    shell = Shell(tmp_path / "home")
    shell.run("add", str(tmp_path / "refs.bib"))
    return shell
