"""The README's examples, run as they stand: each `console` block, in one library, from top down."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = [
    line.removeprefix("$ ")
    for block in re.findall(r"^```console\n(.*?)^```", README, re.M | re.S)
    for line in block.splitlines()
    if line.startswith("$ ")
]


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> dict[str, str]:
    """What each example printed, by the example."""
    place = tmp_path_factory.mktemp("readme")
    (place / "resources").symlink_to(ROOT / "resources")
    python_path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"SCIREAD_HOME": str(place / "home"), "PYTHONPATH": python_path}
    answers = {}
    for example in EXAMPLES:
        program, *arguments = shlex.split(example)
        assert program == "sciread", example
        done = subprocess.run(
            [sys.executable, "-m", "sciread_app", *arguments],
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{example}\n{done.stdout}{done.stderr}"
        answers[example] = done.stdout
    answers["thesis.bib"] = (place / "thesis.bib").read_text(encoding="utf-8")
    return answers


def the_answer_to(said: dict[str, str], beginning: str) -> str:
    return next(answer for example, answer in said.items() if example.startswith(beginning))


def test_every_verb_of_the_command_line_is_shown():
    verbs = {shlex.split(example)[1] for example in EXAMPLES}
    assert verbs >= {
        *("add", "find", "similar", "show", "export", "tag", "collect", "encode"),
        *("doctor", "backup", "restore", "status"),
    }


def test_the_sample_library_is_added_without_a_failure(said):
    ledger = the_answer_to(said, "sciread add")
    assert re.search(r"\b0 failed\b", ledger), ledger


def test_find_goes_by_meaning(said):
    first = the_answer_to(said, "sciread find").splitlines()[0]
    assert "Mastering the game of Go" in first


def test_show_names_the_other_version_of_a_work(said):
    assert "other version" in the_answer_to(said, "sciread show")


def test_a_tag_finds_what_was_tagged(said):
    answer = json.loads(the_answer_to(said, "sciread find 'tag:"))
    assert {hit["title"][:9] for hit in answer["hits"]} == {"Mastering", "Human-lev"}


def test_a_collection_is_exported_with_what_lies_below_it(said):
    assert said["thesis.bib"].count("\n@") + said["thesis.bib"].startswith("@") == 1
    assert "silver2016mastering" in said["thesis.bib"]


def test_export_writes_only_what_the_query_means(said):
    (turing,) = json.loads(the_answer_to(said, 'sciread export "author:turing"'))
    assert turing["author"][0]["family"] == "Turing"


def test_the_readme_begins_with_a_picture_that_is_there():
    picture = re.search(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert picture and README.index(picture[0]) < 100
    assert (ROOT / picture[1]).is_file()


def test_the_makefile_has_the_commands_that_the_readme_names():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in set(re.findall(r"^make (\w+)", README, re.M)):
        assert re.search(rf"^{command}:", makefile, re.M), command
