"""How the command line is called: words with a dash, usage errors as JSON, other names of verbs."""

from __future__ import annotations

import json

import pytest

from sciread_app import cli
from sciread_app.cli.calling import words_last


@pytest.mark.parametrize(
    ("typed", "called"),
    [
        (["like:17", "-like:23"], ["--", "like:17", "-like:23"]),
        (["-neutrino", "-n", "5"], ["-n", "5", "--", "-neutrino"]),
        (["-n5", "--mode", "text", "-matter"], ["-n5", "--mode", "text", "--", "-matter"]),
        (["--limitt", "x"], ["--limitt", "--", "x"]),
        (["-h"], ["-h"]),
        (["-n", "3", "--", "-x"], ["-n", "3", "--", "-x"]),
    ],
)  # fmt: skip
def test_words_of_a_query_may_begin_with_a_dash(typed, called):
    assert words_last(typed) == called


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
def test_with_json_usage_errors_are_json(capsys, tmp_path, arguments):
    code, out = run(capsys, "--json", "--home", str(tmp_path), *arguments)
    assert code == 2
    answer = json.loads(out)
    assert answer["error"] and answer["hint"]


@pytest.mark.parametrize(
    ("typed", "verb"), [("search", "find"), ("list", "find"), ("rm", "trash"), ("import", "add")]
)
def test_verbs_of_other_programs_lead_to_ours(capsys, typed, verb):
    code, out = run(capsys, "--json", typed, "x")
    assert code == 2 and f"'{verb}'" in json.loads(out)["hint"]
