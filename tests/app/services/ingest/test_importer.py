"""Imports lose nothing, add nothing twice, and resume after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sciread_app.domain.paper import PaperId
from sciread_app.errors import Cancelled
from sciread_app.formats.zotero.rdf import NAMESPACES
from sciread_app.services.ingest.importer import BATCH, Importer
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.generate.pdf import At, body, make_pdf

BIB = """
@article{curie1898, author = {Curie, Marie}, title = {On a new radioactive substance},
  journal = {Comptes rendus}, year = 1898, file = {:curie.pdf:PDF}}
@book{broken, title = {No end
@article{joliot1934, author = {Joliot, Fr\\'ed\\'eric}, title = {A new type of radioactivity},
  year = 1934}
"""
RIS = "TY  - JOUR\nAU  - Curie, Marie\nTI  - On a New Radioactive Substance\nPY  - 1898\nER  - \n"


def pdf(title: str) -> bytes:
    return make_pdf([At(title, 20, y=720), *body()])


@pytest.fixture
def intake(library) -> Importer:
    return Importer(library, pdf_workers=1)


def add(intake: Importer, *paths: Path):
    return intake.add(paths, Task())


def write_jsonl(path: Path, count: int) -> None:
    with path.open("w") as stream:
        for n in range(count):
            about = {"id": f"x:{n}", "title": f"Bee number {n} of many", "abstract": "It flies."}
            stream.write(json.dumps(about) + "\n")


def test_report_names_the_papers_that_were_added(intake, library, tmp_path):
    first, second = tmp_path / "first.ris", tmp_path / "second.bib"
    first.write_text(RIS)
    second.write_text(BIB)
    (curie,) = add(intake, first).new
    (joliot,) = add(intake, second).new  # the other record is merged into the first paper
    assert [one.title for one in library.get([curie, joliot])] == [
        "On a New Radioactive Substance",
        "A new type of radioactivity",
    ]


def test_import_of_mixed_folder_accounts_for_every_record(intake, library, tmp_path):
    folder = tmp_path / "papers"
    (folder / "sub").mkdir(parents=True)
    (folder / "refs.bib").write_text(BIB)
    (folder / "sub" / "more.RIS").write_text(RIS)
    (folder / "curie.pdf").write_bytes(pdf("Polonium glows in the dark"))
    (folder / "notes.docx").write_bytes(b"PK")

    report = add(intake, folder)

    assert report.read == report.added + report.merged + report.failed
    assert (report.added, report.merged, report.failed, len(report.unread)) == (2, 2, 1, 1)
    [skip] = report.skips
    assert skip.file.endswith("refs.bib") and "broken" in skip.entry
    [story] = library.import_log.imports()
    assert (story.read, story.added, story.merged, story.failed) == (5, 2, 2, 1)
    assert library.import_log.failures(story.id) == report.skips
    # The PDF belongs to the entry that names it, and its text is indexed.
    [(found, _)] = library.search_text("polonium", 5)
    assert library.get([found])[0].title == "On a new radioactive substance"


def test_second_import_adds_nothing_and_opens_no_pdf(intake, library, tmp_path):
    (tmp_path / "refs.bib").write_text(BIB)
    (tmp_path / "stray.pdf").write_bytes(pdf("An essay on honey bees"))
    first = add(intake, tmp_path / "refs.bib", tmp_path / "stray.pdf")
    second = add(intake, tmp_path / "refs.bib", tmp_path / "stray.pdf")
    assert first.added == 3 and second.added == 0
    assert second.read == first.read and second.texts == 0 and library.count() == 3


@pytest.mark.parametrize("undo_as", ["", "Added papers"])
@pytest.mark.parametrize("name", ["bees.pdf", "copy.pdf"])
def test_importing_a_pdf_again_takes_its_paper_out_of_the_trash_if_asked(
    intake, library, tmp_path, name, undo_as
):
    file, again = tmp_path / "bees.pdf", tmp_path / name
    file.write_bytes(pdf("Bees"))
    add(intake, file)
    library.trash([1])
    if again != file:
        again.write_bytes(file.read_bytes())
    assert intake.add([again], Task(), undo_as=undo_as).merged == 1
    assert library.trashed().tolist() == ([1] if undo_as else [])


def test_importing_a_pdf_again_leaves_a_duplicate_in_the_trash(intake, library, tmp_path):
    file = tmp_path / "bees.pdf"
    file.write_bytes(pdf("Bees"))
    add(intake, file)
    (known,) = library.attachments.of([1])
    library.put([paper("The bees")])
    library.attachments.put([(replace(known, paper=PaperId(2)), "")])
    library.trash([2])
    add(intake, file)
    assert library.trashed().tolist() == [2]


def test_moved_file_is_recognised_by_content(intake, library, tmp_path):
    old, new = tmp_path / "old.pdf", tmp_path / "new" / "other name.pdf"
    old.write_bytes(pdf("An essay on honey bees"))
    add(intake, old)
    new.parent.mkdir()
    old.rename(new)
    assert add(intake, new).added == 0
    assert str(new) in library.get([1])[0].files


def test_copies_of_one_pdf_are_one_paper(intake, library, tmp_path):
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(pdf("An essay on honey bees"))
    report = add(intake, tmp_path)
    assert (report.added, report.merged) == (1, 1) and len(library.get([1])[0].files) == 2


@pytest.mark.parametrize(
    "content",
    [b"hello", b"", bytes(range(256)) * 20, b"\x89PNG\r\n\x1a\n" + bytes(90), pdf("Cut off")[:60]],
    ids=["5 bytes", "empty", "random", "PNG", "truncated"],
)
def test_file_that_is_not_a_paper_is_not_added(intake, library, tmp_path, content):
    file = tmp_path / "no_paper.pdf"
    file.write_bytes(content)
    report = add(intake, tmp_path)
    assert (report.added, report.failed, report.remarks) == (0, 1, []) and not library.count()
    assert report.skips[0].file == str(file) and report.skips[0].reason


def test_unused_author_list_of_pdf_is_remarked(intake, tmp_path):
    page = [At("On the Flight of Honey Bees", 20, y=720), *body()]
    file = tmp_path / "bees.pdf"
    file.write_bytes(make_pdf(page, info={"Author": "Cy Doe; Dee Fox; Eve Gale"}))
    report = add(intake, tmp_path)
    (remark,) = report.remarks
    assert report.added == 1 and remark.file == str(file)
    assert all(name in remark.reason for name in ("Cy Doe", "Dee Fox", "Eve Gale"))


def test_damaged_copy_does_not_change_its_paper(intake, library, tmp_path):
    file = tmp_path / "bees.pdf"
    file.write_bytes(pdf("An essay on honey bees"))
    add(intake, file)
    before = library.attachments.of([1])
    file.write_bytes(b"hello")
    assert add(intake, file).failed == 1
    assert library.attachments.of([1]) == before and library.search_text("honey", 5)


def test_scan_becomes_paper_with_remark(intake, library, tmp_path):
    (tmp_path / "Some old report.pdf").write_bytes(make_pdf([]))
    report = add(intake, tmp_path)
    assert (report.added, report.failed, len(report.remarks)) == (1, 0, 1)


def test_every_file_that_is_not_read_is_named_with_a_reason(intake, tmp_path):
    folder = tmp_path / "papers"
    folder.mkdir()
    names = ("table.csv", "z.rdf", "a.png", "b.png", "run.py", "readme.txt", "LICENSE", "lib.enl")
    for name in names:
        (folder / name).write_text("x")
    (folder / "savedrecs.txt").write_text("FN Clarivate Web of Science\nVR 1.0\nPT J\nTI On bees")
    report = add(intake, folder)
    assert sorted(Path(one.file).name for one in report.unread) == sorted(names)
    assert all(one.reason for one in report.unread)
    assert report.unread_kinds[".png"] == 2 and report.unread_kinds[""] == 1
    assert (report.files, report.added, report.failed) == (1, 1, 0)


def test_zotero_rdf_brings_collections_tags_and_notes_once(intake, library, tmp_path):
    names = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in NAMESPACES.items())
    (tmp_path / "library.rdf").write_text(
        f"<rdf:RDF {names}><bib:Book rdf:about='#1'><z:itemType>book</z:itemType>"
        "<dc:title>On bees</dc:title><dc:subject>to read</dc:subject>"
        "<dcterms:isReferencedBy rdf:resource='#2'/></bib:Book>"
        "<bib:Memo rdf:about='#2'><rdf:value>Compare.</rdf:value></bib:Memo>"
        "<z:Collection rdf:about='#3'><dc:title>Insects</dc:title>"
        "<dcterms:hasPart rdf:resource='#1'/></z:Collection></rdf:RDF>"
    )
    (paper,) = add(intake, tmp_path / "library.rdf").new
    marks = library.organisation.of([paper])[paper]
    assert (marks.collections, marks.tags) == (("Insects",), ("to read",))
    assert [note.text for note in library.notes.of(paper)] == ["Compare."]
    library.tags.remove([paper], "to read")
    add(intake, tmp_path / "library.rdf")
    assert not library.organisation.of([paper])[paper].tags
    assert len(library.notes.of(paper)) == 1


def test_missing_file_is_reported_and_others_are_imported(intake, tmp_path):
    (tmp_path / "refs.bib").write_text(BIB)
    report = add(intake, tmp_path / "gone", tmp_path / "refs.bib")
    assert report.added == 2
    assert report.skips[0] == (str(tmp_path / "gone"), "", "The file or folder does not exist.")


def test_undecodable_names_and_texts_do_not_stop_import(intake, library, tmp_path):
    folder = tmp_path / "odd"
    folder.mkdir()
    for name, content in (
        (b"\xff.pdf", pdf("An essay on honey bees")),
        (b"\xfe.bib", b"@article{x, title = {never ends"),
        (
            b"half.jsonl",
            b'{"id": "x:1", "title": "Half a \\ud83d character", "authors": ["\\udc00"]}',
        ),
    ):
        (folder / os.fsdecode(name)).write_bytes(content)
    report = add(intake, folder)
    assert (report.added, report.failed) == (2, 1)
    assert report.remarks[0].reason.startswith("The file cannot be linked because its name")
    again = add(intake, folder)
    assert again.added == 0 and again.read == 3 and library.is_text_index_consistent()


def test_circular_links_do_not_loop(intake, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "refs.bib").write_text(BIB)
    (tmp_path / "a" / "round").symlink_to(tmp_path / "a", target_is_directory=True)
    assert add(intake, tmp_path).added == 2


def test_cancelled_import_can_be_resumed(intake, library, tmp_path):
    write_jsonl(tmp_path / "many.jsonl", 3 * BATCH)
    task = Task(lambda done, total, note: task.cancel() if done >= BATCH else None)
    with pytest.raises(Cancelled):
        intake.add([tmp_path / "many.jsonl"], task)
    assert BATCH <= library.count() < 3 * BATCH and library.is_text_index_consistent()
    assert library.import_log.imports()[0].finished is None
    report = add(intake, tmp_path / "many.jsonl")
    assert library.count() == 3 * BATCH and report.read == 3 * BATCH


def test_import_progress_has_total(intake, tmp_path):
    write_jsonl(tmp_path / "many.jsonl", 2 * BATCH)
    steps = []
    intake.add([tmp_path / "many.jsonl"], Task(lambda *step: steps.append(step)))
    assert (BATCH, 2 * BATCH, "many.jsonl") in steps


def test_killed_import_loses_at_most_one_batch(tmp_path):
    write_jsonl(tmp_path / "many.jsonl", 40 * BATCH)
    path = tmp_path / "library.sqlite3"
    Library(path).close()
    script = (
        "import sys; from pathlib import Path; "
        "from sciread_app.services.ingest.importer import Importer;"
        "from sciread_app.storage.library import Library; from sciread_app.tasks import Task;"
        "Importer(Library(Path(sys.argv[1]))).add([Path(sys.argv[2])], Task())"
    )
    files = [str(path), str(tmp_path / "many.jsonl")]
    child = subprocess.Popen([sys.executable, "-c", script, *files])
    library = Library(path)
    while library.count() < 2 * BATCH and child.poll() is None:
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()

    stored = library.count()
    assert stored % BATCH == 0 and 2 * BATCH <= stored < 40 * BATCH
    assert library.problems() == [] and library.is_text_index_consistent()
    assert library.import_log.imports()[0].added == stored
    report = Importer(library).add([tmp_path / "many.jsonl"], Task())
    assert (report.added, report.merged) == (40 * BATCH - stored, stored)
    library.close()


def test_import_of_real_files_accounts_for_every_record(intake, library, shared):
    # The tests of formats read the large files too, which hold the same papers again and again.
    folders = [shared / "fixtures" / name for name in ("bib", "ris", "xml", "nbib")]
    files = [file for folder in folders for file in folder.iterdir() if is_small(file)]
    report = intake.add(files, Task())
    assert report.read == report.added + report.merged + report.failed
    assert report.added > 1000 and library.is_text_index_consistent()
    assert all(skip.file and skip.reason for skip in report.skips)
    again = intake.add(files, Task())
    assert again.added == 0 and again.read == report.read


def is_small(file: Path) -> bool:
    return file.stat().st_size < 300_000
