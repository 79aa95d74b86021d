"""Another theme comes without the window being deaf, and reaches what nobody sees, too."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QCheckBox, QLabel, QStackedWidget, QVBoxLayout, QWidget

from sciread_app.ui.redressing import PART
from sciread_app.ui.theme import DARK, LIGHT, Choice, styled

MANY = 2 * PART + 7


def page_of(count: int) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    for n in range(count):
        column.addWidget(styled(QLabel(f"quiet {n}"), "quiet"))
    column.addWidget(QCheckBox("last"))
    return page


@pytest.fixture
def pages(qtbot, appearance):
    """Two pages that were looked at; the first is seen."""
    stack = QStackedWidget()
    qtbot.addWidget(stack)
    for count in (3, MANY):
        stack.addWidget(page_of(count))
    stack.show()
    for number in (1, 0):
        stack.setCurrentIndex(number)
    return stack


def colours(page):
    """In which its quiet texts are written."""
    page.ensurePolished()
    return {label.palette().windowText().color().name() for label in page.findChildren(QLabel)}


def test_what_is_hidden_gets_the_other_theme_too(pages, appearance, qtbot):
    hidden = pages.widget(1)
    appearance.choose(Choice.dark)
    qtbot.waitUntil(lambda: colours(hidden) == {DARK.quiet})
    assert colours(pages.widget(0)) == {DARK.quiet}
    appearance.choose(Choice.light)
    qtbot.waitUntil(lambda: colours(hidden) == {LIGHT.quiet})


def test_the_window_has_its_turn_before_all_is_done(pages, appearance, qtbot):
    appearance.choose(Choice.dark)
    assert appearance.theme is LIGHT  # so much is hidden that it takes some turns
    qtbot.waitUntil(lambda: appearance.theme is DARK)
    assert colours(pages.widget(1)) != {DARK.quiet}
    qtbot.waitUntil(lambda: colours(pages.widget(1)) == {DARK.quiet})


def test_who_changes_his_mind_gets_what_he_wanted_last(pages, appearance, qtbot):
    for choice in (Choice.dark, Choice.light, Choice.dark):
        appearance.choose(choice)
        QCoreApplication.processEvents()
    qtbot.waitUntil(lambda: colours(pages.widget(1)) == {DARK.quiet})
    assert appearance.theme is DARK and colours(pages.widget(0)) == {DARK.quiet}


def test_what_goes_or_is_shown_meanwhile_does_no_harm(pages, appearance, qtbot):
    appearance.choose(Choice.dark)
    gone = pages.widget(1).findChildren(QLabel)[-1]
    gone.setParent(None)
    gone.deleteLater()
    del gone
    pages.setCurrentIndex(1)
    qtbot.waitUntil(lambda: colours(pages.widget(1)) == {DARK.quiet})
    qtbot.waitUntil(lambda: colours(pages.widget(0)) == {DARK.quiet})
    assert len(pages.widget(1).findChildren(QLabel)) == MANY - 1


def test_what_has_a_sheet_of_its_own_keeps_it(pages, appearance, qtbot):
    label = pages.widget(1).findChildren(QLabel)[0]
    label.setStyleSheet("color: #123456")
    appearance.choose(Choice.dark)
    qtbot.waitUntil(lambda: colours(pages.widget(1)) == {DARK.quiet, "#123456"})
