"""Copies of PDFs with highlights and notes as annotations, read back with PDFium."""

from __future__ import annotations

import ctypes
import errno
import os
from functools import reduce
from pathlib import Path
from typing import Any

import pypdfium2.raw as pdfium
import pytest
from pypdfium2 import PdfDocument

from sciread_app.domain.annotations.annotations import Box, Colour, Highlight, PageRegion
from sciread_app.errors import Cancelled, SciReadError
from sciread_app.services.library.reader import CannotShow, OpenFile, ReaderService
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.book import locked, make_book
from tests.support.generate.papers import paper
from tests.support.generate.pdf import At

NO_ANNOTATIONS = -4 - 32 - 8  # of the rights of a file


@pytest.fixture
def library(library: Library) -> Library:
    library.put([paper("Bees")])
    return library


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "bees.pdf"
    path.write_bytes(make_book(pages=[[At("Bees dance", 12, 200, 400)], [At("They fly", 12)]]))
    return path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path / "copies" / "bees copy.pdf"


@pytest.fixture(autouse=True)
def folder(copy: Path) -> None:
    copy.parent.mkdir()


def marked(
    service: ReaderService, path: Path, words: str, note: str = "", password: str = ""
) -> Highlight:
    file = service.open(1, path, password, Task())
    found = file.search(words, Task()).found[0]
    where = (file.paper, file.shape.sha256, str(file.path), found.page, found.boxes)
    [kept] = service.highlight([Highlight(*where, words, Colour.green, note)])
    file.close()
    return kept


def annotations(path: Path, page: int = 0) -> list[dict[str, Any]]:
    with PdfDocument(path) as document:
        handle = document[page]
        count = pdfium.FPDFPage_GetAnnotCount(handle)
        return [fields(pdfium.FPDFPage_GetAnnot(handle, number)) for number in range(count)]


def fields(annotation: Any) -> dict[str, Any]:
    # PDFium gives no color of an annotation that says how it is drawn.
    pdfium.FPDFAnnot_SetAP(annotation, pdfium.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None)
    rgba = [ctypes.c_uint() for _ in range(4)]
    pdfium.FPDFAnnot_GetColor(annotation, pdfium.FPDFANNOT_COLORTYPE_Color, *rgba)
    made = {
        "kind": pdfium.FPDFAnnot_GetSubtype(annotation),
        "colour": tuple(channel.value for channel in rgba[:3]),
        "boxes": pdfium.FPDFAnnot_CountAttachmentPoints(annotation),
    }
    for key in ("Contents", "T", "NM", "M", "CreationDate"):
        letters = ctypes.create_string_buffer(1000)
        into = ctypes.cast(letters, ctypes.POINTER(pdfium.FPDF_WCHAR))
        length = pdfium.FPDFAnnot_GetStringValue(annotation, key.encode(), into, 1000)
        made[key] = letters.raw[: length - 2].decode("utf-16-le")
    pdfium.FPDFPage_CloseAnnot(annotation)
    return made


def coloured(file: OpenFile) -> tuple[int, int, int, int]:
    """The rectangle of the colored pixels of the first page: left, top, right and bottom."""
    width, height = map(round, file.shape.sizes[0])
    pixels = file.draw(PageRegion(0, 1.0, 0, 0, 0, width, height), Task())
    places = [n // 4 for n in range(0, len(pixels), 4) if pixels[n] != pixels[n + 1]]
    columns, rows = [at % width for at in places], [at // width for at in places]
    return min(columns), min(rows), max(columns) + 1, max(rows) + 1


def test_copy_has_highlights_with_color_note_author_and_date(service, library, path, copy):
    original = path.read_bytes()
    dance = marked(service, path, "dance", "Really? Größe 研究")
    marked(service, path, "fly")
    library.notes.add(1, "About bees")
    made = service.save_annotated(1, path, copy, Task())
    assert (made.written, made.lost) == (3, 0)
    assert path.read_bytes() == original
    assert [file.name for file in copy.parent.iterdir()] == [copy.name]
    note, highlight = annotations(copy)
    assert (note["kind"], note["Contents"]) == (pdfium.FPDF_ANNOT_TEXT, "About bees")
    assert highlight["kind"] == pdfium.FPDF_ANNOT_HIGHLIGHT
    assert highlight["Contents"] == "Really? Größe 研究"
    assert highlight["colour"] == (0xA8, 0xE6, 0xA1) and highlight["boxes"] == 1
    assert highlight["T"] and highlight["NM"] == f"sciread-highlight-{dance.id}"
    assert highlight["M"].startswith("D:20") and highlight["M"].endswith("Z")
    assert [one["Contents"] for one in annotations(copy, 1)] == [""]


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (100, 200, 500, 700)])
def test_highlights_of_turned_and_cropped_pages_cover_their_text(service, path, copy, turned, crop):
    path.write_bytes(make_book(pages=[[At("Bees dance", 12, 200, 400)]], turned=turned, crop=crop))
    box = reduce(Box.joined, marked(service, path, "dance").boxes)
    service.save_annotated(1, path, copy, Task())
    file = service.open(1, copy, "", Task())
    assert coloured(file) == pytest.approx(tuple(box), abs=1.5)
    assert file.search("Bees dance", Task()).found


def test_annotations_of_the_file_are_kept(service, path, copy):
    path.write_bytes(make_book(pages=[[At("Bees dance", 12)]], links=[(0, "https://bees.org/")]))
    marked(service, path, "dance")
    service.save_annotated(1, path, copy, Task())
    kinds = [one["kind"] for one in annotations(copy)]
    assert kinds == [pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_HIGHLIGHT]


def test_copy_of_an_encrypted_file_needs_the_same_password(service, path, copy):
    path.write_bytes(locked("Bees dance", "honey"))
    marked(service, path, "dance", "Secret", password="honey")
    with pytest.raises(CannotShow) as caught:
        service.save_annotated(1, path, copy, Task())
    assert "password" in caught.value.message and "reader" in caught.value.hint
    service.save_annotated(1, path, copy, Task(), "honey")
    with pytest.raises(CannotShow):
        service.open(1, copy, "", Task())
    assert service.open(1, copy, "honey", Task()).search("dance", Task()).found
    assert b"Secret" not in copy.read_bytes()


def test_file_that_forbids_annotations_is_not_copied(service, path, copy):
    path.write_bytes(locked("Bees dance", "honey", owner="wax", rights=NO_ANNOTATIONS))
    marked(service, path, "dance", password="honey")
    with pytest.raises(SciReadError, match=r"protection of bees\.pdf"):
        service.save_annotated(1, path, copy, Task(), "honey")
    assert not list(copy.parent.iterdir())


def test_original_is_never_replaced(service, path):
    marked(service, path, "dance")
    original = path.read_bytes()
    with pytest.raises(SciReadError, match=r"original file bees\.pdf"):
        service.save_annotated(1, path, path, Task())
    assert path.read_bytes() == original


def test_full_disk_is_named_and_an_older_copy_stays(service, path, copy, monkeypatch):
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    marked(service, path, "dance")
    copy.write_bytes(b"older")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SciReadError) as caught:
        service.save_annotated(1, path, copy, Task())
    assert str(copy) in caught.value.message and os.strerror(errno.ENOSPC) in caught.value.message
    assert copy.read_bytes() == b"older" and len(list(copy.parent.iterdir())) == 1


def test_missing_folder_is_named(service, path, copy):
    marked(service, path, "dance")
    with pytest.raises(SciReadError, match="nowhere"):
        service.save_annotated(1, path, copy.parent / "nowhere" / "copy.pdf", Task())


def test_paper_without_annotations_is_not_copied(service, path, copy):
    with pytest.raises(SciReadError, match="no highlights or notes"):
        service.save_annotated(1, path, copy, Task())
    assert not copy.exists()


def test_canceled_copy_leaves_nothing(service, path, copy):
    marked(service, path, "dance")

    def report(done: int, total: int, note: str) -> None:
        if note == "Writing":
            task.cancel()

    task = Task(report)
    with pytest.raises(Cancelled):
        service.save_annotated(1, path, copy, task)
    assert not list(copy.parent.iterdir())


def test_highlight_whose_text_is_gone_is_counted_as_lost(service, path, copy):
    marked(service, path, "dance")
    path.write_bytes(make_book(pages=[[At("They sting and fly", 12)]]))
    marked(service, path, "sting")
    made = service.save_annotated(1, path, copy, Task())
    assert (made.written, made.lost) == (1, 1)


def test_area_becomes_a_frame_with_its_note(service, path, copy):
    file = service.open(1, path, "", Task())
    where = (file.paper, file.shape.sha256, str(path), 0)
    service.highlight([Highlight(*where, (Box(100, 200, 300, 400),), "", Colour.pink, "See")])
    file.close()
    assert service.save_annotated(1, path, copy, Task()).written == 1
    [frame] = annotations(copy)
    assert (frame["kind"], frame["Contents"]) == (pdfium.FPDF_ANNOT_SQUARE, "See")
    drawn = coloured(service.open(1, copy, "", Task()))
    assert drawn == pytest.approx((100, 200, 300, 400), abs=3)
