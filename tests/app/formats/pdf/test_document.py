"""PDF pages are rendered in a process that may crash."""

from __future__ import annotations

import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import psutil
import pytest

from sciread_app.domain.annotations.annotations import PagePosition, PageRegion
from sciread_app.errors import Cancelled
from sciread_app.formats.pdf import process
from sciread_app.formats.pdf.rendering.document import PdfDocument, SpareProcess
from sciread_app.formats.pdf.rendering.responses import CannotShow, FailureReason, PageFailed
from tests.support.generate.book import HEIGHT, WIDTH, locked, make_book
from tests.support.generate.pdf import At

ROOT = Path(__file__).resolve().parents[4]
WHOLE = PageRegion(0, 1.0, 0, 0, 0, WIDTH, HEIGHT)


@pytest.fixture
def make_document(tmp_path: Path) -> Iterator[Callable[..., PdfDocument]]:
    every: list[PdfDocument] = []

    def make(data: bytes, **limits: float) -> PdfDocument:
        path = tmp_path / "paper.pdf"
        path.write_bytes(data)
        every.append(PdfDocument(path, **limits))
        return every[-1]

    yield make
    for one in every:
        one.close()


@pytest.fixture
def on_page_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that makes the rendering process run this code at the second page."""

    def use(what: str) -> None:
        script = tmp_path / "drawer.py"
        script.write_text(
            textwrap.dedent(
                f"""
                import os, sys, time
                from sciread_app.formats.pdf.rendering import worker as drawer
                draw = drawer.PdfRenderer.draw
                def deadly(self, page, part):
                    if page == 1:
                        {what}
                    return draw(self, page, part)
                drawer.PdfRenderer.draw = deadly
                drawer.main()
                """
            )
        )
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        monkeypatch.setattr(
            process,
            "module_command",
            lambda _, *limits: [sys.executable, str(script), *map(str, limits)],
        )

    return use


def children() -> set[int]:
    """Child processes that have not ended yet."""
    found = psutil.Process().children()
    return {one.pid for one in found if one.is_running() and not is_zombie(one)}


def is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_until_gone(pids: set[int]) -> None:
    end = time.monotonic() + 60
    while pids & children():
        assert time.monotonic() < end, "a process goes on"
        time.sleep(0.01)


def inked(picture: bytes, width: int) -> tuple[int, int]:
    """Column and row of the first pixel, row by row, that is not white."""
    at = next(n for n in range(0, len(picture), 4) if picture[n] < 128) // 4
    return at % width, at // width


def test_document_gives_hash_sizes_and_outline(make_document):
    data = make_book(3, outline=[("Bees", 0), ("Wasps", 2)])
    shape = make_document(data).open()
    assert shape.sha256 == sha256(data).hexdigest()
    assert shape.sizes == ((WIDTH, HEIGHT),) * 3
    assert [(h.title, h.level, h.spot) for h in shape.outline] == [
        ("Bees", 0, PagePosition(0, 0.0)),
        ("Wasps", 0, PagePosition(2, 0.0)),
    ]


def test_rendered_region_equals_part_of_whole_page(make_document):
    book = make_document(make_book(1))
    book.open()
    whole = book.draw(WHOLE)
    part = book.draw(PageRegion(0, 1.0, 0, 50, 80, 100, 60))
    row = 4 * WIDTH * 90 + 4 * 50
    assert whole[row : row + 400] == part[4 * 100 * 10 : 4 * 100 * 11]
    assert any(byte < 128 for byte in part)


def test_page_is_rotated_and_darkened_on_request(make_document):
    book = make_document(make_book(pages=[[At("X", 40, 60, 700)]]))
    book.open()
    light = book.draw(WHOLE)
    x, y = inked(light, WIDTH)
    turned = book.draw(PageRegion(0, 1.0, 1, 0, 0, HEIGHT, WIDTH))
    assert inked(turned, HEIGHT)[0] > HEIGHT - y - 60 and inked(turned, HEIGHT)[1] >= x - 2
    dark = book.draw(PageRegion(0, 1.0, 0, 0, 0, WIDTH, HEIGHT, dark=True))
    assert light[0] == 255 and dark[0] < 40
    ink = 4 * (y * WIDTH + x)
    assert dark[ink] > light[ink]


def test_blue_text_is_light_on_dark_pages(make_document):
    blue = b"0 0 1 rg "
    data = make_book(pages=[[At("I" + " " * len(blue), 40, 60, 700)]])
    data = data.replace(b"(I" + b" " * len(blue), b"(I").replace(b"BT ", b"BT " + blue)
    book = make_document(data)
    book.open()
    x, y = inked(book.draw(WHOLE)[2:], WIDTH)  # by its red
    dark = book.draw(replace(WHOLE, dark=True))
    inside = 4 * ((y + 5) * WIDTH + x + 2)
    b, g, r = dark[inside : inside + 3]
    assert b > g == r > 120


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_letter_boxes_match_rendered_letters(make_document, turned):
    book = make_document(make_book(pages=[[At("X", 40, 60, 700)]], turned=turned))
    width, height = book.open().sizes[0]
    box = book.page_text(0).letters.box(0)
    picture = book.draw(PageRegion(0, 1.0, 0, 0, 0, round(width), round(height)))
    x, y = inked(picture, round(width))
    assert box.left - 1 <= x <= box.right + 1 and box.top - 1 <= y <= box.bottom + 1
    assert box.right - box.left < 80


def test_links_lead_to_pages_and_addresses(make_document):
    book = make_document(make_book(3, links=[(0, 2), (1, "https://example.org/a")]))
    book.open()
    inside, outside = (book.page_text(n).links[0] for n in (0, 1))
    assert inside.spot == PagePosition(2, 100.0) and not inside.address
    assert outside.address == "https://example.org/a" and outside.spot is None
    assert inside.box == (60, 90, 200, 110)


def test_find_matches_across_lines_accents_and_hyphens(make_document):
    lines = [At("The resum\xe9 of multi-", 10, 60, 700), At("modal bees", 10, 60, 688)]
    book = make_document(make_book(pages=[lines, [], lines]))
    book.open()
    found = book.find("RESUME  of multimodal", 0, 3)
    assert [one.page for one in found] == [0, 2]
    assert len(found[0].boxes) == 2
    assert "bees" in found[0].around
    assert book.find("wasps", 0, 3) == []


def test_locked_file_requires_its_password(make_document):
    book = make_document(locked("Secret bees", "hive"))
    with pytest.raises(CannotShow) as refused:
        book.open()
    assert refused.value.reason is FailureReason.locked
    with pytest.raises(CannotShow):
        book.open("wrong")
    book.open("hive")
    assert "Secret bees" in book.texts(0, 1)[0]


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"", FailureReason.damaged), (b"%PDF-1.4 and nothing more", FailureReason.damaged)],
)
def test_invalid_pdf_is_refused_with_reason(make_document, data, why):
    with pytest.raises(CannotShow) as refused:
        make_document(data).open()
    assert refused.value.reason is why and refused.value.hint


def test_missing_file_and_folder_have_different_reasons(tmp_path):
    for path, why in (
        (tmp_path / "gone.pdf", FailureReason.missing),
        (tmp_path, FailureReason.unreadable),
    ):
        book = PdfDocument(path)
        with pytest.raises(CannotShow) as refused:
            book.open()
        assert refused.value.reason is why
        book.close()


def test_page_that_crashes_the_process_fails_alone(make_document, on_page_2):
    on_page_2("os.kill(os.getpid(), 9)")
    book = make_document(make_book(3))
    book.open()
    with pytest.raises(PageFailed, match="Page 2 caused the page renderer to crash"):
        book.draw(PageRegion(1, 1.0, 0, 0, 0, 10, 10))
    assert len(book.draw(PageRegion(2, 1.0, 0, 0, 0, 10, 10))) == 400


def test_page_that_stalls_fails_after_timeout(make_document, on_page_2):
    on_page_2("time.sleep(600)")
    book = make_document(make_book(3), seconds=1.0)
    book.open()
    with pytest.raises(PageFailed, match="took too long"):
        book.draw(PageRegion(1, 1.0, 0, 0, 0, 10, 10))
    assert len(book.draw(PageRegion(0, 1.0, 0, 0, 0, 10, 10))) == 400


def test_invalid_answer_fails_that_page(make_document, on_page_2):
    on_page_2("return b'short'")
    book = make_document(make_book(3))
    book.open()
    with pytest.raises(PageFailed, match="no usable result"):
        book.draw(PageRegion(1, 1.0, 0, 0, 0, 10, 10))


def test_changed_file_is_not_shown_after_a_crash(make_document, on_page_2):
    on_page_2("os._exit(1)")
    book = make_document(make_book(3))
    book.open()
    with pytest.raises(PageFailed):
        book.draw(PageRegion(1, 1.0, 0, 0, 0, 10, 10))
    book.path.write_bytes(make_book(4))
    with pytest.raises(CannotShow) as refused:
        book.draw(PageRegion(0, 1.0, 0, 0, 0, 10, 10))
    assert refused.value.reason is FailureReason.changed


def test_rest_ends_the_process_until_next_use(make_document):
    before = children()
    book = make_document(make_book(1))
    book.open()
    book.rest()
    wait_until_gone(children() - before)
    assert len(book.draw(WHOLE)) == 4 * WIDTH * HEIGHT
    assert not book.is_changed()
    book.path.write_bytes(make_book(2))
    assert book.is_changed()


def test_spare_process_is_used_once_if_alive(tmp_path):
    spare, path = SpareProcess(), tmp_path / "bees.pdf"
    path.write_bytes(make_book(1))
    before = children()
    spare.prepare()
    spare.prepare()
    (waiting,) = children() - before
    books = [PdfDocument(path, spare) for _ in range(3)]
    books[0].open()
    assert children() - before == {waiting}
    spare.prepare()
    (dead,) = children() - before - {waiting}
    psutil.Process(dead).kill()
    wait_until_gone({dead})
    for book in books[1:]:
        assert len(book.open().sizes) == 1
    for book in books:
        book.close()
    spare.prepare()
    spare.close()
    wait_until_gone(children() - before)


def test_close_ends_the_process_and_waiting_calls(make_document, on_page_2):
    on_page_2("time.sleep(600)")
    before = children()
    book = make_document(make_book(3), seconds=60.0)
    book.open()
    threading.Timer(0.3, book.close).start()
    with pytest.raises(Cancelled):
        book.draw(PageRegion(1, 1.0, 0, 0, 0, 10, 10))
    wait_until_gone(children() - before)
    with pytest.raises(Cancelled):
        book.draw(WHOLE)
