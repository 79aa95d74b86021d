"""Model commands, as text and as JSON."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sciread_app import workspace
from sciread_app.domain.votes import Question
from sciread_app.paths import open_home
from sciread_app.services.subprocess import trainer
from tests.support.models.fake_encoder import FakeEncoder
from tests.support.models.tiny_model import tiny_package
from tests.support.shell import Shell


@pytest.fixture
def shell(tmp_path, monkeypatch) -> Shell:
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: FakeEncoder(package.space))
    return Shell(tmp_path / "home")


@pytest.fixture
def package_folder(tmp_path) -> Path:
    """A model package outside the home."""
    made = tiny_package(tmp_path / "given", id="bees", title="On bees", method="specter")
    return made.folder


def names(shell):
    return [model["name"] for model in shell.json("model", "list")]


def test_model_is_added_listed_shown_renamed_and_removed(shell, package_folder, tmp_path):
    added = shell.json("model", "add", str(package_folder))
    assert (added["name"], added["title"], added["state"]) == ("bees", "On bees", "idle")
    starter, bees = shell.json("model", "list")
    assert (starter["state"], bees["dim"], bees["checked"]) == ("answers", 32, True)
    shown = shell.json("model", "show", "On bees")
    assert (shown["folder"], shown["papers"]) == (str(shell.home / "models" / "bees"), 0)
    assert shell.json("model", "rename", "bees", "Bees")["title"] == "Bees"
    assert shell.json("model", "remove", "Bees") == {"model": "bees", "deleted": False}
    assert names(shell) == ["starter"]
    assert "In Trash: bees" in shell.run("model", "list").stdout
    assert shell.json("model", "restore", "bees")["title"] == "Bees"
    shell.run("model", "remove", "bees")
    removed = shell.run("model", "remove", "bees", "--permanently")
    assert "deleted" in removed.stdout and "Bees" in removed.stdout
    assert "bees" in shell.json("model", "restore", "bees", code=1)["error"]


def test_gallery_lists_published_models_with_estimated_speed(shell):
    found = {one["name"]: one for one in shell.json("model", "gallery")}
    assert found["BAAI/bge-base-en-v1.5"]["licence"] == "MIT"
    assert found["BAAI/bge-base-en-v1.5"]["scores"] == {}
    assert set(found["sentence-transformers/all-mpnet-base-v2"]["scores"]) == {
        "scifact",
        "scidocs",
        "nfcorpus",
    }
    assert "bge-base" in shell.run("model", "gallery").stdout


def test_model_commands_print_readable_text(shell, package_folder):
    output = shell.run("model", "add", str(package_folder)).stdout
    assert "Added On bees as bees." in output and "sciread model activate bees" in output
    output = shell.run("model", "list").stdout
    assert "On bees" in output and "in use" in output
    output = shell.run("model", "show", "bees").stdout
    assert "specter" in output and "48" in output
    assert "[red]Bees" in shell.run("model", "rename", "bees", "[red]Bees").stdout


def test_exported_model_is_identical_each_time_and_can_be_added(shell, package_folder, tmp_path):
    shell.run("model", "add", str(package_folder))
    target = str(tmp_path / "bees.zip")
    written = shell.json("model", "export", "bees", target)
    first = Path(target).read_bytes()
    assert written == {"model": "bees", "file": target, "bytes": len(first)}
    assert "already" in shell.json("model", "export", "bees", target, code=1)["error"]
    shell.run("model", "export", "bees", target, "--replace")
    assert Path(target).read_bytes() == first
    shell.run("model", "remove", "bees", "--permanently")
    assert shell.json("model", "add", target)["name"] == "bees"


def test_model_errors_have_message_and_exit_code(shell, package_folder, tmp_path):
    assert "built into SciRead" in shell.json("model", "remove", "starter", code=1)["error"]
    assert "model wasps is not installed" in shell.json("model", "show", "wasps", code=1)["error"]
    (tmp_path / "no.zip").write_bytes(b"no zip")
    assert "no.zip" in shell.json("model", "add", str(tmp_path / "no.zip"), code=1)["error"]
    assert names(shell) == ["starter"]
    shell.run("model", "add", str(package_folder))
    (shell.home / "models" / "bees" / "model.safetensors").write_bytes(b"cut off")
    _, bees = shell.json("model", "list", code=1)
    assert "model.safetensors" in bees["problem"]
    assert "damaged" in shell.run("model", "show", "bees", code=1).stdout


def test_hub_name_is_downloaded_unless_a_local_path(shell, package_folder, tmp_path, monkeypatch):
    asked = []

    def ask(command, home, task):
        asked.append(command)
        shutil.copytree(package_folder, command[2].partition("=")[2])
        return {}

    monkeypatch.setattr(trainer, "ask", ask)
    added = shell.json("model", "add", "allenai/specter", "--pooling", "cls")
    assert added["name"] == "allenai--specter"
    assert asked[0][:2] == ["pull", "allenai/specter"] and "--pooling=cls" in asked[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "allenai").mkdir()
    tiny_package(tmp_path / "allenai" / "specter", id="local", pooling="cls")
    assert shell.json("model", "add", "allenai/specter")["name"] == "local"
    assert len(asked) == 1


def test_model_is_activated_by_title(shell, package_folder):
    shell.run("model", "add", str(package_folder))
    assert shell.json("model", "activate", "On bees")["model"] == "bees"
    assert "in use" in shell.json("model", "remove", "bees", code=1)["error"]


def test_votes_are_shown_with_their_certainty(shell, package_folder):
    assert "No votes yet." in shell.run("model", "votes").stdout
    shell.run("model", "add", str(package_folder))
    with_library = workspace.Workspace(open_home(shell.home))
    for n in range(9):
        with_library.votes.cast(Question(f"question {n}"), "starter", "bees", "bees")
    with_library.close()
    output = " ".join(shell.run("model", "votes").stdout.split())
    assert "9 for On bees, 0 for all-MiniLM-L6-v2, 0 for neither." in output
    assert "On bees is significantly better" in output
    (tally,) = shell.json("model", "votes")
    assert (tally["first"], tally["second"], tally["for_first"]) == ("bees", "starter", 9)
    assert (tally["ahead"], tally["luck"]) == ("bees", 0.0195)
