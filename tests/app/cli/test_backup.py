"""Backups by command: listed by day and restored."""

from __future__ import annotations

import json
from datetime import date

import pytest
from typer.testing import CliRunner

from sciread_app import cli
from sciread_app.paths import Home, open_home
from sciread_app.services.maintenance.backup_rotation import Backups
from sciread_app.storage.files.sqlite_backup import papers_in
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.papers import paper


@pytest.fixture
def home(tmp_path) -> Home:
    """A home with two papers, and a backup of a day with one."""
    home = open_home(tmp_path)
    library = Library(home.library)
    library.put([paper("Bees")])
    Backups(home).create_daily(library, date(2026, 11, 21), Task())
    library.put([paper("Wasps")])
    library.close()
    return home


def run(home, *arguments):
    return CliRunner().invoke(cli.app, [*arguments, "--home", str(home.folder)])


def test_backups_are_listed_by_day(home):
    assert "2026-11-21" in run(home, "backups").stdout
    (copy,) = json.loads(run(home, "backups", "--json").stdout)
    assert (copy["name"], copy["papers"]) == ("2026-11-21", 1)


def test_backup_kinds_are_keys_in_json(home):
    run(home, "backup", str(home.folder / "backups" / "sciread-1.zip"))
    run(home, "restore", "2026-11-21")
    (home.folder / "library.backup.sqlite3").write_bytes(home.library.read_bytes())
    kinds = {copy["kind"] for copy in json.loads(run(home, "backups", "--json").stdout)}
    assert kinds == {"daily", "manual", "before-restore", "before-update"}


def test_restore_of_a_day_works_without_readable_library(home):
    home.library.write_bytes(b"no library at all, any more")
    assert run(home, "restore", "2026-11-21").exit_code == 0
    assert papers_in(home.library) == 1
    assert "Before a restore" in run(home, "backups").stdout


def test_restore_of_missing_day_names_it(home):
    done = run(home, "restore", "2020-01-01")
    assert done.exit_code == 1 and "2020-01-01" in done.output
    assert papers_in(home.library) == 2
