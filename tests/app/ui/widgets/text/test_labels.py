"""Labels that elide their text."""

from __future__ import annotations

import pytest

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


def _is_blank(widget):
    image = widget.grab().toImage()
    across, down = range(image.width()), range(image.height())
    return len({image.pixel(x, y) for x in across for y in down}) == 1
