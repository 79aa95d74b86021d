"""The command line: editing fields, opening PDFs, emptying the trash, migrating a library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from sciread_app import cli
from sciread_app.domain.metadata.guesses import (
    author_guess,
    guessed_authors,
    title_guess,
    year_guess,
)
from sciread_app.domain.paper import Author
from sciread_app.storage.files import opening
from sciread_app.storage.library import Library
from sciread_app.storage.migrations import HEAD
from sciread_app.storage.organisation.attachments import Attachment
from tests.support.generate.papers import paper

CURIE = paper(
    "On radium", authors="Curie, Marie", published="1898-12", doi="10.1000/radium",
    citekey="curie1898", extra={"volume": "12", "pages": "1-3"},
)  # fmt: skip


class Shell:
    def __init__(self, home: Path) -> None:
        self.home = home

    def run(self, *arguments: str, code: int = 0, **options):
        result = CliRunner().invoke(cli.app, [*arguments, "--home", str(self.home)], **options)
        assert result.exit_code == code, (result.output, result.exception)
        return result

    def json(self, *arguments: str, code: int = 0):
        return json.loads(self.run(*arguments, "--json", code=code).stdout)


@pytest.fixture
def shell(tmp_path) -> Shell:
    home = tmp_path / "home"
    home.mkdir()
    library = Library(home / "library.sqlite3")
    library.put([CURIE, paper("On bees", doi="10.1000/bees")])
    library.close()
    return Shell(home)


def stored(shell: Shell, id: int = 1):
    library = Library(shell.home / "library.sqlite3")
    try:
        return library.get([id])[0]
    finally:
        library.close()


def test_edit_sets_fields_and_undo_restores_them(shell):
    before = stored(shell)
    changes = ["title=On polonium", "year=1899", "journal=Nature", "type=article-journal",
               "authors=Curie, Marie; van der Berg, Jan; {Radium Institute}",
               "keywords=radium; polonium", "volume=13", "pages=",
               "doi=10.1000/Polonium"]  # fmt: skip
    assert shell.json("edit", "curie1898", *changes) == {
        "paper": 1,
        "changed": ["authors", "extra", "identifiers", "keywords", "kind", "published", "title",
                    "venue"],
    }  # fmt: skip
    after = stored(shell)
    assert (after.title, after.published, after.venue) == ("On polonium", "1899", "Nature")
    assert after.kind == "article-journal" and after.keywords == ("radium", "polonium")
    assert after.authors == (
        Author("Curie", "Marie"),
        Author("Berg", "Jan", "van der"),
        Author("Radium Institute", literal=True),
    )
    assert after.extra == {"volume": "13", "doi": "10.1000/Polonium"}
    assert after.identifier("doi") == "10.1000/polonium"
    assert after.identifier("citekey") == "curie1898"
    shell.run("undo")
    assert stored(shell) == before


def test_edit_keeps_the_case_of_a_doi_and_the_mark_of_a_truncated_list(shell):
    shell.json("edit", "1", "doi=10.1000/Polonium", "volume=13", "authors=Curie, Marie; others")
    after = stored(shell)
    assert (after.written_doi, after.extra["volume"]) == ("10.1000/Polonium", "13")
    assert len(after.authors) == 1 and after.has_more_authors
    shell.json("edit", "1", "authors=Curie, Marie")
    assert not stored(shell).has_more_authors


def test_edit_with_same_values_changes_nothing(shell):
    assert shell.json("edit", "1", "title=On radium", "volume=12")["changed"] == []
    shell.run("undo", code=1)


@pytest.mark.parametrize(
    "wrong",
    ["title=", "tilte=On polonium", "On polonium", "year=last", "doi=none", "type=essay",
     "extra=volume: 3"],
)  # fmt: skip
def test_edit_with_invalid_value_changes_nothing(shell, wrong):
    answer = shell.json("edit", "1", "venue=Nature", wrong, code=2)
    assert answer["error"] and answer["hint"]
    assert stored(shell).venue == ""


def attach(shell: Shell, *files: Path) -> None:
    library = Library(shell.home / "library.sqlite3")
    library.attachments.put([(Attachment(1, str(file)), "") for file in files])
    library.close()


@pytest.fixture
def opened_files(monkeypatch) -> list[str]:
    """The files that were opened with the system's viewer."""
    files: list[str] = []

    def launch(file: str) -> int:
        files.append(file)
        return 0

    monkeypatch.setattr(typer, "launch", launch)
    return files


def test_open_shows_the_pdf_of_a_paper(shell, tmp_path, opened_files):
    pdf = tmp_path / "radium.pdf"
    pdf.touch()
    (tmp_path / "run.sh").touch()
    attach(shell, tmp_path / "run.sh", tmp_path / "gone.pdf", pdf)
    assert shell.json("open", "curie1898") == {"paper": 1, "file": str(pdf)}
    assert opened_files == [str(pdf)]


def test_open_without_pdf_fails(shell, tmp_path, opened_files):
    assert "1" in shell.json("open", "1", code=1)["error"]
    (tmp_path / "run.sh").touch()
    attach(shell, tmp_path / "run.sh")
    shell.json("open", "1", code=1)
    attach(shell, tmp_path / "gone.pdf")
    assert "gone.pdf" in shell.json("open", "1", code=1)["error"]
    assert not opened_files


def test_open_without_pdf_viewer_exits_with_1(shell, tmp_path, monkeypatch):
    (tmp_path / "radium.pdf").touch()
    attach(shell, tmp_path / "radium.pdf")
    monkeypatch.setattr(typer, "launch", lambda file: 1)
    assert "radium.pdf" in shell.json("open", "1", code=1)["error"]


def test_trash_empty_deletes_permanently(shell):
    assert shell.json("trash", "--empty", "--yes") == {"deleted": 0}
    shell.run("trash", "1")
    assert shell.json("trash", "--empty", code=2)["hint"]
    shell.run("trash", "--empty", code=1, input="n\n")
    assert shell.json("status")["in_trash"] == 1
    shell.run("trash", "--empty", input="y\n")
    assert (shell.json("status")["in_trash"], shell.json("status")["papers"]) == (0, 1)


def test_trash_needs_papers_or_empty(shell):
    shell.run("trash", code=2)
    shell.run("trash", "1", "--empty", "--yes", code=2)
    assert shell.json("status")["papers"] == 2


def test_library_migration_is_announced_on_stderr(tmp_path):
    shell = Shell(tmp_path)
    opening.begin(tmp_path / "library.sqlite3", HEAD - 1)
    result = shell.run("status")
    assert "Backing up" in result.stderr and "Backing up" not in result.stdout
    assert "Backing up" not in shell.run("status").stderr


def test_edit_accepts_all_guesses_that_still_count(shell):
    library = Library(shell.home / "library.sqlite3")
    guess = title_guess("On water", "scan") | year_guess("1911") | author_guess([Author("Curie")])
    library.put([paper("scan", doi="10.1000/w", authors="", extra=guess)])
    library.close()
    shell.run("edit", "10.1000/w", "year=1912")
    shell.run("edit", "10.1000/w", "--accept-guess")
    found = stored(shell, 3)
    assert (found.title, found.year, found.authors) == ("On water", 1912, (Author("Curie"),))


def test_edit_accepts_the_guessed_authors_and_undo_takes_them_back(shell):
    library = Library(shell.home / "library.sqlite3")
    guess = author_guess([Author("Curie", "Marie"), Author("LHCb", literal=True)])
    library.put([paper("On water", doi="10.1000/water", authors="", extra=guess)])
    library.close()
    shell.run("edit", "10.1000/water", "--accept-guess")
    found = stored(shell, 3)
    assert found.authors == (Author("Curie", "Marie"), Author("LHCb", literal=True))
    assert not guessed_authors(found)
    shell.run("undo")
    assert guessed_authors(stored(shell, 3)) and not stored(shell, 3).authors
    assert shell.run("edit", "1", "--accept-guess", code=2)
