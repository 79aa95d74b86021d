"""Files attached to a paper by hand, and drafts of notes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sciread_app.errors import LibraryError
from sciread_app.services.library.attachments import AttachmentService
from sciread_app.services.library.note_drafts import NEW, Drafts
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.generate.pdf import At, body, make_pdf


@pytest.fixture
def files(library):
    library.put([paper("Bees")])
    return AttachmentService(library)


def write_pdf(path, pages):
    path.write_bytes(make_pdf(*([At(text), *body()] for text in pages)))


def test_attached_file_is_indexed_and_undo_removes_it(library, files, tmp_path):
    write_pdf(tmp_path / "bees.pdf", ["wagglish dances", "more of them"])
    files.attach(1, tmp_path / "bees.pdf", Task())
    (found,) = files.of(1)
    assert (found.path, found.pages, found.missing) == (tmp_path / "bees.pdf", 2, False)
    assert found.size == (tmp_path / "bees.pdf").stat().st_size
    assert [id for id, _ in library.search_text("wagglish", 10)] == [1]
    library.edits.undo()
    assert files.of(1) == [] and library.search_text("wagglish", 10) == []


def test_missing_file_is_reported_and_can_be_located(library, files, tmp_path):
    write_pdf(tmp_path / "bees.pdf", ["wagglish dances"])
    files.attach(1, tmp_path / "bees.pdf", Task())
    (tmp_path / "elsewhere").mkdir()
    moved = Path(shutil.move(tmp_path / "bees.pdf", tmp_path / "elsewhere"))
    assert files.of(1)[0].missing and files.of(1)[0].pages == 1
    files.locate(1, tmp_path / "bees.pdf", moved, Task())
    assert [(one.path, one.missing) for one in files.of(1)] == [(moved, False)]


def test_detached_file_is_not_deleted(library, files, tmp_path):
    (tmp_path / "data.csv").write_text("1,2")
    files.attach(1, tmp_path / "data.csv", Task())
    files.detach(1, tmp_path / "data.csv")
    assert files.of(1) == [] and (tmp_path / "data.csv").exists()


def test_attaching_a_missing_file_raises_error(files, tmp_path):
    with pytest.raises(LibraryError, match=r"nothing\.pdf"):
        files.attach(1, tmp_path / "nothing.pdf", Task())


def test_drafts_survive_a_restart(tmp_path):
    drafts = Drafts(tmp_path / "drafts")
    drafts.save(7, NEW, "half a th")
    drafts.save(7, 3, "changed")
    drafts.save(77, NEW, "another paper's")
    assert Drafts(tmp_path / "drafts").of(7) == {NEW: "half a th", 3: "changed"}
    drafts.delete(7, NEW)
    drafts.save(7, 3, "")  # emptied: saving it removes the note
    assert drafts.of(7) == {3: ""}
    drafts.save(77, NEW, "  ")
    assert drafts.of(77) == {}
