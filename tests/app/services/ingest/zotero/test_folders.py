"""Import from the data folders of Zotero, found by its profiles."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sciread_app.domain.annotations.annotations import Colour
from sciread_app.domain.paper import Author, Identifier
from sciread_app.errors import Cancelled, SourceError
from sciread_app.formats.zotero import database
from sciread_app.language import tr
from sciread_app.services.ingest.importer import Importer, ImportReport
from sciread_app.services.ingest.zotero.folders import ZoteroFolder, find_folders, folder_at
from sciread_app.services.ingest.zotero.importer import ZoteroImporter
from sciread_app.services.library.pdf_folder import PdfFolder
from sciread_app.tasks import Task
from tests.support.generate.pdf import At, body, make_pdf
from tests.support.generate.zotero import FEED, GROUP, ZoteroFolderBuilder


@pytest.fixture
def zotero(tmp_path) -> Iterator[ZoteroFolderBuilder]:
    builder = ZoteroFolderBuilder(tmp_path / "Zotero")
    yield builder
    builder.db.close()


@pytest.fixture
def run_import(library, zotero):
    def run(**options) -> ImportReport:
        def no_client():
            raise AssertionError("no Zotero is asked")

        filing = {key: options.pop(key) for key in ("file_pdfs",) if key in options}
        importer = ZoteroImporter(library, Importer(library, pdf_workers=1, **filing), no_client)
        folder = options.pop("folder", ZoteroFolder(zotero.folder))
        task = options.pop("task", None) or Task()
        return importer.import_folder(folder, task, **options)

    return run


def titles(library) -> set[str]:
    return {paper.title for paper in library.get(library.ids())}


def test_items_of_a_closed_zotero_are_imported_with_all_that_belongs_to_them(
    library, zotero, run_import
):
    item = zotero.item(
        "AAAA1111",
        "On the <i>life</i> of bees",
        creators=(("Maurice", "Maeterlinck"), ("", "Society of Bees")),
        tags=("to read",),
        automatic=("Insecta",),
        date="1901-05-00 May 1901",
        publicationTitle="Annals of Bees",
        DOI="10.1000/bees",
        extra="Citation Key: maeterlinck1901",
    )
    thesis = zotero.collection("CCCC1111", "Thesis")
    zotero.collection("CCCC2222", "Bees/Wasps", item, parent=thesis)
    zotero.note("NNNN1111", "<p>Fine &amp; dandy</p>", item)
    zotero.attach("FFFF1111", "storage:bees.pdf", item)
    pdf = zotero.folder / "storage" / "FFFF1111" / "bees.pdf"
    pdf.parent.mkdir(parents=True)
    pdf.write_bytes(make_pdf([At("On the life of bees", 20, y=720), *body()]))
    report = run_import()
    assert (report.read, report.added, report.failed, report.texts) == (1, 1, 0, 1)
    (paper,) = library.get([1])
    assert paper.title == "On the life of bees" and paper.kind == "article-journal"
    assert paper.authors == (
        Author("Maeterlinck", "Maurice"),
        Author("Society of Bees", literal=True),
    )
    assert (paper.venue, paper.published) == ("Annals of Bees", "1901-05")
    assert Identifier("doi", "10.1000/bees") in paper.identifiers
    assert Identifier("citekey", "maeterlinck1901") in paper.identifiers
    assert paper.keywords == ("Insecta",) and paper.files == (str(pdf),)
    marks = library.organisation.of([1])[1]
    assert marks.tags == ("to read",) and marks.collections == ("Thesis/Bees-Wasps",)
    assert [note.text for note in library.notes.of(1)] == ["Fine & dandy"]


def test_second_import_adds_nothing_and_the_trash_of_zotero_is_left_out(
    library, zotero, run_import
):
    kept = zotero.item("AAAA1111", "On the life of bees")
    zotero.trash(zotero.item("AAAA2222", "On the life of wasps"))
    zotero.trash(zotero.note("NNNN1111", "<p>Gone</p>", kept))
    zotero.trash_collection(zotero.collection("CCCC1111", "Old", kept))
    zotero.item("AAAA3333", "A feed", library=FEED)
    run_import()
    assert run_import().added == 0
    assert titles(library) == {"On the life of bees"}
    assert not library.notes.of(1) and not library.collections.paths()


def test_linked_files_are_found_at_their_base_folder(library, zotero, run_import, tmp_path):
    base = tmp_path / "Papers"
    base.mkdir()
    for name in ("relative.pdf", "absolute.pdf"):
        (base / name).write_bytes(make_pdf([At("On the life of bees", 20, y=720), *body()]))
    item = zotero.item("AAAA1111", "On the life of bees")
    zotero.attach("FFFF1111", "attachments:relative.pdf", item, mode=2)
    zotero.attach("FFFF2222", str(base / "absolute.pdf"), item, mode=2)
    zotero.attach("FFFF3333", "", item, mode=3)
    run_import(folder=ZoteroFolder(zotero.folder, base=base))
    (paper,) = library.get([1])
    assert set(paper.files) == {str(base / "relative.pdf"), str(base / "absolute.pdf")}


def test_file_without_an_item_becomes_a_paper_and_a_lone_note_is_reported(
    library, zotero, run_import
):
    zotero.attach("FFFF1111", "storage:bees.pdf", None)
    pdf = zotero.folder / "storage" / "FFFF1111" / "bees.pdf"
    pdf.parent.mkdir(parents=True)
    pdf.write_bytes(make_pdf([At("On the life of bees and wasps", 20, y=720), *body()]))
    zotero.note("NNNN1111", "<p>An idea</p>", None)
    report = run_import()
    assert titles(library) == {"On the life of bees and wasps"}
    assert [one.entry for one in report.remarks] == ["An idea"]


def test_related_items_are_named_in_a_note_once(library, zotero, run_import):
    bees = zotero.item("AAAA1111", "On the life of bees", creators=(("M", "Maeterlinck"),))
    zotero.item("AAAA2222", "On the life of ants", creators=(("M", "Maeterlinck"),), date="1930")
    zotero.relate(bees, "AAAA2222")
    run_import()
    run_import()
    [note] = library.notes.of(1)
    assert "On the life of ants" in note.text and "1930" in note.text


def annotated(zotero) -> int:
    """A paper with a PDF of two pages, 800 points high; returns the number of the file."""
    file = zotero.attach("FFFF1111", "storage:bees.pdf", zotero.item("AAAA1111", "On bees"))
    pdf = zotero.folder / "storage" / "FFFF1111" / "bees.pdf"
    pdf.parent.mkdir(parents=True)
    pdf.write_bytes(make_pdf([At("On bees", 20, y=720), *body()], body()))
    return file


def test_annotations_are_imported_with_places_colors_comments_and_dates(
    library, zotero, run_import
):
    file = annotated(zotero)
    zotero.annotate(
        "KKKK1111", file, 1, (60, 700, 160, 712), text="The queen", comment="Why?", color="#5fb236",
        nextPageRects=[(60, 100, 90, 112)],
    )  # fmt: skip
    zotero.annotate("KKKK2222", file, 5, (60, 600, 90, 612), text="underlined", page=1)
    zotero.annotate("KKKK3333", file, 3, (10, 20, 110, 120), comment="A figure", page=1)
    zotero.annotate("KKKK4444", file, 4, paths=[[1, 2, 3, 4]])
    zotero.annotate("KKKK5555", file, 1, (1, 2, 3, 4), text="in the PDF", external=True)
    zotero.trash(zotero.annotate("KKKK6666", file, 1, (1, 2, 3, 4), text="gone"))
    zotero.annotate("KKKK7777", file, 1, (1, 2, 3, 4), text="no such page", page=9)
    run_import()
    found = library.annotations.highlights([1])
    assert [(one.page, one.text) for one in found] == [
        (0, "The queen"), (1, "underlined"), (1, ""), (1, "The queen"),
    ]  # fmt: skip
    first, _, area, _ = found
    assert (first.colour, first.note) == (Colour.green, "Why?")
    assert first.boxes[0] == pytest.approx((60, 88, 160, 100), abs=0.1)
    assert first.added == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC).timestamp()
    assert first.changed == datetime(2024, 6, 7, 8, 9, 10, tzinfo=UTC).timestamp()
    assert area.is_area and area.note == "A figure"
    assert {one.sha256 for one in found} == {library.attachments.of([1])[0].sha256}


def test_annotations_of_a_linked_file_that_the_import_moves_are_kept(
    library, zotero, run_import, tmp_path
):
    linked = tmp_path / "linked.pdf"
    linked.write_bytes(make_pdf([At("On the life of bees and wasps", 20, y=720), *body()]))
    file = zotero.attach("FFFF1111", str(linked), None, mode=2)
    zotero.annotate("KKKK1111", file, 1, (60, 700, 160, 712), text="The queen")
    (tmp_path / "pdfs").mkdir()
    folder = PdfFolder(library, tmp_path / "pdfs", "")
    run_import(file_pdfs=lambda paths, task: folder.take_in(paths, task, copy=False).failures)
    assert not linked.exists()
    assert [one.text for one in library.annotations.highlights([1])] == ["The queen"]


def test_annotations_are_imported_once_and_undone_as_one_edit(library, zotero, run_import):
    file = annotated(zotero)
    zotero.annotate("KKKK1111", file, 1, (60, 700, 160, 712), text="The queen")
    zotero.annotate("KKKK2222", file, 1, (60, 600, 160, 612), text="The drone")
    run_import()
    removed, kept = library.annotations.highlights([1])
    library.annotations.remove(removed.id)
    zotero.annotate("KKKK3333", file, 1, (60, 500, 160, 512), text="The egg")
    run_import()
    assert [one.text for one in library.annotations.highlights([1])] == [kept.text, "The egg"]
    library.edits.undo()
    assert [one.text for one in library.annotations.highlights([1])] == [kept.text]


def test_annotations_in_a_data_folder_behind_a_link_are_imported(
    library, zotero, run_import, tmp_path
):
    zotero.annotate("KKKK1111", annotated(zotero), 1, (60, 700, 160, 712), text="The queen")
    link = tmp_path / "link"
    link.symlink_to(zotero.folder, target_is_directory=True)
    run_import(folder=ZoteroFolder(link))
    assert [one.text for one in library.annotations.highlights([1])] == ["The queen"]


def test_annotations_of_a_file_without_an_item_are_imported_once(library, zotero, run_import):
    annotate_file_without_item(zotero)
    run_import()
    run_import()
    assert [one.text for one in library.annotations.highlights([1])] == ["The queen"]


def test_annotations_of_a_file_copied_to_another_folder_are_imported(
    library, zotero, run_import, tmp_path
):
    pdf = annotate_file_without_item(zotero)
    copy = tmp_path / "copy.pdf"
    shutil.copy(pdf, copy)
    run_import(file_pdfs=lambda paths, task: library.attachments.move(str(pdf), str(copy)) and [])
    assert [one.path for one in library.annotations.highlights([1])] == [str(copy)]


def test_canceled_import_keeps_the_annotations_of_files_read_so_far(library, zotero, run_import):
    zotero.annotate("KKKK1111", annotated(zotero), 1, (60, 700, 160, 712), text="The queen")
    annotate_file_without_item(zotero)
    task = Task(
        lambda done, total, note: done and note == tr("Reading annotations") and task.cancel()
    )
    with pytest.raises(Cancelled):
        run_import(task=task)
    assert [one.text for one in library.annotations.highlights([1, 2])] == ["The queen"]


def annotate_file_without_item(zotero) -> Path:
    file = zotero.attach("FFFF9999", "storage:wasps.pdf", None)
    pdf = zotero.folder / "storage" / "FFFF9999" / "wasps.pdf"
    pdf.parent.mkdir(parents=True)
    pdf.write_bytes(make_pdf([At("On the life of bees and wasps", 20, y=720), *body()]))
    zotero.annotate("KKKK9999", file, 1, (60, 700, 160, 712), text="The queen")
    return pdf


def test_group_libraries_become_collections_unless_left_out(library, zotero, run_import):
    zotero.item("AAAA1111", "On the life of bees")
    filed = zotero.item("AAAA2222", "On the life of ants", library=GROUP)
    zotero.item("AAAA3333", "On the life of wasps", library=GROUP)
    zotero.collection("CCCC1111", "Queens", filed, library=GROUP)
    run_import(groups=False)
    assert titles(library) == {"On the life of bees"}
    run_import()
    assert library.collections.paths() == ["Bee lab", "Bee lab/Queens"]
    assert library.count() == 3


def test_database_is_not_written_to_and_can_be_locked_by_zotero(library, zotero, run_import):
    zotero.item("AAAA1111", "On the life of bees")
    zotero.db.execute("PRAGMA locking_mode = EXCLUSIVE")
    zotero.db.execute("BEGIN EXCLUSIVE")
    before = hashlib.sha256(zotero.file.read_bytes()).digest()
    names = sorted(zotero.folder.iterdir())
    assert run_import().added == 1
    assert hashlib.sha256(zotero.file.read_bytes()).digest() == before
    assert sorted(zotero.folder.iterdir()) == names


def test_transaction_that_was_not_completed_is_left_out(library, zotero, run_import):
    """Its pages may already be in the file, with the journal beside it that takes them back."""
    zotero.item("AAAA1111", "On the life of bees")
    zotero.db.execute("PRAGMA cache_size = 1")  # so that pages are written before the end
    zotero.db.execute("BEGIN")
    for n in range(2000):
        zotero.db.execute(
            "INSERT INTO items (itemTypeID, libraryID, key) VALUES (1, 1, ?)", (f"HALF{n:04}",)
        )
    assert zotero.file.with_name("zotero.sqlite-journal").exists()
    report = run_import()
    assert (report.added, report.failed) == (1, 0)


def test_database_that_is_being_written_is_copied_again(library, zotero, run_import, monkeypatch):
    zotero.item("AAAA1111", "On the life of bees")
    monkeypatch.setattr(database, "_PAUSE", 0.0)
    real, times = database.shutil.copyfile, []

    def copyfile(source, target):
        real(source, target)
        times.append(source)
        if len(times) < 3:  # written to during the copy
            later = time.time() + len(times)
            os.utime(source, (later, later))

    monkeypatch.setattr(database.shutil, "copyfile", copyfile)
    assert run_import().added == 1
    assert len(times) == 3


@pytest.mark.parametrize("content", [b"", b"this is no database at all" * 100])
def test_damaged_database_is_an_error(zotero, run_import, content):
    zotero.db.close()
    zotero.file.write_bytes(content)
    with pytest.raises(SourceError):
        run_import()


def test_database_of_an_old_zotero_is_an_error(zotero, run_import):
    zotero.db.execute("UPDATE version SET version = 77")
    zotero.db.commit()
    with pytest.raises(SourceError, match="Zotero 5"):
        run_import()


def make_profile(folder: Path, name: str, *preferences: str) -> None:
    """Add a profile, whose folder is relative to profiles.ini, with these lines of prefs.js."""
    (folder / "Profiles" / name).mkdir(parents=True)
    (folder / "Profiles" / name / "prefs.js").write_text("\n".join(preferences))
    with (folder / "profiles.ini").open("a") as stream:
        stream.write(f"[Profile{name}]\nName={name}\nIsRelative=1\nPath=Profiles/{name}\n\n")


def make_data(folder: Path, *, age: float) -> Path:
    folder.mkdir(parents=True)
    file = folder / "zotero.sqlite"
    sqlite3.connect(file).close()
    file.touch()
    os.utime(file, (time.time() - age, time.time() - age))
    return folder


@pytest.mark.parametrize(
    "platform, place",
    [
        ("linux", ".zotero/zotero"),
        ("darwin", "Library/Application Support/Zotero"),
        ("win32", "AppData/Roaming/Zotero/Zotero"),
    ],
)
def test_data_folders_of_all_profiles_are_found(tmp_path, platform, place):
    home = tmp_path / "ada"
    default = make_data(home / "Zotero", age=100)
    work = make_data(tmp_path / "work data", age=10)
    make_profile(home / place, "default", 'user_pref("extensions.zotero.useDataDir", false);')
    make_profile(
        home / place,
        "work",
        'user_pref("extensions.zotero.useDataDir", true);',
        f'user_pref("extensions.zotero.dataDir", "{work}");',
        f'user_pref("extensions.zotero.baseAttachmentPath", "{tmp_path / "base"}");',
    )
    make_profile(
        home / place,
        "gone",
        'user_pref("extensions.zotero.useDataDir", true);',
        f'user_pref("extensions.zotero.dataDir", "{tmp_path / "gone"}");',
    )
    found = find_folders(home, platform, {})
    assert [(one.path, one.profile, one.base) for one in found] == [
        (work, "work", tmp_path / "base"),
        (default, "default", None),
    ]


def test_default_folder_is_found_without_profiles_and_damaged_ones_are_ignored(tmp_path):
    default = make_data(tmp_path / "Zotero", age=1)
    assert [one.path for one in find_folders(tmp_path, "linux", {})] == [default]
    (tmp_path / ".zotero" / "zotero").mkdir(parents=True)
    (tmp_path / ".zotero" / "zotero" / "profiles.ini").write_bytes(b"\xff[[[")
    assert [one.path for one in find_folders(tmp_path, "linux", {})] == [default]
    assert find_folders(tmp_path / "nobody", "linux", {}) == []


def test_folder_is_named_by_its_path_or_that_of_its_database(tmp_path):
    data = make_data(tmp_path / "Zotero", age=1)
    known = [ZoteroFolder(data, "default", tmp_path / "base", 1.0)]
    assert folder_at(data, known) == known[0]
    assert folder_at(data / "zotero.sqlite", []).path == data
    with pytest.raises(SourceError):
        folder_at(tmp_path, known)
