"""The theme changes without blocking the window, and reaches hidden widgets too."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QCheckBox, QLabel, QStackedWidget, QVBoxLayout, QWidget

from sciread_app.ui.style.theme import DARK, LIGHT, ThemeChoice, styled
from sciread_app.ui.style.theme_switcher import BATCH

MANY = 2 * BATCH + 7


def page_of(count: int) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    for n in range(count):
        column.addWidget(styled(QLabel(f"quiet {n}"), "quiet"))
    column.addWidget(QCheckBox("last"))
    return page


@pytest.fixture
def pages(qtbot, appearance):
    """Two pages that have been shown; the first is visible."""
    stack = QStackedWidget()
    qtbot.addWidget(stack)
    for count in (3, MANY):
        stack.addWidget(page_of(count))
    stack.show()
    for number in (1, 0):
        stack.setCurrentIndex(number)
    return stack


def colours(page):
    """Return the colours of the secondary texts of a page."""
    page.ensurePolished()
    return {label.palette().windowText().color().name() for label in page.findChildren(QLabel)}


def test_change_reaches_hidden_widgets(pages, appearance, qtbot):
    hidden = pages.widget(1)
    appearance.choose(ThemeChoice.dark)
    qtbot.waitUntil(lambda: colours(hidden) == {DARK.quiet})
    assert colours(pages.widget(0)) == {DARK.quiet}
    appearance.choose(ThemeChoice.light)
    qtbot.waitUntil(lambda: colours(hidden) == {LIGHT.quiet})


def test_change_of_many_hidden_widgets_runs_in_steps(pages, appearance, qtbot):
    appearance.choose(ThemeChoice.dark)
    assert appearance.theme is LIGHT  # many hidden widgets take several steps
    qtbot.waitUntil(lambda: appearance.theme is DARK)
    assert colours(pages.widget(1)) != {DARK.quiet}
    qtbot.waitUntil(lambda: colours(pages.widget(1)) == {DARK.quiet})


def test_change_requested_again_applies_the_last_theme(pages, appearance, qtbot):
    for choice in (ThemeChoice.dark, ThemeChoice.light, ThemeChoice.dark):
        appearance.choose(choice)
        QCoreApplication.processEvents()
    qtbot.waitUntil(lambda: colours(pages.widget(1)) == {DARK.quiet})
    assert appearance.theme is DARK and colours(pages.widget(0)) == {DARK.quiet}


def test_change_while_widgets_are_deleted_or_shown_completes(pages, appearance, qtbot):
    appearance.choose(ThemeChoice.dark)
    label = pages.widget(1).findChildren(QLabel)[-1]
    label.setParent(None)
    label.deleteLater()
    del label
    pages.setCurrentIndex(1)
    qtbot.waitUntil(lambda: colours(pages.widget(1)) == {DARK.quiet})
    qtbot.waitUntil(lambda: colours(pages.widget(0)) == {DARK.quiet})
    assert len(pages.widget(1).findChildren(QLabel)) == MANY - 1


def test_page_shown_during_a_change_is_restyled_before_hidden_ones(pages, appearance):
    pages.addWidget(page_of(30))
    for number in (2, 0):
        pages.setCurrentIndex(number)
    appearance.choose(ThemeChoice.dark)
    while appearance.theme is not DARK:
        QCoreApplication.processEvents()
    pages.setCurrentIndex(2)
    while colours(pages.widget(2)) != {DARK.quiet}:
        QCoreApplication.processEvents()
    assert colours(pages.widget(1)) != {DARK.quiet}


def test_change_keeps_a_widgets_own_style_sheet(pages, appearance, qtbot):
    label = pages.widget(1).findChildren(QLabel)[0]
    label.setStyleSheet("color: #123456")
    appearance.choose(ThemeChoice.dark)
    qtbot.waitUntil(lambda: colours(pages.widget(1)) == {DARK.quiet, "#123456"})


class PaintedColours(QObject):
    """Records the colours of all labels of a page whenever one of them is painted."""

    def __init__(self, page):
        super().__init__(page)
        self.labels = page.findChildren(QLabel)
        self.found = set()
        for label in self.labels:
            label.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() is QEvent.Type.Paint:
            name = QPalette.ColorRole.WindowText
            self.found.add(frozenset(one.palette().color(name).name() for one in self.labels))
        return False


def test_visible_widgets_change_in_steps_without_a_picture_of_both_themes(pages, appearance, qtbot):
    page = pages.widget(1)
    pages.setCurrentIndex(1)
    QCoreApplication.processEvents()
    painted, passes = PaintedColours(page), 0
    appearance.choose(ThemeChoice.dark)
    while not any(DARK.quiet in colours for colours in painted.found):
        QCoreApplication.processEvents()
        passes += 1
    assert passes > MANY / BATCH
    assert painted.found <= {frozenset({LIGHT.quiet}), frozenset({DARK.quiet})}
    assert pages.updatesEnabled()


def test_change_replaced_while_visible_widgets_change_ends_with_the_last_theme(
    pages, appearance, qtbot
):
    pages.setCurrentIndex(1)
    appearance.choose(ThemeChoice.dark)
    while appearance.theme is not DARK:
        QCoreApplication.processEvents()
    appearance.choose(ThemeChoice.light)
    qtbot.waitUntil(lambda: colours(pages.widget(1)) == {LIGHT.quiet} and pages.updatesEnabled())
    assert appearance.theme is LIGHT
