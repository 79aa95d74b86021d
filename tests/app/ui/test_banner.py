"""What the window has to say: nothing hides anything else for good."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from sciread_app.ui.banner import Banner
from sciread_app.ui.jobs import Problem


@pytest.fixture
def banner(qtbot, appearance):
    banner = Banner(appearance)
    qtbot.addWidget(banner)
    return banner


def close(qtbot, banner):
    qtbot.mouseClick(banner.close_button, Qt.MouseButton.LeftButton)


def test_a_second_problem_leaves_the_first_one_waiting(qtbot, banner):
    banner.show_problem(Problem("The disk is full.", "Make room."))
    assert not banner.more.isVisible()
    banner.show_problem(Problem("The model has stopped."))
    assert (banner.message.text(), banner.more.text()) == ("The model has stopped.", "1 more")
    close(qtbot, banner)
    assert (banner.message.text(), banner.hint.text()) == ("The disk is full.", "Make room.")
    close(qtbot, banner)
    assert not banner.isVisible()


def test_a_passing_notice_makes_room_for_the_next_but_a_problem_stays(qtbot, banner):
    banner.show_problem(Problem("The disk is full."))
    banner.show_notice("Tagged 3 papers.")
    banner.show_notice("Tagged 4 papers.")
    assert (banner.message.text(), banner.more.text()) == ("Tagged 4 papers.", "1 more")
    close(qtbot, banner)
    assert banner.message.text() == "The disk is full."


def test_what_is_said_twice_stands_there_once(banner):
    for _ in range(3):
        banner.show_problem(Problem("arXiv does not answer."))
    assert not banner.more.isVisible()


def test_a_notice_can_offer_what_to_do_and_waits_for_it(qtbot, banner):
    moved = []
    banner.show_notice("The library lies in Dropbox.", "", ("Move it", lambda: moved.append(1)))
    banner.show_notice("Tagged 3 papers.")
    close(qtbot, banner)
    button = next(b for b in banner.findChildren(QPushButton) if b.text() == "Move it")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert moved == [1] and not banner.isVisible()
