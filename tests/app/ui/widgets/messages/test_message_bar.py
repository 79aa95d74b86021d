"""Messages over the page: their queue, their place, their keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QCursor, QEnterEvent
from PySide6.QtWidgets import QApplication, QPushButton

from sciread_app.ui.add_papers.import_controller import report_import
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.shell.main_layout import MainLayout
from sciread_app.ui.shell.page_registry import PAGES
from sciread_app.ui.style.theme import ThemeChoice
from sciread_app.ui.view_models import ImportSummary
from sciread_app.ui.widgets.dialogs.window_placement import clear_place
from sciread_app.ui.widgets.messages.message_bar import MessageBar
from tests.support.ui.controls import walk
from tests.support.ui.fakes.gateway import FakeGateway


@pytest.fixture
def banner(qtbot, appearance):
    banner = MessageBar(appearance)
    qtbot.addWidget(banner)
    return banner


def close(qtbot, banner):
    qtbot.mouseClick(banner.close_button, Qt.MouseButton.LeftButton)


def test_second_problem_is_shown_over_the_first(qtbot, banner):
    banner.show_problem(JobError("The disk is full.", "Make room."))
    assert not banner.more.isVisible()
    banner.show_problem(JobError("The model has stopped."))
    assert (banner.message.text(), banner.more.text()) == ("The model has stopped.", "1 more")
    close(qtbot, banner)
    assert (banner.message.text(), banner.hint.text()) == ("The disk is full.", "Make room.")
    close(qtbot, banner)
    assert not banner.isVisible()


def test_passing_notice_is_replaced_but_a_problem_stays(qtbot, banner):
    banner.show_problem(JobError("The disk is full."))
    banner.show_notice("Tagged 3 papers.")
    banner.show_notice("Tagged 4 papers.")
    assert (banner.message.text(), banner.more.text()) == ("Tagged 4 papers.", "1 more")
    close(qtbot, banner)
    assert banner.message.text() == "The disk is full."


def test_repeated_message_is_shown_once(banner):
    for _ in range(3):
        banner.show_problem(JobError("arXiv does not answer."))
    assert not banner.more.isVisible()


def test_notice_with_actions_waits(qtbot, banner):
    moved = []
    banner.show_notice("The library lies in Dropbox.", "", ("Move it", lambda: moved.append(1)))
    banner.show_notice("Tagged 3 papers.")
    close(qtbot, banner)
    button = next(b for b in banner.findChildren(QPushButton) if b.text() == "Move it")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert moved == [1] and not banner.isVisible()


@pytest.fixture
def window(show_window):
    window = show_window(FakeGateway(20))
    window.activateWindow()
    return window


def settle(qtbot, window):
    qtbot.waitUntil(lambda: not window._jobs.running())


def geometries(window):
    """Return the geometries of the parts of the window."""
    parts = (window.rail, window._pages, window._pages.currentWidget(), window._foot)
    return [QRect(part.mapTo(window, QPoint()), part.size()) for part in parts]


def enter(widget):
    """Move the mouse over the widget."""
    place = QPointF(4, 4)
    QApplication.sendEvent(widget, QEnterEvent(place, place, widget.mapToGlobal(place)))
    widget.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)  # set only by a real mouse


def leave(widget):
    widget.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))


@pytest.mark.parametrize("place", PAGES, ids=lambda place: place.key)
@pytest.mark.parametrize("size", [(1240, 800), (900, 600), (720, 450)], ids=str)
def test_message_moves_nothing_and_stays_within_the_page(qtbot, window, place, size):
    window.resize(*size)
    window.go_to(place.key)
    settle(qtbot, window)
    QApplication.processEvents()
    before = geometries(window)
    window.banner.show_problem(
        JobError(
            "arXiv did not answer five times within two minutes.", "Try again later.", "Trace"
        ),
        ("Retry", lambda: None),
    )
    QApplication.processEvents()
    assert geometries(window) == before
    page = window.findChild(MainLayout).area.geometry()
    assert page.contains(window.banner.geometry())
    banner = window.banner
    assert banner.height() >= banner.heightForWidth(banner.width())  # nothing is cut off
    window.banner.close_message()
    QApplication.processEvents()
    assert geometries(window) == before


def test_message_covers_neither_focus_nor_mouse(qtbot, window):
    window.go_to("settings")
    settle(qtbot, window)
    page = window.other_page("settings")
    buttons = [b for b in page.findChildren(QPushButton) if b.isVisible() and b.isEnabled()]
    assert buttons
    for button in buttons:
        page.area.ensureWidgetVisible(button)
        button.setFocus()
        window.banner.show_notice("The library was backed up.", "", ("Show", lambda: None))
        QApplication.processEvents()
        covered = QRect(button.mapTo(window.banner.parentWidget(), QPoint()), button.size())
        assert not window.banner.geometry().intersects(covered)
        window.banner.close_message()
    QCursor.setPos(window._pages.mapToGlobal(window._pages.rect().bottomRight() - QPoint(60, 60)))
    window.banner.show_notice("The library was backed up.", "", ("Show", lambda: None))
    QApplication.processEvents()
    mouse = window.banner.parentWidget().mapFromGlobal(QCursor.pos())
    assert not window.banner.geometry().contains(mouse)


def test_clear_place_prefers_bottom_right():
    area, size = QRect(0, 0, 600, 400), QSize(200, 60)
    assert clear_place(size, area, [], []) == QRect(400, 340, 200, 60)
    button = QRect(550, 370, 40, 20)
    assert clear_place(size, area, [button], []) == QRect(0, 340, 200, 60)
    both = [button, QRect(10, 370, 40, 20)]
    assert not any(clear_place(size, area, both, []).intersects(one) for one in both)
    everything = [QRect(0, 0, 600, 400)]
    assert area.contains(clear_place(size, area, everything, [button]))
    assert not clear_place(size, area, everything, [button]).intersects(button)
    assert clear_place(size, QRect(0, 0, 200, 30), [], []).topLeft() == QPoint(0, 0)


def test_escape_closes_the_message_from_anywhere(qtbot, window):
    window.page.result_list.setFocus()
    window.banner.show_problem(JobError("The disk is full."))
    window.banner.show_problem(JobError("The model has stopped."))
    qtbot.keyClick(window.page.result_list, Qt.Key.Key_Escape)
    assert window.banner.message.text() == "The disk is full."
    qtbot.keyClick(window.page.result_list, Qt.Key.Key_Escape)
    assert not window.banner.isVisible() and window.page.result_list.hasFocus()


def test_message_is_reached_by_keys_and_returns_the_focus(qtbot, window):
    window.page.result_list.setFocus()
    asked = []
    window.banner.show_warning("Delete 3 papers?", "", ("Delete", lambda: asked.append(1)))
    button = next(b for b in window.banner.findChildren(QPushButton) if b.text() == "Delete")
    for _ in range(12):
        if button.hasFocus():
            break
        came_from = window.focusWidget()
        qtbot.keyClick(window, Qt.Key.Key_F6)
    assert button.hasFocus()
    qtbot.keyClick(button, Qt.Key.Key_Escape)
    assert not window.banner.isVisible() and came_from.hasFocus() and not asked
    window.banner.show_warning("Delete 3 papers?", "", ("Delete", lambda: asked.append(1)))
    assert {b.text() for b in walk(qtbot, window) if isinstance(b, QPushButton)} >= {"Delete"}
    assert window.banner.accessibleName().startswith("Delete 3 papers?")
    assert window.banner.close_button.accessibleName()


def test_buttons_do_not_change_under_mouse_or_focus(qtbot, banner):
    banner.show_notice("5 papers were added.", "", ("Details", lambda: None), passes=True)
    enter(banner)
    banner.show_notice("6 papers were added.", passes=True)
    assert (banner.message.text(), banner.more.text()) == ("5 papers were added.", "1 more")
    banner.show_problem(JobError("The disk is full."))
    assert (banner.message.text(), banner.more.text()) == ("5 papers were added.", "2 more")
    leave(banner)
    close(qtbot, banner)
    assert banner.message.text() == "The disk is full."


def test_import_with_failures_is_a_warning(banner):
    report_import(banner, ImportSummary(5, 5, 0, ()), lambda: None)
    assert banner.property("kind") == "notice"
    report_import(banner, ImportSummary(5, 4, 0, [object()]), lambda: None)
    assert banner.property("kind") == "warning"
    banner.show_problem(JobError("The disk is full."))
    assert banner.property("kind") == "problem"


def test_only_notices_without_actions_time_out(qtbot, window):
    banner = window.banner
    banner.going.setInterval(1)
    for show in (
        lambda: banner.show_problem(JobError("The disk is full.")),
        lambda: banner.show_warning("The library lies in Dropbox."),
        lambda: banner.show_notice("5 papers were added.", "", ("Details", lambda: None)),
    ):
        show()
        assert banner.isVisible() and not banner.going.isActive()
    banner.show_notice("Exported to scores.csv.")
    qtbot.waitUntil(lambda: banner.message.text() == "5 papers were added.")
    assert banner.isVisible() and not banner.going.isActive()


@pytest.mark.parametrize("choice", [ThemeChoice.light, ThemeChoice.dark])
def test_message_kinds_look_different(qtbot, show_window, appearance, choice):
    appearance.choose(choice)
    banner = show_window(FakeGateway(3)).banner
    colours = []
    for show in (banner.show_notice, banner.show_warning):
        show("A message")
        colours.append(banner.grab().toImage().pixelColor(8, banner.height() // 2).name())
        banner.close_message()
    banner.show_problem(JobError("A message"))
    colours.append(banner.grab().toImage().pixelColor(8, banner.height() // 2).name())
    assert len(set(colours)) == 3
