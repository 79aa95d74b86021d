"""Program arguments: a command, or files to open in the window."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sciread_app import __main__
from sciread_app.__main__ import _window_options


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        ([], []),
        (["refs.bib"], ["refs.bib"]),
        (["/a b/Refs.RIS", "x.pdf"], ["/a b/Refs.RIS", "x.pdf"]),
    ],
)
def test_file_arguments_open_the_window(arguments, files):
    assert _window_options(arguments)["files"] == [Path(file) for file in files]


def test_home_option_is_accepted_with_files():
    wanted = _window_options(["--home=/h", "--page", "digest", "refs.bib"])
    assert wanted == {
        "home": Path("/h"),
        "screenshot": None,
        "page": "digest",
        "files": [Path("refs.bib")],
    }


@pytest.mark.parametrize(
    "arguments", [["find", "bees"], ["add", "refs.bib"], ["--help"], ["--home"], ["-x.bib"]]
)
def test_command_runs_without_window(arguments):
    assert _window_options(arguments) is None


def test_shell_completion_lists_commands_without_window():
    asked = {"_SCIREAD_COMPLETE": "complete_bash", "COMP_WORDS": "sciread fetc", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "sciread_app"], env=os.environ | asked, capture_output=True,
        text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.stdout.split() == ["fetch", "fetches"], done.stderr


def test_missing_compiled_dependency_is_explained(monkeypatch):
    monkeypatch.setattr(__main__, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match=r"hnswlib, (.|\n)*is missing(.|\n)*C\+\+ compiler"):
        __main__.main()
