"""Marks of Zotero's PDF reader as read from its items."""

from __future__ import annotations

import json

import pytest

from sciread_app.formats.zotero.items import marks


def highlight(position):
    return {"key": "A1", "annotationType": "highlight", "annotationPosition": position}


def test_highlight_is_read_with_its_page():
    position = json.dumps({"pageIndex": 2, "rects": [[1, 2, 3, 4]]})
    [mark] = marks(highlight(position))
    assert (mark.page, mark.rects) == (2, ((1.0, 2.0, 3.0, 4.0),))


@pytest.mark.parametrize(
    "position",
    [
        '{"pageIndex": 1e999, "rects": [[1, 2, 3, 4]]}',
        '{"pageIndex": 100000000000000000000, "rects": [[1, 2, 3, 4]]}',
        '{"pageIndex": 2, "rects": [[1, 2, 3, 1e999]]}',
        '{"pageIndex": 2, "rects": [[1, 2, 3, 1%s]]}' % ("0" * 400),
        '{"pageIndex": 2, "rects": [[1, 2, 3, NaN]]}',
        '{"pageIndex": -1, "rects": [[1, 2, 3, 4]]}',
        "not a position",
    ],
)
def test_highlight_without_a_valid_position_is_left_out(position):
    assert marks(highlight(position)) == []
