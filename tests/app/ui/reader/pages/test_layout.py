"""The layout of pages, their tiles, and zoom factors."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, QSize

from sciread_app.domain.annotations.annotations import Box, PageSize
from sciread_app.ui.reader.pages.layout import GAP, TILE, DocumentLayout, quick
from sciread_app.ui.reader.pages.zoom import larger, scale_of, smaller

SIZES = (PageSize(300, 400), PageSize(600, 400), PageSize(300, 400))


def test_pages_are_stacked_and_centred():
    layout = DocumentLayout(SIZES, 2.0, 0)
    rects = [layout.rect(page) for page in range(3)]
    assert [rect.width() for rect in rects] == [600, 1200, 600]
    assert rects[0].left() == GAP + 300 and rects[1].left() == GAP
    assert rects[1].top() == rects[0].top() + 800 + GAP
    assert layout.height == rects[2].top() + 800 + GAP


def test_pages_in_two_columns_share_rows():
    layout = DocumentLayout(SIZES, 1.0, 0, columns=2)
    rects = [layout.rect(page) for page in range(3)]
    assert rects[0].top() == rects[1].top() < rects[2].top()
    assert rects[1].left() == rects[0].right() + 1 + GAP and rects[2].left() >= GAP
    assert layout.width == 900 + 3 * GAP
    assert layout.pages(0, 100) == range(0, 2) and layout.pages(0, 10**6) == range(0, 3)
    assert layout.page_at(50) == 0 and layout.page_at(50, rects[1].center().x()) == 1
    assert layout.page_at(10**6, 10**6) == 2
    assert int(layout.place_of(layout.y_of(1.25))) == 0


@pytest.mark.parametrize("turn", [0, 1])
def test_scale_of_fits_a_row_of_two_pages(turn):
    room = QSize(900, 500)
    scale = scale_of("width", SIZES, 0, turn, room, 96, columns=2)
    layout = DocumentLayout(SIZES, scale, turn, columns=2)
    assert layout.width == pytest.approx(room.width(), abs=3)
    scale = scale_of("page", SIZES, 2, turn, room, 96, columns=2)
    layout = DocumentLayout(SIZES, scale, turn, columns=2)
    assert layout.rect(2).height() + 2 * GAP <= room.height() + 1


def test_pages_returns_those_in_the_visible_range():
    layout = DocumentLayout(SIZES, 1.0, 0)
    assert layout.pages(0, 100) == range(0, 1)
    assert layout.pages(100, 500) == range(0, 2)
    assert layout.pages(layout.rect(0).bottom() + 2, layout.rect(1).top() + 1) == range(1, 2)
    assert layout.pages(0, 10**6) == range(0, 3)


def test_place_in_the_gap_above_a_page_is_its_start():
    layout = DocumentLayout(SIZES, 1.0, 0)
    tops = [layout.rect(page).top() for page in range(3)]
    assert [layout.place_of(top - 1) for top in tops] == [0, 1, 2]
    assert int(layout.place_of(tops[1] - GAP - 1)) == 0


def test_place_is_independent_of_the_scale():
    small, large = DocumentLayout(SIZES, 1.0, 0), DocumentLayout(SIZES, 3.0, 0)
    place = small.place_of(small.y_of(1.25))
    assert place == pytest.approx(1.25, abs=0.01)
    assert large.place_of(large.y_of(place)) == pytest.approx(1.25, abs=0.01)


@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_on_page_inverts_shown_on_a_turned_page(turn):
    layout = DocumentLayout(SIZES, 1.5, turn)
    shown = layout.shown(1, Box(30, 40, 50, 80))
    assert QRectF(layout.rect(1)).contains(shown)
    middle = layout.on_page(1, shown.center())
    assert middle == pytest.approx((40, 60))


@pytest.mark.parametrize("turn", [0, 1])
def test_parts_cover_a_large_page_without_overlap(turn):
    layout = DocumentLayout(SIZES, 6.0, turn, ratio=2.0)
    whole = QRectF(layout.rect(1))
    parts = layout.parts(1, whole, dark=False)
    area = sum(layout.target(p).width() * layout.target(p).height() for p in parts)
    assert area == pytest.approx(whole.width() * whole.height())
    assert all(part.width <= TILE and part.height <= TILE for part in parts)
    seen = layout.parts(1, QRectF(whole.left(), whole.top(), 10, 10), dark=False)
    assert len(seen) == 1 and len(parts) > 1


def test_quick_picture_contains_the_whole_page():
    upright, turned = quick(SIZES[0], 0, 0, False, 120), quick(SIZES[0], 0, 1, False, 120)
    assert upright.width / upright.height == pytest.approx(turned.height / turned.width, rel=0.02)
    assert max(upright.width, turned.width) <= 120


def test_scale_of_fits_width_or_page_or_is_a_factor():
    size = QSize(824, 500)
    assert scale_of("width", SIZES, 0, 0, size, 96) == pytest.approx(800 / 600)
    assert scale_of("page", SIZES, 0, 0, size, 96) == pytest.approx(476 / 400)
    assert scale_of("1.5", SIZES, 0, 0, size, 96) == pytest.approx(2.0)
    assert scale_of("nonsense", SIZES, 0, 0, size, 96) == pytest.approx(96 / 72)


def test_zoom_steps_are_limited():
    assert larger(1.0) == 1.1 and smaller(1.0) == 0.9
    assert larger(1.03) == 1.1 and smaller(8.0) == 6.0
    assert larger(8.0) == 8.0 and smaller(0.25) == 0.25
