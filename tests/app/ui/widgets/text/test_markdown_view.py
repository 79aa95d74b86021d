"""Rich text as high as its content."""

from __future__ import annotations

from PySide6.QtGui import QTextBlockFormat

from sciread_app.ui.style.theme import scaled
from sciread_app.ui.widgets.text.markdown_view import AutoHeightText

NO_MARKER = QTextBlockFormat.MarkerType.NoMarker


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


def test_done_task_of_a_note_has_a_check_mark_and_no_bullet(qtbot):
    text = AutoHeightText("Note")
    qtbot.addWidget(text)
    text.show_markdown("- [x] try the code\n- [ ] read the appendix\n- others")
    assert text.toPlainText().split("\n") == ["☑ try the code", "☐ read the appendix", "others"]
    blocks = [text.document().findBlockByNumber(n) for n in range(3)]
    assert [block.textList() is None for block in blocks] == [True, True, False]
    assert all(block.blockFormat().marker() is NO_MARKER for block in blocks)
    assert len({block.blockFormat().indent() or 1 for block in blocks}) == 1
