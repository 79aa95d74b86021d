"""Rich text as high as its content."""

from __future__ import annotations

from sciread_app.ui.style.theme import scaled
from sciread_app.ui.widgets.text.markdown_view import AutoHeightText


def test_text_is_as_high_as_its_content_in_a_larger_font(qtbot):
    text = AutoHeightText("Abstract")
    qtbot.addWidget(text)
    text.resize(300, 50)
    text.show()
    text.show_html("<p>Bees dance. </p>" * 20)
    before = text.height()
    text.setFont(scaled(text.font(), 2))
    qtbot.waitUntil(lambda: text.height() > before)
    assert text.height() >= text.document().size().height()
