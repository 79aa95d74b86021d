"""Output to a terminal or pipe with a limited encoding, from Windows code pages to ASCII."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.support.models.tiny_model import tiny_package
from tests.support.shell import BIB

TITLE = "Schrödinger’s λ"
# All commands run in one process, as starting one takes seconds.
VERBS = """
import sys
from {module} import main
for line in sys.argv[1:]:
    sys.argv[1:] = line.split("|")
    try:
        main()
    except SystemExit as end:
        assert not end.code, (line, end.code)
"""


def output_of(module: str, encoding: str, *lines: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-c", VERBS.format(module=module), *lines],
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode("ascii", "replace")
    return done.stdout


@pytest.fixture
def home(shell, tmp_path):
    (tmp_path / "more.bib").write_text(
        BIB.replace("The life of bees", TITLE).replace("1901", "1902").replace("-", "—"),
        encoding="utf-8",
    )
    shell.run("add", str(tmp_path / "more.bib"))
    return shell.home


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_command_prints_substitutes_for_unencodable_characters(home, encoding):
    start = f"--home|{home}"
    found = output_of(
        "sciread_app.__main__", encoding, "--help", f"{start}|status", f"{start}|doctor",
        f"{start}|find|--mode|text|λ", f"{start}|add|{home.parent / 'more.bib'}",
    ).decode(encoding)  # fmt: skip
    assert TITLE.encode(encoding, "replace").decode(encoding) in found


def test_machine_readable_output_keeps_every_character(home):
    start = f"--home|{home}"
    printed = output_of(
        "sciread_app.__main__", "cp1252", f"{start}|find|--mode|text|λ|--json",
        f"{start}|export|λ|--format|ris",
    )  # fmt: skip
    answer, _, papers = printed.partition(b"\n")
    assert [hit["title"] for hit in json.loads(answer)["hits"]] == [TITLE]
    assert TITLE in papers.decode("utf-8")


def test_trainer_prints_substitutes_for_unencodable_characters(tmp_path):
    tiny_package(tmp_path / "ours", title=TITLE)
    printed = output_of(
        "trainer.cli", "ascii", "--help", "methods", "suites", f"info|{tmp_path}/ours"
    )
    assert b"Schr?dinger?s ?" in printed
