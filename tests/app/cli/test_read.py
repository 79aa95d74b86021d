"""PDFs, highlights and notes on the command line."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sciread_app import cli
from sciread_app.domain.annotations.annotations import Box, Highlight
from sciread_app.domain.paper import Author, PaperId
from sciread_app.settings import Settings, write_settings
from sciread_app.storage.library import Library
from tests.support.generate.book import make_book
from tests.support.generate.papers import paper
from tests.support.generate.pdf import At, body, make_pdf
from tests.support.shell import Shell


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


@pytest.fixture
def home(tmp_path):
    """The home folder of a library with two papers and their PDFs, and a PDF folder."""
    for name in ("home", "inbox", "pdfs"):
        (tmp_path / name).mkdir()
    files = [tmp_path / "inbox" / name for name in ("1.pdf", "2.pdf")]
    for file in files:
        file.write_bytes(make_book(pages=[[At(file.name, 12, 60, 700)]]))
    library = Library(tmp_path / "home" / "library.sqlite3")
    author = (Author("Frisch"),)
    for title, year, file in zip(("Bees", "Wasps"), ("1927", "1928"), files, strict=True):
        library.put([paper(title, authors=author, published=year, files=(str(file),))])
    library.close()
    write_settings(tmp_path / "home" / "settings.toml", Settings(pdf_folder=str(tmp_path / "pdfs")))
    return tmp_path / "home"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_move_pdfs_moves_and_undo_moves_back(home):
    shell, pdfs, inbox = Shell(home), home.parent / "pdfs", home.parent / "inbox"
    assert shell.json("move-pdfs", "1") == {"moved": 1, "failures": []}
    assert names(pdfs) == ["Frisch - 1927 - Bees.pdf"] and names(inbox) == ["2.pdf"]
    shell.run("undo")
    assert names(pdfs) == [] and names(inbox) == ["1.pdf", "2.pdf"]
    assert shell.json("move-pdfs", "--all")["moved"] == 2 and len(names(pdfs)) == 2


def test_rename_pdfs_lists_missing_files_and_renames_the_others(home):
    shell, inbox = Shell(home), home.parent / "inbox"
    (inbox / "1.pdf").unlink()
    answer = shell.json("rename-pdfs", "--all", code=1)
    assert answer["renamed"] == 1 and names(inbox) == ["Frisch - 1928 - Wasps.pdf"]
    assert [one["file"] for one in answer["failures"]] == [str(inbox / "1.pdf")]
    shell.run("rename-pdfs", code=2)


@pytest.mark.parametrize(("pdfs", "left"), [("copy", True), ("move", False), ("leave", True)])
def test_add_copies_or_moves_pdfs_by_option(home, pdfs, left):
    new = home.parent / "inbox" / "new.pdf"
    new.write_bytes(make_pdf([At("Dances of Unknown Bees", 20, y=720), *body()]))
    shell = Shell(home)
    shell.run("add", str(new), "--pdfs", pdfs)
    assert new.exists() == left
    stored = [name for name in names(home.parent / "pdfs") if "Dances of Unknown Bees" in name]
    assert len(stored) == (pdfs != "leave")
    again = shell.json("add", str(home.parent / "pdfs"))
    assert (again["added"], again["merged"]) == (0, len(stored))


def test_add_without_a_pdf_folder_imports_nothing(home):
    (home / "settings.toml").unlink()
    shell = Shell(home)
    answer = shell.json("add", str(home.parent / "inbox"), "--pdfs", "move", code=1)
    assert "PDF folder" in answer["error"] and names(home.parent / "inbox") == ["1.pdf", "2.pdf"]


def test_add_reports_a_pdf_folder_that_is_not_connected(home):
    settings = Settings(pdf_folder=str(home / "disk"), pdf_import="move")
    write_settings(home / "settings.toml", settings)
    new = home.parent / "inbox" / "new.pdf"
    new.write_bytes(make_pdf([At("Dances of Unknown Bees", 20, y=720), *body()]))
    answer = Shell(home).json("add", str(new))
    assert answer["added"] == 1 and new.exists()
    assert any(str(home / "disk") in one["why"] for one in answer["remarks"])
