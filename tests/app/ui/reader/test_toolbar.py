"""The toolbar of the reader: buttons that do not fit are in a menu."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from sciread_app.ui.reader.toolbar import Toolbar
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.widgets.layout.boxes import column


@pytest.fixture
def toolbar(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    bar = Toolbar(Appearance(QApplication.instance()))
    column(bar, parent=window)
    bar.show_page(0, 12)
    window.resize(900, 60)
    window.show()
    yield bar


def entries(toolbar) -> list[str]:
    """The visible entries of the menu, without their shortcuts."""
    return [
        one.text().partition("\t")[0] for one in toolbar.more.menu().actions() if one.isVisible()
    ]


def test_wide_toolbar_has_no_menu(toolbar):
    assert not toolbar.more.isVisible() and entries(toolbar) == []


def test_narrow_toolbar_folds_buttons_into_a_menu(qtbot, toolbar):
    toolbar.window().resize(1, 60)  # as narrow as can be
    qtbot.waitUntil(lambda: toolbar.width() == toolbar.minimumSizeHint().width())
    assert toolbar.more.isVisible()
    assert toolbar.layout().minimumSize().width() <= toolbar.width() < 500
    assert entries(toolbar) == ["Select area", "Two pages", "Rotate", "Dark pages"]
    rotate = next(one for one in toolbar.more.menu().actions() if "Rotate" in one.text())
    with qtbot.waitSignal(toolbar.pressed) as pressed:
        rotate.trigger()
    assert pressed.args == ["rotate"]
    toolbar.window().resize(900, 60)
    qtbot.waitUntil(lambda: entries(toolbar) == [])


def test_folded_buttons_show_what_is_on(qtbot, toolbar):
    toolbar.check("dark", True)
    toolbar.enable("area", False)
    toolbar.window().resize(1, 60)
    qtbot.waitUntil(lambda: entries(toolbar) != [])
    found = {one.text().partition("\t")[0]: one for one in toolbar.more.menu().actions()}
    assert found["Dark pages"].isChecked() and not found["Two pages"].isChecked()
    assert not found["Select area"].isEnabled()


def test_zoom_menu_checks_the_current_zoom(toolbar):
    toolbar.show_zoom("width", 1.3)
    toolbar.show_zoom("1.500", 1.5)
    assert [one.text() for one in toolbar.zoom.menu().actions() if one.isChecked()] == ["150%"]
