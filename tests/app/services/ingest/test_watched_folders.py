"""Watched folders: new files come in, moved ones are followed, deleted ones are marked."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from sciread_app import formats
from sciread_app.domain.query.parser import parse
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.services.ingest import watched_folders
from sciread_app.services.ingest.importer import Importer
from sciread_app.services.ingest.watched_folders import ScanReport, WatchedFolders
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.services.library.pdf_folder import PdfFolder
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.pdf import At, body, make_pdf

HOUR = 3600
BIB = """@article{curie1898, author = {Curie, Marie}, doi = {10.1000/radium},
  title = {On a new radioactive substance}}
"""


def pdf(title: str) -> bytes:
    return make_pdf([At(title, 20, y=720), *body()])


def save(path: Path, content: bytes, *, age: float = HOUR) -> Path:
    """Write a file that was last changed `age` seconds ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    then = time.time() - age
    os.utime(path, (then, then))
    return path


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Files count as complete when they were not changed for a moment."""
    monkeypatch.setattr(watched_folders, "SETTLED", 0.01)


@pytest.fixture
def watched(library) -> WatchedFolders:
    return WatchedFolders(library, Importer(library, pdf_workers=1))


@pytest.fixture
def folder(tmp_path) -> Path:
    folder = tmp_path / "Downloads"
    folder.mkdir()
    return folder


def scan(watched: WatchedFolders, task: Task | None = None) -> list[ScanReport]:
    return [watched.scan(one, task or Task()) for one in watched.all()]


def titles(library: Library) -> list[str]:
    return sorted(paper.title for paper in library.get(library.ids()))


def files(library: Library) -> list[str]:
    return sorted(one.path for one in library.attachments.of(library.ids()))


def test_new_files_in_a_watched_folder_are_imported_once(watched, library, folder):
    watched.add(folder)
    first = save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    assert len(scan(watched)[0].new) == 1
    save(folder / "deep" / "refs.bib", BIB.encode())
    assert len(scan(watched)[0].new) == 1
    assert not scan(watched)[0].has_changes
    assert titles(library) == [
        "On a new radioactive substance",
        "The life of bees and other insects",
    ]
    assert files(library) == [str(first)]
    assert [one.what for one in library.import_log.imports()] == [str(folder)] * 2


def test_subfolders_are_left_out_if_the_folder_is_watched_without_them(watched, library, folder):
    watched.add(folder, subfolders=False)
    save(folder / "deep" / "refs.bib", BIB.encode())
    assert not scan(watched)[0].has_changes
    watched.add(folder, subfolders=True)
    assert len(scan(watched)[0].new) == 1


def test_files_in_subfolders_that_are_no_longer_included_are_not_missing(watched, library, folder):
    watched.add(folder)
    save(folder / "deep" / "bees.pdf", pdf("Bees"))
    scan(watched)
    watched.change(watched.all()[0], subfolders=False, collection="")
    assert not scan(watched)[0].missing and not watched.all()[0].missing


@pytest.mark.parametrize(
    "name",
    ["x.pdf.part", "x.pdf.crdownload", "~x.pdf", ".~lock.x.pdf#", ".x.pdf", "x.pdf.download/x.pdf"],
)
def test_temporary_file_is_ignored(watched, library, folder, name):
    watched.add(folder)
    save(folder / name, pdf("The life of bees and other insects"))
    [report] = scan(watched)
    assert not report.has_changes and not report.waiting


def test_download_in_progress_waits_until_it_is_complete(watched, library, folder):
    watched.add(folder)
    whole = pdf("The life of bees and other insects")
    path = save(folder / "bees.pdf", whole[: len(whole) // 2], age=0)
    placeholder = save(folder / "ants.pdf", b"", age=0)
    [report] = scan(watched)
    assert sorted(report.waiting) == [str(placeholder), str(path)]
    assert library.count() == 0
    placeholder.unlink()
    save(path, whole, age=0)
    [report] = scan(watched)
    assert len(report.new) == 1 and not report.waiting


def test_file_that_changes_during_the_scan_waits(watched, library, folder, monkeypatch):
    watched.add(folder)
    path = save(folder / "bees.pdf", pdf("The life of bees and other insects"), age=0)

    class Meanwhile(Task):
        def wait(self, seconds: float, reason: str) -> None:
            with path.open("ab") as stream:
                stream.write(b"more\n%%EOF")

    [report] = scan(watched, Meanwhile())
    assert report.waiting == [str(path)] and library.count() == 0


@pytest.mark.parametrize("same_time", [True, False])
def test_renamed_file_is_followed_and_not_imported_again(watched, library, folder, same_time):
    watched.add(folder)
    old = save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    scan(watched)
    new = folder / "sorted" / "Maeterlinck.pdf"
    new.parent.mkdir()
    if same_time:
        old.rename(new)
    else:
        shutil.copyfile(old, new)
        old.unlink()
    [report] = scan(watched)
    assert report.moved == [(str(old), str(new))] and not report.missing
    assert not report.imported.read
    assert library.count() == 1 and files(library) == [str(new)]
    assert watched.all()[0].files == 1 and not watched.all()[0].missing


def test_file_moved_to_another_watched_folder_is_followed(watched, library, folder, tmp_path):
    other = tmp_path / "Papers"
    other.mkdir()
    watched.add(folder)
    watched.add(other)
    old = save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    scan(watched)
    old.rename(other / "bees.pdf")
    _, second = scan(watched)
    assert second.moved == [(str(old), str(other / "bees.pdf"))]
    assert library.count() == 1 and files(library) == [str(other / "bees.pdf")]
    assert [one.missing for one in watched.all()] == [0, 0]


def test_copy_of_a_file_belongs_to_the_same_paper(watched, library, folder):
    watched.add(folder)
    first = save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    scan(watched)
    second = folder / "bees (1).pdf"
    shutil.copyfile(first, second)
    [report] = scan(watched)
    assert not report.new and not report.moved
    assert library.count() == 1 and files(library) == sorted([str(first), str(second)])


def test_deleted_file_is_marked_and_its_paper_stays(watched, library, folder):
    watched.add(folder)
    content = pdf("The life of bees and other insects")
    path = save(folder / "bees.pdf", content)
    scan(watched)
    path.unlink()
    [report] = scan(watched)
    assert report.missing == [str(path)]
    assert library.count() == 1 and files(library) == [str(path)]
    assert watched.all()[0].missing == 1
    missing = parse("has:missing").conditions
    assert library.matching(missing).tolist() == library.ids().tolist()
    assert not scan(watched)[0].has_changes
    save(path, content)
    [report] = scan(watched)
    assert not watched.all()[0].missing and not report.new
    assert library.matching(missing).size == 0
    assert library.count() == 1


def test_file_moved_to_the_pdf_folder_by_the_program_is_not_missing(
    watched, library, folder, tmp_path
):
    pdfs = tmp_path / "PDFs"
    pdfs.mkdir()
    watched.add(folder)
    save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    scan(watched)
    PdfFolder(library, pdfs, "").move(library.ids().tolist(), Task())
    assert not scan(watched)[0].has_changes
    assert not watched.all()[0].missing and files(library) == [str(pdfs / "bees.pdf")]


def test_folder_that_was_imported_before_is_not_imported_again(watched, library, folder):
    save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    Importer(library, pdf_workers=1).add([folder], Task())
    watched.add(folder)
    assert not scan(watched)[0].has_changes
    assert watched.all()[0].files == 1 and len(library.import_log.imports()) == 1


def test_deleted_file_that_returns_elsewhere_is_followed(watched, library, folder):
    watched.add(folder)
    content = pdf("The life of bees and other insects")
    path = save(folder / "bees.pdf", content)
    scan(watched)
    path.unlink()
    scan(watched)
    save(folder / "again.pdf", content)
    scan(watched)
    assert files(library) == [str(folder / "again.pdf")]
    assert library.count() == 1 and not watched.all()[0].missing


def test_absent_folder_marks_nothing_and_recovers(watched, library, folder):
    watched.add(folder)
    save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    scan(watched)
    folder.rename(folder.with_name("elsewhere"))
    [report] = scan(watched)
    assert report.problem and not report.has_changes
    assert watched.all()[0].problem and not watched.all()[0].missing
    folder.with_name("elsewhere").rename(folder)
    save(folder / "refs.bib", BIB.encode())
    [report] = scan(watched)
    assert len(report.new) == 1 and not report.missing
    assert not watched.all()[0].problem


def test_empty_place_of_an_unmounted_drive_marks_nothing(watched, library, folder, monkeypatch):
    real = os.path.ismount
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == folder or real(path))
    watched.add(folder)
    path = save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    scan(watched)
    monkeypatch.setattr(os.path, "ismount", real)
    path.rename(folder.parent / "on the drive.pdf")
    [report] = scan(watched)
    assert report.problem and not watched.all()[0].missing


def test_file_of_an_absent_folder_is_not_taken_for_moved(watched, library, folder, tmp_path):
    """A copy in another folder becomes a second file of the paper."""
    other = tmp_path / "Papers"
    other.mkdir()
    watched.add(folder)
    watched.add(other)
    old = save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    scan(watched)
    shutil.copy2(old, other / "bees.pdf")
    folder.rename(tmp_path / "elsewhere")
    scan(watched)
    assert files(library) == sorted([str(old), str(other / "bees.pdf")])
    assert library.count() == 1


def test_import_from_a_watched_folder_is_undone_as_one_edit(watched, library, folder):
    watched.add(folder, collection="Inbox")
    save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    save(folder / "ants.pdf", pdf("The life of ants and other insects"))
    save(folder / "refs.bib", BIB.encode())
    assert len(scan(watched)[0].new) == 3
    assert len(library.matching(parse("in:Inbox").conditions)) == 3
    editor = LibraryEditor(library)
    editor.undo()
    assert library.count() == 0
    assert not scan(watched)[0].has_changes  # not imported again
    editor.redo()
    assert len(library.matching(parse("in:Inbox").conditions)) == 3


def test_undo_takes_back_merges_of_the_import(watched, library, folder, tmp_path):
    own = save(tmp_path / "own.bib", BIB.encode())
    Importer(library).add([own], Task())
    before = library.get(library.ids())
    watched.add(folder)
    more = BIB.replace("title", "year = 1898, title")
    save(folder / "refs.bib", more.encode())
    [report] = scan(watched)
    assert report.imported.merged == 1 and library.get(library.ids())[0].year == 1898
    LibraryEditor(library).undo()
    assert library.get(library.ids()) == before


def test_changed_bibliography_brings_new_records_but_none_from_the_trash(watched, library, folder):
    watched.add(folder)
    path = save(folder / "refs.bib", BIB.encode())
    scan(watched)
    library.trash(library.ids().tolist())
    save(path, (BIB + "@misc{b, title = {The life of bees and other insects}}").encode())
    assert len(scan(watched)[0].new) == 1
    assert titles(library) == ["The life of bees and other insects"]


def test_paper_deleted_by_the_user_does_not_come_back(watched, library, folder):
    watched.add(folder)
    save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    scan(watched)
    library.trash(library.ids().tolist())
    library.delete_permanently()
    assert not scan(watched)[0].has_changes
    assert library.count() == 0


def test_removed_folder_keeps_its_papers_and_is_recognized_when_watched_again(
    watched, library, folder
):
    known = watched.add(folder)
    save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    scan(watched)
    watched.remove(known)
    assert not watched.all() and library.count() == 1
    watched.add(folder)
    assert not scan(watched)[0].new
    assert library.count() == 1


def test_collection_of_a_folder_follows_its_renaming(watched, library, folder):
    watched.add(folder, collection="Inbox")
    library.collections.move("Inbox", "Reading/Inbox")
    assert watched.all()[0].collection == "Reading/Inbox"
    library.collections.delete("Reading")
    assert watched.all()[0].collection == ""


def test_killed_import_is_completed_by_the_next_scan(watched, library, folder):
    watched.add(folder)
    for n in range(3):
        save(folder / f"{n}.pdf", pdf(f"Number {n} of the lives of insects"))
    save(folder / "refs.bib", BIB.encode())

    class Stopping(Task):
        def step(self, done: int, total: int = 0, note: str = "") -> None:
            if library.count():
                raise Cancelled

    with pytest.raises(Cancelled):
        scan(watched, Stopping())
    assert 0 < library.count() < 4
    scan(watched)
    assert library.count() == 4
    assert not scan(watched)[0].has_changes


def test_links_in_a_circle_end(watched, library, folder):
    watched.add(folder)
    (folder / "circle").symlink_to(folder, target_is_directory=True)
    (folder / "broken.pdf").symlink_to(folder / "nowhere.pdf")
    save(folder / "refs.bib", BIB.encode())
    assert len(scan(watched)[0].new) == 1


def test_file_that_is_no_paper_is_reported_once(watched, library, folder):
    watched.add(folder)
    save(folder / "broken.pdf", b"no PDF at all %%EOF")
    save(folder / "table.csv", b"a,b\n1,2\n")
    [report] = scan(watched)
    assert [Path(one.file).name for one in report.imported.skips] == ["broken.pdf"]
    assert [Path(one.file).name for one in report.imported.unread] == ["table.csv"]
    [report] = scan(watched)
    assert not report.imported.skips and not report.imported.unread


def test_unreadable_file_is_imported_once_it_can_be_read(watched, library, folder, monkeypatch):
    watched.add(folder)
    path = save(folder / "refs.bib", BIB.encode())
    real = Path.open

    def locked(self, *args, **more):
        if self == path:
            raise PermissionError(13, "Permission denied", str(self))
        return real(self, *args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", locked)
        patch.setattr(os, "access", lambda at, mode: str(at) != str(path))
        [report] = scan(watched)
        assert len(report.imported.skips) == 1
        assert not scan(watched)[0].imported.skips
    assert len(scan(watched)[0].new) == 1


def test_files_of_a_subfolder_that_cannot_be_read_are_not_marked(
    watched, library, folder, monkeypatch
):
    watched.add(folder)
    save(folder / "deep" / "bees.pdf", pdf("The life of bees and other insects"))
    scan(watched)
    real = os.scandir

    def locked(path):
        if Path(path) == folder / "deep":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", locked)
        [report] = scan(watched)
    assert report.problem and not report.missing and not watched.all()[0].missing


def test_thousands_of_files_are_scanned_without_being_read(watched, library, folder, monkeypatch):
    watched.add(folder)
    for n in range(3000):
        save(folder / str(n % 7) / f"{n}.txt", b"notes of no interest")
    [report] = scan(watched)
    assert len(report.imported.unread) == 3000
    monkeypatch.setattr(formats, "unread_reason", None)  # would read the beginning of a file
    assert not scan(watched)[0].has_changes


def test_folder_that_does_not_exist_cannot_be_watched(watched, tmp_path):
    with pytest.raises(LibraryError):
        watched.add(tmp_path / "nowhere")


def test_undo_of_an_import_after_its_file_was_deleted_removes_the_papers(watched, library, folder):
    watched.add(folder)
    path = save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    save(folder / "refs.bib", BIB.encode())
    scan(watched)
    path.unlink()
    assert scan(watched)[0].missing == [str(path)]
    editor = LibraryEditor(library)
    editor.undo()
    assert library.count() == 0
    editor.redo()
    assert library.count() == 2


def test_undo_of_an_import_after_its_file_was_moved_and_deleted(watched, library, folder):
    watched.add(folder, collection="Inbox")
    path = save(folder / "bees.pdf", pdf("The life of bees and other insects"))
    scan(watched)
    moved = path.rename(folder / "insects.pdf")
    assert scan(watched)[0].moved == [(str(path), str(moved))]
    moved.unlink()
    assert scan(watched)[0].missing == [str(moved)]
    LibraryEditor(library).undo()
    assert library.count() == 0


def test_options_of_a_paused_folder_change_without_resuming_it(watched, library, folder):
    watched.pause(watched.add(folder))
    (paused,) = watched.all()
    watched.change(paused, subfolders=False, collection="inbox")
    (changed,) = watched.all()
    assert changed.paused and not changed.subfolders and changed.collection == "inbox"
    watched.change(changed, subfolders=True, collection="")
    (changed,) = watched.all()
    assert changed.subfolders and changed.collection == ""
