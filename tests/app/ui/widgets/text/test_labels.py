"""Labels that elide their text."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont

from sciread_app.ui.widgets.form_rows import ComboBox
from sciread_app.ui.widgets.text.labels import ElidedLabel

LONG = "A text that is much longer than the room that it has here"


@pytest.mark.parametrize("whole", [True, False])
def test_label_without_room_shows_part_of_its_text_or_none(qtbot, whole):
    label = ElidedLabel(LONG, whole=whole)
    qtbot.addWidget(label)
    label.resize(120, 30)
    assert _is_blank(label) is whole and label.toolTip() == LONG
    label.resize(900, 30)
    assert not _is_blank(label)


def test_combo_box_without_room_ends_its_text_before_the_arrow(qtbot):
    box, shorter = ComboBox(), ComboBox()
    box.addItem(LONG)
    shorter.addItem(LONG.partition(" that")[0])
    for one in (box, shorter):
        qtbot.addWidget(one)
        one.resize(150, 30)
    elided = box.grab().toImage()
    box.setItemText(0, LONG + " and even longer")
    assert box.grab().toImage() == elided != shorter.grab().toImage()


@pytest.mark.parametrize("family", ["Inter", "Serif", "Monospace"])
def test_combo_box_of_its_own_width_shows_its_whole_text(qtbot, appearance, family):
    box, wider = ComboBox(), ComboBox()
    for one in (box, wider):
        qtbot.addWidget(one)
        one.setFont(QFont(family, 10))
        one.addItem("100%")
        one.show()
    box.resize(box.sizeHint())
    wider.resize(box.size())
    wider.setItemText(0, "10…")
    assert box.grab().toImage() != wider.grab().toImage()


def _is_blank(widget):
    image = widget.grab().toImage()
    across, down = range(image.width()), range(image.height())
    return len({image.pixel(x, y) for x in across for y in down}) == 1
