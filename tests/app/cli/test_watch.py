"""Watched folders on the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sciread_app.services.ingest import watched_folders
from sciread_app.storage.library import Library
from tests.support.generate.pdf import At, body, make_pdf

pytestmark = pytest.mark.usefixtures("forked_python")

RIS = "TY  - JOUR\nAU  - Fabre, Jean\nTI  - Souvenirs of insects and their lives\nER  - \n"


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(watched_folders, "SETTLED", 0.01)


@pytest.fixture
def folder(tmp_path) -> Path:
    folder = tmp_path / "Downloads"
    folder.mkdir()
    return folder


def test_watch_add_imports_the_folder_and_run_imports_what_is_new(shell, folder):
    (folder / "one.ris").write_text(RIS)
    [report] = shell.json("watch", "add", str(folder), "--collection", "inbox")["folders"]
    assert (report["added"], report["folder"]) == (1, str(folder))
    [report] = shell.json("watch", "run")["folders"]
    assert report["read"] == 0
    (folder / "bees.pdf").write_bytes(make_pdf([At("The lives of other bees", 20, y=720), *body()]))
    [report] = shell.json("watch", "run", "Downloads")["folders"]
    assert report["added"] == 1 and len(report["papers"]) == 1
    found = shell.json("find", "in:inbox")["hits"]
    assert len(found) == 2


def test_watch_run_tells_of_moved_and_missing_files(shell, folder):
    (folder / "bees.pdf").write_bytes(make_pdf([At("The lives of other bees", 20, y=720), *body()]))
    shell.run("watch", "add", str(folder))
    (folder / "bees.pdf").rename(folder / "wasps.pdf")
    [report] = shell.json("watch", "run")["folders"]
    assert report["moved"] == [{"from": str(folder / "bees.pdf"), "to": str(folder / "wasps.pdf")}]
    (folder / "wasps.pdf").unlink()
    assert str(folder / "wasps.pdf") in shell.run("watch", "run").stdout.replace("\n", "")
    [listed] = shell.json("watch", "list")["folders"]
    assert (listed["files"], listed["missing"]) == (0, 1)


def test_absent_folder_is_listed_with_its_problem_and_exit_code_1(shell, folder):
    shell.run("watch", "add", str(folder))
    folder.rename(folder.with_name("elsewhere"))
    assert shell.json("watch", "run", code=1)["folders"][0]["problem"]
    assert shell.json("watch", "list", code=1)["folders"][0]["problem"]


def test_paused_folder_is_scanned_only_when_it_is_named(shell, folder):
    shell.run("watch", "add", str(folder))
    assert shell.json("watch", "pause", str(folder))["paused"] is True
    (folder / "one.ris").write_text(RIS)
    assert shell.json("watch", "run")["folders"] == []
    shell.run("watch", "resume", "Downloads")
    assert shell.json("watch", "run")["folders"][0]["added"] == 1


def test_removed_folder_is_no_longer_listed_and_its_papers_stay(shell, folder):
    (folder / "one.ris").write_text(RIS)
    shell.run("watch", "add", str(folder))
    before = shell.json("status")["papers"]
    shell.run("watch", "remove", str(folder))
    assert shell.json("watch", "list")["folders"] == []
    assert shell.json("status")["papers"] == before
    shell.run("watch", "remove", str(folder), code=1)


def test_add_with_watch_keeps_watching_the_folder(shell, folder):
    (folder / "one.ris").write_text(RIS)
    shell.run("add", str(folder), "--watch")
    assert [one["folder"] for one in shell.json("watch", "list")["folders"]] == [str(folder)]
    [report] = shell.json("watch", "run")["folders"]
    assert report["added"] == 0


def test_followed_folder_imports_files_as_they_come(shell, folder):
    """In a process of its own, which prints a line for each scan that changed something."""
    shell.run("watch", "add", str(folder))
    arguments = ["watch", "run", "--follow", "--json", "--home", str(shell.home)]
    command = [sys.executable, "-m", "sciread_app", *arguments]
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=root, env={**os.environ}
    ) as process:
        assert process.stdout
        try:
            (folder / "one.ris").write_text(RIS)
            report = json.loads(process.stdout.readline())
            assert report["added"] == 1
            (folder / "one.ris").rename(folder / "two.ris")
            (folder / "more.ris").write_text(RIS.replace("insects", "spiders"))
            assert json.loads(process.stdout.readline())["added"] == 1
        finally:
            process.kill()


@pytest.mark.slow
def test_killed_scan_is_completed_by_the_next_and_imports_nothing_twice(shell, folder):
    count = 45  # more than two batches
    for n in range(count):
        title = f"Number {n} of the many lives of insects"
        (folder / f"{n}.pdf").write_bytes(make_pdf([At(title, 20, y=720), *body()]))
    library = Library(shell.home / "library.sqlite3")
    before = library.count()
    command = [sys.executable, "-m", "sciread_app", "watch", "add", str(folder)]
    root = Path(__file__).parents[3]
    with subprocess.Popen([*command, "--home", str(shell.home)], cwd=root) as process:
        while library.count() == before and process.poll() is None:
            pass
        process.kill()
    assert before < library.count() < before + count
    shell.run("watch", "run")
    assert library.count() == before + count
    assert len(library.attachments.of(library.ids())) == count
    library.close()
