"""The services of a home folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from sciread_app.errors import BadQuery
from sciread_app.formats.ris import reader as ris
from sciread_app.paths import Home
from sciread_app.services.ingest.importer import BATCH, SHORT
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace
from tests.support.generate.book import make_book
from tests.support.generate.papers import paper
from tests.support.generate.pdf import At


@pytest.fixture
def workspace(tmp_path) -> Iterator[Workspace]:
    workspace = Workspace(Home(tmp_path / "home"))
    yield workspace
    workspace.close()


@pytest.fixture(autouse=True)
def home_folder(tmp_path) -> None:
    (tmp_path / "home").mkdir()


def write_papers(path: Path, count: int) -> Path:
    with path.open("w") as stream:
        for n in range(count):
            about = {
                "id": f"x:{n}",
                "title": f"Bee number {n} of many",
                "abstract": "It flies." * 9,
            }
            stream.write(json.dumps(about) + "\n")
    return path


class Watch:
    """Notes at each report of a task which new processes work for this one."""

    def __init__(self) -> None:
        self.children: set[int] = set()
        self.task = Task(self._note)
        self._others = _children()  # that earlier tests have left

    def _note(self, done: int, total: int, note: str) -> None:
        self.children |= _children() - self._others


def _children() -> set[int]:
    return {child.pid for child in psutil.Process().children()}


def test_import_files_of_a_large_file_runs_in_another_process(workspace, tmp_path):
    file = write_papers(tmp_path / "many.jsonl", BATCH + 500)
    assert file.stat().st_size > SHORT
    watch = Watch()
    report = workspace.import_files([file], watch.task)
    assert report.added == len(report.new) == workspace.library.count() == BATCH + 500
    assert watch.children and not any(map(psutil.pid_exists, watch.children))


def test_import_files_of_a_small_file_starts_no_process(workspace, tmp_path):
    watch = Watch()
    report = workspace.import_files([write_papers(tmp_path / "few.jsonl", 3)], watch.task)
    assert report.added == workspace.library.count() == 3
    assert not watch.children


def test_import_files_canceled_keeps_what_was_read_and_resumes(workspace, tmp_path):
    file = write_papers(tmp_path / "many.jsonl", 3 * BATCH)

    def cancel(done: int, total: int, note: str) -> None:
        if done:
            task.cancel()

    task = Task(cancel)
    stopped = workspace.import_files([file], task)
    kept = workspace.library.count()
    assert stopped.stopped and stopped.added == len(stopped.new) == kept
    assert BATCH <= kept < 3 * BATCH and workspace.library.is_text_index_consistent()
    report = workspace.import_files([file], Task())
    assert (report.added, report.merged) == (3 * BATCH - kept, kept)


def test_import_files_in_another_process_moves_pdfs_to_the_folder(workspace, tmp_path):
    pdf, folder = tmp_path / "scan.pdf", tmp_path / "pdfs"
    pdf.write_bytes(make_book(pages=[[At("Dances of bees", 20, 60, 700)]]))
    folder.mkdir()
    workspace.change(pdf_folder=str(folder), pdf_import="move", pdf_name="")
    watch = Watch()
    report = workspace.import_files([pdf], watch.task)
    assert report.added == 1 and not report.remarks and watch.children
    assert not pdf.exists() and (folder / "scan.pdf").exists()
    [attached] = workspace.library.attachments.of(report.new)
    assert attached.path == str(folder / "scan.pdf")


def test_close_ends_the_processes_that_render_pdfs(tmp_path):
    others = _children()
    pdf = tmp_path / "book.pdf"
    pdf.write_bytes(make_book(pages=[[At("Dances of bees", 20, 60, 700)]]))
    workspace = Workspace(Home(tmp_path / "home"))
    [paper] = workspace.import_files([pdf], Task()).new
    workspace.reader.open(paper, pdf, "", Task())
    renderers = [psutil.Process(pid) for pid in _children() - others]
    workspace.close()
    _, alive = psutil.wait_procs(renderers, timeout=60)
    assert renderers and not alive


def test_export_of_a_query_writes_papers_with_every_word(workspace, tmp_path):
    library = workspace.library
    library.put([paper("Bees in winter"), paper("Bees in spring"), paper("Wasps in winter")])
    library.tags.add([1, 2], "read")
    file = tmp_path / "found.ris"
    assert workspace.export("bees winter tag:read", file, Task()) == 1
    assert [found.title for found in ris.read(file)] == ["Bees in winter"]
    with pytest.raises(BadQuery):
        workspace.export("like:1 tag:read", file, Task())
