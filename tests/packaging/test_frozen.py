"""The entry point of the frozen program, run as a script."""

from __future__ import annotations

import subprocess
import sys

from .conftest import PACKAGING

ENTRY_POINT = PACKAGING / "frozen.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ENTRY_POINT), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=PACKAGING.parent,
        env={"PYTHONPATH": str(PACKAGING.parent), "PATH": ""},
    )  # fmt: skip


def test_other_modules_are_refused():
    for arguments in (["-m", "os"], ["-m", "trainers"], ["-m"], ["-m", ".trainer"]):
        refused = run(*arguments)
        assert refused.returncode == 1
        assert "only SciRead" in refused.stderr


def test_own_module_runs_with_its_arguments():
    done = run("-m", "sciread_app", "--version")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("sciread ")


def test_arguments_run_the_command_line():
    assert run("--version").stdout.startswith("sciread ")


def test_trainer_help_shows_the_full_command_name():
    assert "sciread trainer pull [OPTIONS]" in run("trainer", "pull", "--help").stdout
