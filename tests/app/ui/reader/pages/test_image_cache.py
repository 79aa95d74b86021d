"""The cache of page images: priorities, eviction, failures."""

from __future__ import annotations

from pathlib import Path

import pytest

from sciread_app.domain.paper import PaperId
from sciread_app.services.library.reader import CannotShow, FailureReason
from sciread_app.ui.reader.pages.image_cache import LruCache, PageImageCache
from sciread_app.ui.reader.pages.layout import quick
from tests.support.ui.fakes.reader import SIZE, FakeFile


@pytest.fixture
def file() -> FakeFile:
    return FakeFile(PaperId(1), Path("/bees.pdf"))


@pytest.fixture
def pictures(file, jobs, qtbot):
    pictures = PageImageCache(file, jobs, 120)
    yield pictures
    pictures.close()


def small(page: int):
    return quick(SIZE, page, 0, False, 120)


def test_lru_cache_evicts_the_least_recently_used():
    kept = LruCache(100)
    for name in "abc":
        kept.put(name, name, 30)
    kept.get("a")
    kept.put("d", "d", 30)
    assert "b" not in kept and kept.get("a") == "a" and kept.weight == 90
    kept.put("huge", "huge", 500)
    assert kept.get("huge") == "huge" and kept.weight == 500


def test_visible_pages_are_drawn_before_thumbnails(qtbot, pictures, file):
    pictures.request("thumbnails", [small(page) for page in range(5)])
    pictures.request("pages", [small(4)])
    qtbot.waitUntil(lambda: len(file.drawn) == 5)
    assert [part.page for part in file.drawn][:2] == [0, 4]


def test_replaced_request_is_not_drawn(qtbot, pictures, file):
    pictures.request("pages", [small(0), small(1), small(2)])
    pictures.request("pages", [small(3)])
    with qtbot.waitSignal(pictures.loaded, check_params_cb=lambda page: page == 3):
        pass
    assert [part.page for part in file.drawn] == [0, 3]
    assert pictures.picture(small(3)).width() == small(3).width


def test_failed_page_is_reported_once_and_not_drawn_again(qtbot, pictures, file):
    file.broken = {1}
    with qtbot.waitSignal(pictures.failed):
        pictures.request("pages", [small(1), small(2)])
    qtbot.waitUntil(lambda: pictures.picture(small(2)) is not None)
    assert "Page 2 broke" in pictures.failure(1) and not pictures.failure(2)
    file.broken = set()
    pictures.request("pages", [small(1)])
    assert pictures.picture(small(1)) is None


def test_missing_file_emits_lost(qtbot, pictures, file):
    def fail(part, task):
        raise CannotShow(FailureReason.missing, "The file was moved or deleted.")

    file.draw = fail
    with qtbot.waitSignal(pictures.file_lost) as signal:
        pictures.request("pages", [small(0)])
    assert signal.args[0].reason is FailureReason.missing
