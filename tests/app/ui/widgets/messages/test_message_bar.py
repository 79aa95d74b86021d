"""Messages over the page: their queue, their place, their keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QCursor, QEnterEvent
from PySide6.QtWidgets import QApplication, QPushButton

from sciread_app.ui.add_papers.imports.controller import report_import
from sciread_app.ui.jobs.runner import JobError
from sciread_app.ui.library.tree.sidebar import Sidebar
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
    qtbot.mouseClick(banner.newest.close_button, Qt.MouseButton.LeftButton)


def shown(banner):
    """Return the messages that are shown, from top to bottom."""
    return [card.message.text() for card in reversed(banner.cards)]


def test_second_problem_is_shown_above_the_first(qtbot, banner):
    banner.show_problem(JobError("The disk is full.", "Make room."))
    banner.show_problem(JobError("The model has stopped."))
    assert shown(banner) == ["The model has stopped.", "The disk is full."]
    assert not banner.newest.more.isVisible()
    close(qtbot, banner)
    assert (banner.message.text(), banner.hint.text()) == ("The disk is full.", "Make room.")
    close(qtbot, banner)
    assert not banner.isVisible()


def test_canceled_job_is_no_problem(banner):
    banner.show_problem(JobError("“Searching” was canceled.", cancelled=True))
    assert shown(banner) == []


def test_at_most_three_messages_are_shown_and_others_wait(qtbot, banner):
    for number in range(1, 6):
        banner.show_problem(JobError(f"Problem {number}"))
    assert shown(banner) == ["Problem 5", "Problem 4", "Problem 3"]
    assert banner.newest.more.text() == "2 more"
    close(qtbot, banner)
    assert shown(banner) == ["Problem 4", "Problem 3", "Problem 2"]
    assert banner.newest.more.text() == "1 more"


def test_each_message_has_its_own_close_button_and_actions(qtbot, banner):
    asked = []
    banner.show_warning("Delete 3 papers?", "", ("Delete", lambda: asked.append(1)))
    banner.show_problem(JobError("The disk is full."))
    banner.show_problem(JobError("The model has stopped."))
    qtbot.mouseClick(banner.cards[1].close_button, Qt.MouseButton.LeftButton)
    assert shown(banner) == ["The model has stopped.", "Delete 3 papers?"]
    button = next(b for b in banner.cards[0].findChildren(QPushButton) if b.text() == "Delete")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert asked == [1] and shown(banner) == ["The model has stopped."]


def test_passing_notice_is_replaced_but_a_problem_stays(qtbot, banner):
    banner.show_problem(JobError("The disk is full."))
    banner.show_notice("Tagged 3 papers.")
    banner.show_notice("Tagged 4 papers.")
    assert shown(banner) == ["Tagged 4 papers.", "The disk is full."]
    close(qtbot, banner)
    assert banner.message.text() == "The disk is full."


def test_repeated_message_is_shown_once(banner):
    for _ in range(3):
        banner.show_problem(JobError("arXiv does not answer."))
    assert shown(banner) == ["arXiv does not answer."]


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
    """Wait until no job runs and the page is laid out, which takes several passes of the event
    loop after its content has changed."""
    qtbot.waitUntil(lambda: not window._jobs.running())

    def laid_out():
        before = geometries(window)
        QApplication.processEvents()
        pages = window._pages
        needed = max(pages.minimumSizeHint().height(), pages.heightForWidth(pages.width()))
        return geometries(window) == before and pages.height() >= needed

    qtbot.waitUntil(laid_out)


def geometries(window):
    """Return the geometries of the parts of the window."""
    parts = (
        window.navigation_bar,
        window._pages,
        window._pages.currentWidget(),
        window._status_bar,
    )
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
    window.messages.show_problem(
        JobError(
            "arXiv did not answer five times within two minutes.", "Try again later.", "Trace"
        ),
        ("Retry", lambda: None),
    )
    QApplication.processEvents()
    assert geometries(window) == before
    page = window.findChild(MainLayout).area.geometry()
    assert page.contains(window.messages.geometry())
    banner = window.messages
    assert banner.height() >= banner.heightForWidth(banner.width())  # nothing is cut off
    window.messages.close_message()
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
        window.messages.show_notice("The library was backed up.", "", ("Show", lambda: None))
        QApplication.processEvents()
        covered = QRect(button.mapTo(window.messages.parentWidget(), QPoint()), button.size())
        assert not window.messages.geometry().intersects(covered)
        window.messages.close_message()
    QCursor.setPos(window._pages.mapToGlobal(window._pages.rect().bottomRight() - QPoint(60, 60)))
    window.messages.show_notice("The library was backed up.", "", ("Show", lambda: None))
    QApplication.processEvents()
    mouse = window.messages.parentWidget().mapFromGlobal(QCursor.pos())
    assert not window.messages.geometry().contains(mouse)


def test_message_does_not_cover_the_sidebar(qtbot, window):
    window.resize(1240, 800)
    window.go_to("search")
    settle(qtbot, window)
    window.messages.show_notice("4 papers added.", "5 records read.", ("Show papers", lambda: None))
    QApplication.processEvents()
    sidebar = window.findChild(Sidebar)
    place = QRect(sidebar.mapTo(window.messages.parentWidget(), QPoint()), sidebar.size())
    assert sidebar.isVisible() and not window.messages.geometry().intersects(place)


def test_clear_place_prefers_bottom_right():
    area, size = QRect(0, 0, 600, 400), QSize(200, 60)
    assert clear_place(size, area) == QRect(400, 340, 200, 60)
    button = QRect(550, 370, 40, 20)
    assert clear_place(size, area, [button]) == QRect(350, 340, 200, 60)
    both = [button, QRect(10, 370, 40, 20)]
    assert not any(clear_place(size, area, both).intersects(one) for one in both)
    everything = [QRect(0, 0, 600, 400)]
    assert area.contains(clear_place(size, area, [button], everything))
    assert not clear_place(size, area, [button], everything).intersects(button)
    assert clear_place(size, QRect(0, 0, 200, 30)).topLeft() == QPoint(0, 0)


def test_message_covers_no_button_beside_a_list_of_a_narrow_window(qtbot, window):
    window.resize(900, 600)
    window.go_to("intake")
    settle(qtbot, window)
    form = window.other_page("intake").identifiers
    form.text.setPlainText("10.1000/1")
    form.look_up()
    qtbot.waitUntil(form.list.isVisible)
    settle(qtbot, window)
    window.messages.show_notice("4 papers added.", "5 records read.", ("Show papers", lambda: None))
    QApplication.processEvents()
    places = [
        QRect(b.mapTo(window.messages.parentWidget(), QPoint()), b.size())
        for b in (form.add_button, form.look_up_button)
    ]
    assert not any(window.messages.geometry().intersects(place) for place in places)


def test_message_leaves_the_place_of_a_button_that_appears(qtbot, window):
    window.resize(900, 600)
    window.go_to("intake")
    settle(qtbot, window)
    window.messages.show_notice("4 papers added.", "5 records read.", ("Show papers", lambda: None))
    QApplication.processEvents()
    page = window.other_page("intake")
    button = QPushButton("Next step", page)
    page.layout().addWidget(button, 0, Qt.AlignmentFlag.AlignRight)
    over = window.messages.parentWidget()
    place = window.messages.geometry()
    qtbot.waitUntil(lambda: window.messages.geometry() != place)
    covered = QRect(button.mapTo(over, QPoint()), button.size())
    assert not window.messages.geometry().intersects(covered)


def test_escape_closes_the_message_from_anywhere(qtbot, window):
    window.page.result_list.setFocus()
    window.messages.show_problem(JobError("The disk is full."))
    window.messages.show_problem(JobError("The model has stopped."))
    qtbot.keyClick(window.page.result_list, Qt.Key.Key_Escape)
    assert window.messages.message.text() == "The disk is full."
    qtbot.keyClick(window.page.result_list, Qt.Key.Key_Escape)
    assert not window.messages.isVisible() and window.page.result_list.hasFocus()


def test_message_is_reached_by_keys_and_returns_the_focus(qtbot, window):
    window.page.result_list.setFocus()
    asked = []
    window.messages.show_warning("Delete 3 papers?", "", ("Delete", lambda: asked.append(1)))
    button = next(b for b in window.messages.findChildren(QPushButton) if b.text() == "Delete")
    for _ in range(12):
        if button.hasFocus():
            break
        came_from = window.focusWidget()
        qtbot.keyClick(window, Qt.Key.Key_F6)
    assert button.hasFocus()
    qtbot.keyClick(button, Qt.Key.Key_Escape)
    assert not window.messages.isVisible() and came_from.hasFocus() and not asked
    window.messages.show_warning("Delete 3 papers?", "", ("Delete", lambda: asked.append(1)))
    assert {b.text() for b in walk(qtbot, window) if isinstance(b, QPushButton)} >= {"Delete"}
    assert window.messages.accessibleName().startswith("Delete 3 papers?")
    assert window.messages.newest.close_button.accessibleName()


def test_buttons_do_not_change_or_move_under_mouse(qtbot, window):
    banner = window.messages
    banner.show_notice("5 papers were added.", "", ("Details", lambda: None), passes=True)
    button = next(b for b in banner.cards[0].findChildren(QPushButton) if b.text() == "Details")
    QApplication.processEvents()
    place = button.mapTo(window, QPoint())
    enter(banner)
    banner.show_notice("6 papers were added.", passes=True)
    banner.show_problem(JobError("The disk is full."))
    banner.show_problem(JobError("The model has stopped."))
    QApplication.processEvents()
    assert shown(banner)[-1] == "5 papers were added." and len(banner.cards) == 3
    assert button.isVisible() and button.mapTo(window, QPoint()) == place
    assert banner.newest.more.text() == "1 more"
    leave(banner)
    banner.cards[0].close_button.click()
    assert shown(banner)[0] == "The model has stopped." and len(banner.cards) == 3


def test_stack_shows_only_what_fits_into_a_small_window(qtbot, window):
    window.resize(720, 450)
    long = "The connection to the server was refused five times within two minutes. " * 3
    for number in range(3):
        window.messages.show_problem(JobError(f"{number} {long}", long, "Trace"))
    QApplication.processEvents()
    banner = window.messages
    assert 1 <= len(banner.cards) < 3 and banner.message.text().startswith("2 ")
    assert banner.newest.more.text() == f"{3 - len(banner.cards)} more"
    assert banner.height() >= banner.heightForWidth(banner.width())
    assert window.findChild(MainLayout).area.geometry().contains(banner.geometry())


def test_import_with_failures_is_a_warning(banner):
    report_import(banner, ImportSummary(5, 5, 0, ()), lambda: None, lambda: None, lambda _: None)
    assert banner.newest.property("kind") == "notice"
    failed = ImportSummary(5, 4, 0, [object()])
    report_import(banner, failed, lambda: None, lambda: None, lambda _: None)
    assert banner.newest.property("kind") == "warning"
    banner.show_problem(JobError("The disk is full."))
    assert banner.newest.property("kind") == "problem"


def test_only_notices_that_pass_time_out(qtbot, window):
    banner = window.messages
    banner.going.setInterval(1)
    for show in (
        lambda: banner.show_problem(JobError("The disk is full.")),
        lambda: banner.show_warning("The library lies in Dropbox."),
        lambda: banner.show_notice("5 papers were added.", "", ("Details", lambda: None)),
    ):
        show()
        assert banner.isVisible() and not banner.going.isActive()
    banner.show_notice("Exported to scores.csv.", "", ("Show", lambda: None), passes=True)
    enter(banner)
    qtbot.wait(50)
    assert banner.message.text() == "Exported to scores.csv."
    leave(banner)
    qtbot.waitUntil(lambda: banner.message.text() == "5 papers were added.")
    assert banner.isVisible() and not banner.going.isActive()


@pytest.mark.parametrize("choice", [ThemeChoice.light, ThemeChoice.dark])
def test_message_kinds_look_different(qtbot, show_window, appearance, choice):
    appearance.choose(choice)
    banner = show_window(FakeGateway(3)).messages
    colours = []
    for show in (banner.show_notice, banner.show_warning):
        show("A message")
        colours.append(banner.newest.grab().toImage().pixelColor(8, banner.height() // 2).name())
        banner.close_message()
    banner.show_problem(JobError("A message"))
    colours.append(banner.newest.grab().toImage().pixelColor(8, banner.height() // 2).name())
    assert len(set(colours)) == 3
