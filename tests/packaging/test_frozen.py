"""The frozen program's entrance, run as the program runs it."""

from __future__ import annotations

import subprocess
import sys

from .conftest import PACKAGING

ENTRANCE = PACKAGING / "frozen.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ENTRANCE), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=PACKAGING.parent,
        env={"PYTHONPATH": str(PACKAGING.parent), "PATH": ""},
    )  # fmt: skip


def test_it_is_no_python_for_what_is_not_ours():
    for arguments in (["-m", "os"], ["-m", "trainers"], ["-m"], ["-m", ".trainer"]):
        refused = run(*arguments)
        assert refused.returncode == 1
        assert "only SciRead" in refused.stderr


def test_it_runs_a_module_of_ours_with_its_arguments():
    said = run("-m", "sciread_app", "--version")
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith("sciread ")


def test_it_is_the_command_line():
    assert run("--version").stdout.startswith("sciread ")


def test_the_trainer_in_it_is_called_as_it_is_typed():
    assert "sciread trainer pull [OPTIONS]" in run("trainer", "pull", "--help").stdout
