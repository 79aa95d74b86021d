"""Command line parsing: words with a dash, usage errors as JSON, aliases of commands."""

from __future__ import annotations

import json
import logging

import pytest

from sciread_app import cli, paths
from sciread_app.cli import library, views
from sciread_app.cli.command import words_last
from sciread_app.storage.library import Library


@pytest.mark.parametrize(
    ("verb", "typed", "called"),
    [
        ("find", ["like:17", "-like:23"], ["--", "like:17", "-like:23"]),
        ("find", ["-neutrino", "-n", "5"], ["-n", "5", "--", "-neutrino"]),
        ("find", ["-n5", "--mode", "text", "-ma"], ["-n5", "--mode", "text", "--", "-ma"]),
        ("find", ["--limitt", "x"], ["--limitt", "--", "x"]),
        ("find", ["-h"], ["-h"]),
        ("find", ["-n", "3", "--", "-x"], ["-n", "3", "--", "-x"]),
        ("export", ["-like:23", "-f", "ris"], ["-f", "ris", "--", "-like:23"]),
        ("export", ["-fris", "-fusion", "-o", "x"], ["-fris", "-o", "x", "--", "-fusion"]),
        ("export", ["-n", "--output", "x"], ["--output", "x", "--", "-n"]),
        ("export", ["bees", "-othesis.bib"], ["-othesis.bib", "--", "bees"]),
        ("export", ["bees", "-oxygen"], ["--", "bees", "-oxygen"]),
    ],
)  # fmt: skip
def test_query_words_may_begin_with_a_dash(verb, typed, called):
    assert words_last(verb, typed) == called


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        cli.main(list(arguments))
    return end.value.code, capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ("find", "--bogus", "x"),
        ("cite",),
        ("rate", "9"),
        ("export",),
        ("serach", "x"),
    ],
)
def test_usage_errors_are_json_with_json_flag(capsys, tmp_path, arguments):
    code, out = run(capsys, "--json", "--home", str(tmp_path), *arguments)
    assert code == 2
    answer = json.loads(out)
    assert answer["error"] and answer["hint"]


@pytest.mark.parametrize(
    ("typed", "verb"),
    [("search", "find"), ("list", "find"), ("rm", "trash"), ("import", "add"), ("view", "show")],
)
def test_commands_of_other_programs_are_redirected(capsys, typed, verb):
    code, out = run(capsys, "--json", typed, "x")
    assert code == 2 and f"'{verb}'" in json.loads(out)["hint"]


def fail(*arguments, **options):
    raise RuntimeError("a defect of the program")


@pytest.fixture
def home(tmp_path):
    """A home folder with an empty library."""
    paths.open_home(tmp_path / "home")
    Library(tmp_path / "home" / "library.sqlite3").close()
    return tmp_path / "home"


@pytest.mark.parametrize("flags", [("--json",), ()], ids=["json", "text"])
def test_unexpected_error_is_logged(home, monkeypatch, capsys, flags):
    monkeypatch.setattr(views, "status_as_value", fail)
    with pytest.raises(SystemExit) as end:
        cli.main([*flags, "--home", str(home), "status"])
    output = capsys.readouterr()
    assert end.value.code == 1 and "Traceback" not in output.out + output.err
    log = home / "logs" / "sciread.log"
    if flags:
        answer = json.loads(output.out)
        assert "a defect of the program" in answer["error"] and str(log) in answer["hint"]
    else:
        assert not output.out and "sciread.log" in output.err.replace("\n", "")
    written = log.read_text(encoding="utf-8")
    assert "Traceback" in written and "RuntimeError: a defect of the program" in written


def test_unexpected_error_before_opening_a_library_is_logged(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(library, "backups_of", fail)
    monkeypatch.setenv("SCIREAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(logging.getLogger("sciread_app"), "handlers", [])
    code, out = run(capsys, "--json", "--home", str(tmp_path / "home"), "backups")
    assert code == 1 and "defect" in json.loads(out)["error"]
    written = (tmp_path / "cache" / "sciread.log").read_text(encoding="utf-8")
    assert "RuntimeError: a defect of the program" in written
    assert not (tmp_path / "home").exists()
