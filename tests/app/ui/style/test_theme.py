"""The fonts of the window."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF

from sciread_app.ui.style.theme import scaled, tabular, ui_font

WEIGHTS = [QFont.Weight.Normal, QFont.Weight.Medium, QFont.Weight.DemiBold, QFont.Weight.Bold]


@pytest.mark.parametrize("italic", [False, True])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_every_weight_is_a_face_of_the_bundled_font(appearance, weight, italic):
    font = scaled(ui_font(), 1.2, weight)
    font.setItalic(italic)
    found = QFontInfo(font)
    assert (found.family(), found.weight(), found.italic()) == ("Inter", weight, italic)


def test_the_application_uses_the_bundled_font(qapp, appearance):
    assert QFontInfo(qapp.font()).family() == "Inter"
    assert qapp.font().pointSizeF() >= 10


def test_tabular_figures_are_equally_wide_in_every_weight(appearance):
    for weight in WEIGHTS:
        metrics = QFontMetricsF(scaled(tabular(ui_font()), 1.0, weight))
        assert len({metrics.horizontalAdvance(digit * 8) for digit in "0123456789"}) == 1


def test_other_scripts_fall_back_to_the_font_of_the_system(appearance):
    assert ui_font().families()[0] == "Inter"
    assert len(ui_font().families()) > 1
