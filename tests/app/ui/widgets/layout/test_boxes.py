"""Rows and columns of widgets."""

from __future__ import annotations

from PySide6.QtCore import QMargins, Qt
from PySide6.QtWidgets import QLabel, QWidget

from sciread_app.ui.widgets.layout.boxes import column, remove_widgets, row


def test_column_holds_widgets_layouts_and_stretches_in_order(qtbot):
    page = QWidget()
    qtbot.addWidget(page)
    name, value, below = QLabel("Name"), QLabel("Value"), QLabel("Below")
    left = Qt.AlignmentFlag.AlignLeft
    inner = row(name, (value, 2))
    box = column(inner, 1, (below, 0, left), parent=page, margins=(1, 2, 3, 4), spacing=5)
    assert page.layout() is box and box.itemAt(0).layout() is inner
    assert box.stretch(1) == 1 and box.itemAt(1).spacerItem() is not None
    assert box.itemAt(2).widget() is below and box.itemAt(2).alignment() == left
    assert box.contentsMargins() == QMargins(1, 2, 3, 4) and box.spacing() == 5
    assert inner.stretch(1) == 2 and name.parent() is page


def test_single_margin_applies_to_all_sides(qtbot):
    assert row(margins=7).contentsMargins() == QMargins(7, 7, 7, 7)


def test_removed_widgets_are_hidden_at_once(qtbot):
    page = QWidget()
    qtbot.addWidget(page)
    label = QLabel("Text")
    box = column(label, 1, parent=page)
    page.show()
    remove_widgets(box)
    assert box.count() == 0 and not label.isVisible()
