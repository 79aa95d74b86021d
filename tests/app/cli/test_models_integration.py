"""Activation of models from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from sciread_app import workspace
from tests.support.models.fake_encoder import FakeEncoder
from tests.support.models.tiny_model import tiny_package
from tests.support.shell import BIB, Shell

ROOT = Path(__file__).resolve().parents[3]


class FakeProcess(FakeEncoder):
    """A fake encoder with separate vectors for each package."""

    def __init__(self, package) -> None:
        super().__init__(package.space)
        self.title = package.title


@pytest.fixture
def shell(tmp_path, monkeypatch) -> Shell:
    monkeypatch.setattr(workspace, "EncoderProcess", FakeProcess)
    (tmp_path / "refs.bib").write_text(BIB)
    shell = Shell(tmp_path / "home")
    shell.run("add", str(tmp_path / "refs.bib"))
    tiny_package(shell.home / "models" / "ours", title="Ours")
    return shell


def test_activated_model_answers_and_back_restores_previous_one(shell):
    done = shell.json("model", "activate", "ours")
    assert (done["model"], done["title"], done["before"], done["read"]) == (
        "ours", "Ours", "starter", 3,
    )  # fmt: skip
    status = shell.json("status")
    assert (status["model"], status["found_by_meaning"]) == ("Ours", 3)
    assert "Now searching with all-MiniLM-L6-v2." in shell.run("model", "back").stdout
    assert shell.json("model", "back")["read"] == 0
    assert shell.json("status")["model"] == "Ours"
    assert "Now searching with" in shell.run("model", "activate", "ours").stdout


def test_back_skips_deleted_model(shell):
    tiny_package(shell.home / "models" / "theirs", title="Theirs", max_tokens=47)
    space = shell.json("model", "show", "ours")["space"]
    for name in ("ours", "theirs"):
        shell.json("model", "activate", name)
    assert any(path.name.startswith(space) for path in (shell.home / "indexes").iterdir())
    shell.json("model", "remove", "ours", "--permanently")
    assert not any(path.name.startswith(space) for path in (shell.home / "indexes").iterdir())
    assert shell.json("model", "back")["model"] == "starter"


def test_impossible_activation_is_named_and_changes_nothing(shell):
    answer = shell.json("model", "back", code=1)
    assert answer["error"] == "No other model has been used in this library."
    for name in ("theirs", "../models/ours"):
        answer = shell.json("model", "activate", name, code=1)
        assert answer["error"] == f"The model {name} is not installed."
    (shell.home / "models" / "ours" / "model.safetensors").write_bytes(b"damaged")
    assert "damaged" in shell.json("model", "activate", "ours", code=1)["error"]
    assert shell.json("status")["model"] == "all-MiniLM-L6-v2"


def test_interrupted_activation_is_given_up_and_keeps_vectors(shell, monkeypatch):
    def interrupt(self, texts, task=None):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(FakeProcess, "encode", interrupt)
        shell.run("model", "activate", "ours", code=1)
    assert shell.json("status")["model"] == "all-MiniLM-L6-v2"
    doctor = shell.json("doctor")
    assert not any("model activate" in finding["detail"] for finding in doctor)
    assert shell.json("model", "activate", "ours")["read"] == 3
