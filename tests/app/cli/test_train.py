"""Training commands."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from sciread_app import workspace
from sciread_app.cli import train as training
from sciread_app.services.subprocess import trainer
from tests.support.models import fake_trainer
from tests.support.models.fake_encoder import FakeEncoder
from tests.support.shell import BIB, Shell
from trainer.contract.run import Run


@pytest.fixture
def shell(tmp_path, monkeypatch) -> Shell:
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: FakeEncoder())
    monkeypatch.setattr(trainer, "trainer_command", fake_trainer.command)
    (tmp_path / "refs.bib").write_text(BIB)
    shell = Shell(tmp_path / "home")
    shell.run("add", str(tmp_path / "refs.bib"))
    shell.run("collect", "thesis", "1")
    return shell


def status_of(shell: Shell, name: str) -> str:
    known = {one["name"]: one["standing"] for one in shell.json("train", "list")}
    return known[name]


def wait_for(shell: Shell, name: str, *wanted: str) -> None:
    late = time.monotonic() + 60
    while status_of(shell, name) not in wanted and time.monotonic() < late:
        time.sleep(0.02)


def test_train_check_lists_missing_data_with_remedies(shell):
    answer = shell.json("train", "check", "specter-small", "--set", "batch_size=8,16", code=1)
    assert not answer["able"] and answer["holds"]["papers"] == 3
    (citations,) = [one for one in answer["findings"] if one["remedy"] == "citations"]
    assert citations["level"] == "missing" and citations["papers"] == 1
    output = shell.run("train", "check", "specter-small", code=1).stdout
    assert "✗ No citation data yet. Fetch citations for 1" in output
    assert ": `sciread fetch citations`." in " ".join(output.split())
    every = {
        one["recipe"]: one for one in shell.json("train", "check", "--on", "collection:thesis")
    }
    assert every["miread-small"] == {
        "recipe": "miread-small", "lacks": ["abstracts", "venues"], "has_little": [],
    }  # fmt: skip


def test_full_text_option_selects_other_data(shell):
    shell.run("train", "start", "specter-small", "--full-text", "--name", "texts")
    shell.run("train", "start", "specter-small", "--on", "collection:thesis", "--name", "plain")
    described = [
        Run(shell.home / "runs" / name).recipe.corpus / "corpus.json" for name in ("texts", "plain")
    ]
    given = ["full_texts" in file.read_text() for file in described]
    assert given == [True, False]


def test_training_is_started_listed_stopped_and_resumed(shell):
    begun = shell.json("train", "start", "specter-small", "--on", "collection:thesis",
                       "--set", "epochs=2", "--name", "mine")  # fmt: skip
    assert begun["name"] == "mine" and Run(shell.home / "runs/mine").recipe.settings["epochs"] == 2
    wait_for(shell, "mine", "running")
    output = shell.run("train", "list").stdout
    assert "mine" in output and "running" in output
    stopped = shell.json("train", "stop", "mine")
    assert stopped["standing"] == "stopped" and stopped["step"] > 0
    shell.run("train", "resume", "mine")
    wait_for(shell, "mine", "running")
    assert "mine: stopped at step" in shell.run("train", "stop", "mine").stdout.replace("\n", " ")
    assert "Deleted mine." in shell.run("train", "remove", "mine").stdout
    assert shell.json("train", "list") == []


def test_training_is_followed_until_it_finishes(shell):
    output = shell.run("train", "start", "specter-small", "--seed", "2", "--follow").stdout
    [name] = [one["name"] for one in shell.json("train", "list")]
    assert "SPECTER" in name and name.endswith("on My library")  # as in the window
    assert (
        f"{name}: finished" in " ".join(output.split())
        and "Ranking of candidates: MAP" in output
        and "90.00" in output
    )
    printed = shell.json("train", "follow", name)
    assert (printed["step"], printed["scores"][0]["before"]) == (fake_trainer.STEPS, "80.00")
    failed = shell.run("train", "start", "specter-small", "--seed", "3", "--follow", code=1)
    assert "The disk is full." in failed.stderr and "Make room." in failed.stderr
    assert shell.json("train", "follow", f"{name}-2", code=1)["error"] == "The disk is full."


def test_interrupting_follow_does_not_stop_the_training(shell, monkeypatch):
    def interrupted(seconds):
        raise KeyboardInterrupt

    shell.run("train", "start", "specter-small", "--name", "mine")
    wait_for(shell, "mine", "running")
    monkeypatch.setattr(training, "time", SimpleNamespace(sleep=interrupted))
    assert "mine continues in the background." in shell.run("train", "follow", "mine").stdout
    assert status_of(shell, "mine") == "running"
    shell.run("train", "stop", "mine")


def test_job_is_written_and_its_result_imported(shell, tmp_path):
    job = tmp_path / "job"
    output = shell.run("train", "job", "specter-small", str(job)).stdout
    assert "sh train.sh" in " ".join(output.split()) and (job / "train.sh").is_file()
    fake_trainer._steps(Run(job / "run"), seed=2)
    opened = shell.json("train", "open", str(job))
    assert (opened["standing"], opened["model"], opened["new"]) == ("finished", "made-by-run", True)
    assert "Made here" in shell.run("model", "list").stdout
    again = shell.json("train", "open", "job")
    assert (again["model"], again["new"]) == ("made-by-run", False)
    assert "Could not start the training" not in shell.run("train", "log", "job").stdout


def test_import_of_failed_training_exits_with_1_and_reason(shell, tmp_path):
    job = tmp_path / "job"
    shell.run("train", "job", "specter-small", str(job))
    with pytest.raises(SystemExit):
        fake_trainer._steps(Run(job / "run"), seed=3)
    opened = shell.json("train", "open", str(job), code=1)
    assert (opened["standing"], opened["model"]) == ("failed", "")
    again = shell.run("train", "open", "job", code=1)
    assert "The disk is full." in again.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["start", "spectre"], 1, "The recipe 'spectre' does not exist."),
        (["start", "specter-small", "--set", "epochs"], 2, "has no value"),
        (["start", "specter-small", "--on", "collection:none"], 1, "contains no papers"),
        (["start", "specter-small", "--on", "none"], 1, "dataset none does not exist"),
        (["stop", "none"], 1, "training run none does not exist"),
        (["open", "none"], 1, "does not exist"),
    ],
)
def test_train_errors_are_reported(shell, arguments, code, expected):
    assert expected in shell.json("train", *arguments, code=code)["error"]
