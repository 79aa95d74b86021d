"""Moving and renaming PDFs, with a real library and real files."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sciread_app.domain.annotations.annotations import Box, Colour, Highlight, ReadingPosition
from sciread_app.domain.paper import Author
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.services.library import file_moves
from sciread_app.services.library.attachments import AttachmentService
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.services.library.pdf_folder import PdfFolder
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.attachments import Attachment
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from trainer.contract.files import sha256_of

RULE = "{author} - {year} - {title}"
BEES = "Frisch - 1927 - Bees.pdf"


@pytest.fixture
def inbox(tmp_path):
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox"


@pytest.fixture
def store(tmp_path):
    (tmp_path / "pdfs").mkdir()
    return tmp_path / "pdfs"


@pytest.fixture
def pdfs(library, store):
    return PdfFolder(library, store, RULE)


@pytest.fixture
def editor(library):
    return LibraryEditor(library)


@pytest.fixture(params=["links", "copies"])
def disk(request, monkeypatch):
    """One disk, or two: the file system has hard links, or files must be copied."""
    if request.param == "copies":
        monkeypatch.setattr(os, "link", refuse_link)


def refuse_link(source, target, **options):
    raise OSError(errno.EXDEV, "Invalid cross-device link")


def put(library, *titles, authors=("Frisch",), year="1927"):
    people = tuple(Author(name) for name in authors)
    records = [paper(title, authors=people, published=year) for title in titles]
    return library.put(records).ids


def attach(library, id, path, text=None):
    """Attach a file with a content of its own, unless it exists."""
    if not path.exists():
        path.write_text(text or f"content of {path.name}")
    attachment = Attachment(id, str(path), sha256_of(path), path.stat().st_size)
    library.attachments.put([(attachment, "some words")])
    return path


def paths(library, *ids):
    return [Path(one.path) for one in library.attachments.of(ids or library.ids().tolist())]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_move_names_the_file_by_the_rule_and_undo_moves_it_back(
    library, pdfs, editor, inbox, store, disk
):
    [bees] = put(library, "Bees")
    old = attach(library, bees, inbox / "1.pdf", "dances")
    os.utime(old, (1, 1_000_000_000))
    report = pdfs.move([bees], Task())
    assert report.done == 1 and not report.failures
    assert paths(library) == [store / BEES]
    assert (store / BEES).read_text() == "dances" and names(inbox) == []
    assert (store / BEES).stat().st_mtime == 1_000_000_000
    assert editor.undo().id == report.edit.id
    assert paths(library) == [old] and old.read_text() == "dances" and names(store) == []
    assert editor.redo() and paths(library) == [store / BEES] and names(inbox) == []
    assert (store / BEES).read_text() == "dances" and names(store) == [BEES]


def test_second_move_changes_nothing(library, pdfs, editor, inbox, store):
    ids = put(library, "Bees", "Wasps")
    for id in (*ids, ids[0]):
        attach(library, id, inbox / f"{len(paths(library))}.pdf")
    pdfs.move(ids, Task())
    before = sorted(paths(library))
    again = pdfs.move(ids, Task())
    assert (again.done, again.edit, again.failures) == (0, None, [])
    assert sorted(paths(library)) == before == sorted(store.iterdir())
    assert "Frisch - 1927 - Bees (2).pdf" in names(store)


def test_taken_names_get_a_number_and_no_file_is_overwritten(library, pdfs, inbox, store, disk):
    ids = put(library, "Bees") + put(library, "BEES", authors=("frisch",))
    (store / BEES.upper()).write_text("a stranger")
    for n, id in enumerate(ids):
        attach(library, id, inbox / f"{n}.pdf", f"paper {n}")
    pdfs.move(ids, Task())
    assert (store / BEES.upper()).read_text() == "a stranger"
    assert [path.name for path in paths(library)] == [
        "Frisch - 1927 - Bees (2).pdf",
        "frisch - 1927 - BEES (3).pdf",
    ]
    assert [path.read_text() for path in paths(library)] == ["paper 0", "paper 1"]


def test_file_that_appears_in_the_meantime_is_not_overwritten(
    library, pdfs, inbox, store, monkeypatch, disk
):
    [bees] = put(library, "Bees")
    old = attach(library, bees, inbox / "1.pdf", "mine")
    real = file_moves._publish if os.link is refuse_link else os.link
    where = (file_moves, "_publish") if os.link is refuse_link else (os, "link")

    def late(source, target, **options):
        Path(target).write_text("theirs")
        return real(source, target, **options)

    monkeypatch.setattr(*where, late)
    report = pdfs.move([bees], Task())
    assert [Path(one.file) for one in report.failures] == [old] and report.done == 0
    assert paths(library) == [old] and old.read_text() == "mine"
    assert (store / BEES).read_text() == "theirs" and names(store) == [BEES]


def test_missing_and_unreadable_files_are_reported_and_the_rest_is_moved(
    library, pdfs, inbox, store, monkeypatch
):
    ids = put(library, "Bees", "Wasps", "Ants")
    for n, id in enumerate(ids):
        attach(library, id, inbox / f"{n}.pdf")
    (inbox / "0.pdf").unlink()

    def place(source, target, *, copy=False):
        if source.name == "1.pdf":
            raise PermissionError(errno.EACCES, "Permission denied", str(source))
        return real(source, target, copy=copy)

    real = file_moves.place
    monkeypatch.setattr("sciread_app.services.library.pdf_folder.place", place)
    report = pdfs.move(ids, Task())
    assert [Path(one.file).name for one in report.failures] == ["0.pdf", "1.pdf"]
    assert all(one.reason for one in report.failures)
    assert names(store) == ["Frisch - 1927 - Ants.pdf"] and report.done == 1
    assert paths(library, ids[1]) == [inbox / "1.pdf"]


def test_locked_file_is_reported_and_stays_beside_its_copy(
    library, pdfs, inbox, store, monkeypatch
):
    [bees] = put(library, "Bees")
    old = attach(library, bees, inbox / "1.pdf")

    def unlink(path, missing_ok=False):
        if path == old:
            raise PermissionError(errno.EACCES, "The file is open in another program", str(path))
        return real(path, missing_ok)

    real = Path.unlink
    monkeypatch.setattr(Path, "unlink", unlink)
    report = pdfs.move([bees], Task())
    assert [Path(one.file) for one in report.failures] == [old]
    assert paths(library) == [store / BEES] and old.exists()


def test_copy_that_differs_from_its_original_is_discarded(library, pdfs, inbox, store, monkeypatch):
    [bees] = put(library, "Bees")
    old = attach(library, bees, inbox / "1.pdf")
    monkeypatch.setattr(os, "link", refuse_link)
    monkeypatch.setattr(file_moves, "sha256_of", lambda path: "another")
    report = pdfs.move([bees], Task())
    assert len(report.failures) == 1 and names(store) == []
    assert paths(library) == [old] and old.exists()


def test_full_disk_leaves_files_where_they_are(library, pdfs, inbox, store, monkeypatch):
    [bees] = put(library, "Bees")
    old = attach(library, bees, inbox / "1.pdf")
    monkeypatch.setattr(os, "link", refuse_link)

    def fsync(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    report = pdfs.move([bees], Task())
    assert "space" in report.failures[0].reason and names(store) == []
    assert paths(library) == [old] and old.exists()


def test_files_of_zotero_are_copied_and_never_renamed(library, pdfs, editor, tmp_path, store):
    [bees] = put(library, "Bees")
    storage = tmp_path / "Zotero" / "storage" / "ABCD1234"
    storage.mkdir(parents=True)
    (tmp_path / "Zotero" / "zotero.sqlite").touch()
    own = attach(library, bees, storage / "bees.pdf")
    assert [Path(one.file) for one in pdfs.rename([bees], Task()).failures] == [own]
    pdfs.move([bees], Task())
    assert paths(library) == [store / BEES] and own.exists()
    assert not own.samefile(store / BEES)
    editor.undo()
    assert paths(library) == [own] and own.exists()


def test_rename_keeps_the_folder_and_other_files(library, pdfs, editor, inbox, store):
    [bees] = put(library, "Bees")
    old = attach(library, bees, inbox / "1.PDF")
    data = attach(library, bees, inbox / "data.csv")
    pdfs.rename([bees], Task())
    assert sorted(paths(library)) == sorted([inbox / BEES, data]) and names(store) == []
    editor.undo()
    assert sorted(paths(library)) == [old, data]


def test_paper_without_values_keeps_the_name_of_its_file(library, store, inbox):
    [bees] = put(library, "Bees", authors=(), year="")
    attach(library, bees, inbox / "scan 17.pdf")
    PdfFolder(library, store, "{author} {year}").move([bees], Task())
    assert names(store) == ["scan 17.pdf"]


def test_empty_pattern_moves_without_renaming(library, store, inbox):
    [bees] = put(library, "Bees")
    attach(library, bees, inbox / "scan 17.pdf")
    PdfFolder(library, store, "").move([bees], Task())
    assert names(store) == ["scan 17.pdf"]
    with pytest.raises(LibraryError):
        PdfFolder(library, store, "").rename([bees], Task())


def test_file_below_the_folder_is_renamed_where_it_is(library, pdfs, store):
    [bees] = put(library, "Bees")
    (store / "thesis").mkdir()
    attach(library, bees, store / "thesis" / "1.pdf")
    pdfs.move([bees], Task())
    assert paths(library) == [store / "thesis" / BEES]


def test_file_of_two_papers_moves_for_both(library, pdfs, inbox, store):
    ids = put(library, "Bees", "Wasps")
    for id in ids:
        attach(library, id, inbox / "proceedings.pdf")
    pdfs.move(ids, Task())
    assert paths(library) == [store / BEES] * 2 and names(store) == [BEES]


def test_highlights_and_reading_position_follow_the_file(library, pdfs, inbox, store):
    [bees] = put(library, "Bees")
    old = attach(library, bees, inbox / "1.pdf")
    sha256 = sha256_of(old)
    library.annotations.add(
        Highlight(bees, sha256, str(old), 0, (Box(0, 0, 1, 1),), "dance", Colour.green)
    )
    library.annotations.remember(sha256, ReadingPosition(page=3))
    pdfs.move([bees], Task())
    (kept,) = library.annotations.highlights([bees])
    assert (kept.path, kept.sha256) == (str(store / BEES), sha256)
    (read,) = library.annotations.recently_read(5)
    assert (read.path, read.page) == (str(store / BEES), 3)


def test_paper_split_after_a_move_has_its_file_at_the_new_place(
    library, pdfs, editor, inbox, store
):
    bees, wasps = put(library, "Bees", "Wasps")
    attach(library, bees, inbox / "b.pdf")
    attach(library, wasps, inbox / "w.pdf")
    editor.merge(bees, [wasps])
    pdfs.move([bees], Task())
    [merge] = library.duplicates.merges()
    editor.split(merge.id)
    assert all(path.is_file() and path.parent == store for path in paths(library))
    assert len(paths(library)) == 2


def test_undo_does_not_overwrite_a_file_at_the_old_place(library, pdfs, editor, inbox, store):
    [bees] = put(library, "Bees")
    old = attach(library, bees, inbox / "1.pdf", "mine")
    pdfs.move([bees], Task())
    old.write_text("another")
    with pytest.raises(LibraryError, match=r"1\.pdf"):
        editor.undo()
    assert old.read_text() == "another" and (store / BEES).read_text() == "mine"
    assert paths(library) == [store / BEES]


def test_blocked_undo_leaves_the_files_where_they_are(library, pdfs, editor, inbox, store):
    [bees] = put(library, "Bees")
    attach(library, bees, inbox / "1.pdf")
    pdfs.move([bees], Task())
    library.attachments.move(str(store / BEES), str(store / "elsewhere.pdf"))
    with pytest.raises(LibraryError):
        editor.undo()
    assert names(store) == [BEES] and names(inbox) == []


def test_undo_recreates_the_folder_of_the_old_place(library, pdfs, editor, inbox):
    [bees] = put(library, "Bees")
    old = attach(library, bees, inbox / "1.pdf")
    pdfs.move([bees], Task())
    inbox.rmdir()
    editor.undo()
    assert old.is_file() and paths(library) == [old]


def test_canceled_move_keeps_what_is_done_as_one_edit(library, pdfs, editor, inbox, store):
    ids = put(library, *(f"Bees {n}" for n in range(50)))
    for n, id in enumerate(ids):
        attach(library, id, inbox / f"{n}.pdf")
    task = Task(lambda done, total, note: task.cancel() if done == 25 else None)
    with pytest.raises(Cancelled):
        pdfs.move(ids, task)
    assert all(path.is_file() for path in paths(library))
    assert 0 < len(names(store)) < 50 and len(names(store)) + len(names(inbox)) == 50
    editor.undo()
    assert len(names(inbox)) == 50 and names(store) == []


@pytest.mark.parametrize("copy", [True, False])
def test_take_in_files_new_pdfs_only(library, pdfs, inbox, store, copy):
    bees, wasps = put(library, "Bees", "Wasps")
    new = attach(library, bees, inbox / "1.pdf")
    other = attach(library, wasps, store / "by hand.pdf")
    report = pdfs.take_in([new, other, inbox / "unknown.pdf"], Task(), copy=copy)
    assert report.done == 1 and not report.failures and new.exists() == copy
    assert sorted(paths(library)) == sorted([store / BEES, other])


def test_file_taken_in_again_is_not_stored_twice(library, pdfs, inbox, store):
    [bees] = put(library, "Bees")
    new = attach(library, bees, inbox / "1.pdf")
    pdfs.take_in([new], Task(), copy=True)
    attach(library, bees, new)
    pdfs.take_in([new], Task(), copy=True)
    assert paths(library) == [store / BEES] and names(store) == [BEES] and new.exists()


@pytest.mark.parametrize("folder", [None, Path("/not/connected")])
def test_move_without_a_folder_is_refused(library, folder):
    with pytest.raises(LibraryError) as caught:
        PdfFolder(library, folder, RULE).move([1], Task())
    assert "Settings" in caught.value.hint


def test_moved_file_is_found_by_its_text(library, pdfs, inbox):
    [bees] = put(library, "Bees")
    attach(library, bees, inbox / "1.pdf")
    pdfs.move([bees], Task())
    assert [id for id, _ in library.search_text("words", 10)] == [bees]
    assert not AttachmentService(library).of(bees)[0].missing


KILLED = """
import os, sys
from pathlib import Path
from sciread_app.services.library import file_moves, pdf_folder
from sciread_app.services.library.pdf_folder import PdfFolder
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

home, moment, links, rule = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
if links == "copies":
    real_link = os.link
    def link(source, target, **options):
        if Path(source).parent != Path(target).parent:
            raise OSError(18, "Invalid cross-device link")
        return real_link(source, target, **options)
    os.link = link

def kill(*args, **options):
    os._exit(9)

def after(real):
    def run(*args, **options):
        real(*args, **options)
        os._exit(9)
    return run

if moment == "during the copy":
    file_moves.sha256_of = kill
elif moment == "before the library":
    pdf_folder.place = after(file_moves.place)
elif moment == "after the library":
    pdf_folder.remove_old = kill
elif moment == "after the removal":
    pdf_folder.remove_old = after(file_moves.remove_old)
PdfFolder(Library(home / "library.sqlite3"), home / "pdfs", rule).move([1, 2], Task())
"""


@pytest.mark.parametrize("links", ["links", "copies"])
@pytest.mark.parametrize(
    "moment", ["during the copy", "before the library", "after the library", "after the removal"]
)
def test_killed_move_leaves_every_file_and_is_completed_by_the_next(
    tmp_path, inbox, store, moment, links
):
    if (moment, links) == ("during the copy", "links"):
        pytest.skip("nothing is copied")
    library = Library(tmp_path / "library.sqlite3")
    for n, id in enumerate(put(library, "Bees", "Wasps")):
        attach(library, id, inbox / f"{n}.pdf", f"paper {n}")
    library.close()
    command = [sys.executable, "-c", KILLED, str(tmp_path), moment, links, RULE]
    assert subprocess.run(command, timeout=60).returncode == 9
    library = Library(tmp_path / "library.sqlite3")
    try:
        assert [path.read_text() for path in paths(library)] == ["paper 0", "paper 1"]
        report = PdfFolder(library, store, RULE).move([1, 2], Task())
        assert not report.failures
        assert paths(library) == [store / BEES, store / BEES.replace("Bees", "Wasps")]
        assert sorted(store.iterdir()) == sorted(paths(library))
        assert [path.read_text() for path in paths(library)] == ["paper 0", "paper 1"]
    finally:
        library.close()
