"""Highlights and notes on the command line."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from sciread_app import cli
from sciread_app.domain.annotations.annotations import Box, Highlight
from sciread_app.domain.paper import PaperId
from sciread_app.storage.library import Library
from tests.support.generate.book import make_book
from tests.support.generate.papers import paper


def run(home, *arguments: str) -> str:
    result = CliRunner().invoke(cli.app, ["notes", *arguments, "--home", str(home)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_notes_are_printed_and_written_as_markdown(tmp_path):
    library = Library(tmp_path / "library.sqlite3")
    library.put([paper("Bees"), paper("Wasps")])
    box = Box(0, 0, 10, 10)
    library.annotations.add(
        Highlight(PaperId(1), "ab", "/b.pdf", 2, (box,), "They dance", note="How?")
    )
    library.annotations.add(Highlight(PaperId(1), "ab", "/b.pdf", 4, (box,), ""))
    library.close()
    assert "> They dance\n>\n> Page 3, yellow\n\nHow?" in run(tmp_path, "1")
    assert "no highlights or notes" in run(tmp_path, "2").lower()
    answer = json.loads(run(tmp_path, "1", "2", "--json"))
    assert [(one["page"], one["text"], one["note"]) for one in answer["highlights"]] == [
        (3, "They dance", "How?"),
        (5, "", ""),
    ]
    assert [one["area"] for one in answer["highlights"]] == [None, [0, 0, 10, 10]]
    run(tmp_path, "1", "--output", str(tmp_path / "notes.md"))
    assert "# Bees" in (tmp_path / "notes.md").read_text("utf-8")


def test_notes_are_written_into_a_copy_of_the_pdf(tmp_path):
    file, copy = tmp_path / "bees.pdf", tmp_path / "copy.pdf"
    file.write_bytes(make_book(1))
    library = Library(tmp_path / "library.sqlite3")
    library.put([paper("Bees", files=(str(file),)), paper("Wasps")])
    library.notes.add(1, "They dance")
    library.close()
    answer = json.loads(run(tmp_path, "1", "--pdf", str(copy), "--json"))
    assert answer == {"file": str(copy), "annotations": 1, "lost": 0}
    assert copy.read_bytes().startswith(b"%PDF-")
    two = CliRunner().invoke(
        cli.app, ["notes", "1", "2", "--pdf", str(copy), "--home", str(tmp_path)]
    )
    assert two.exit_code == 1 and "one paper" in two.output
