"""Sections in an area that scrolls."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.layout.sections import WIDEST, ScrollContents, scrolling


@pytest.mark.parametrize("width", [500, 2500])
def test_contents_fill_a_narrow_area_and_only_part_of_a_wide_one(qtbot, width):
    window, body = QWidget(), ScrollContents()
    qtbot.addWidget(window)
    area = scrolling(body, window)
    column(QLabel("A text", wordWrap=True), parent=body)
    column(area, parent=window, margins=0)
    window.resize(width, 400)
    window.show()
    assert body.width() == min(area.viewport().width(), WIDEST)
