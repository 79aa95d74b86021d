"""The settings of digests: intervals of topics, and the timer of the system."""

from __future__ import annotations

from datetime import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from sciread_app.domain.digest import Frequency, Interval
from sciread_app.services.digest.schedule import Timetable
from sciread_app.ui.digest.settings_dialog import DigestSettingsDialog
from sciread_app.ui.widgets.form_rows import FormRow
from tests.support.ui.fakes.digest import FakeDigests
from tests.support.ui.fakes.recommendations import BEES, SWARMS

DAILY, FRIDAYS = Interval(Frequency.daily), Interval(Frequency.weekly, 4)


@pytest.fixture
def services():
    return FakeDigests()


@pytest.fixture
def changes():
    """An entry for each change of the topics that was reported."""
    return []


@pytest.fixture
def show(qtbot, jobs, services, changes):
    parent = QWidget()
    qtbot.addWidget(parent)

    def show():
        dialog = DigestSettingsDialog(services, jobs, lambda: changes.append("topics"), parent)
        dialog.show()
        qtbot.waitUntil(lambda: not jobs.running())
        return dialog

    return show


def choose(box, interval, qtbot, jobs):
    box.choose(interval)
    box.activated.emit(box.currentIndex())
    qtbot.waitUntil(lambda: not jobs.running())


def test_intervals_are_shown_and_saved(show, qtbot, jobs, services, changes):
    services.intervals[BEES.key] = FRIDAYS
    dialog = show()
    assert dialog.boxes[BEES.key].interval() == FRIDAYS
    assert dialog.boxes[SWARMS.key].interval() == Interval()
    choose(dialog.boxes[SWARMS.key], DAILY, qtbot, jobs)
    assert changes == ["topics"]
    assert services.intervals[SWARMS.key] == DAILY


def test_timers_of_missing_libraries_are_named_and_removed(show, qtbot, jobs, services):
    services.schedule.lost = [Path("/old/library"), Path("/other")]
    rows = [row for row in show().findChildren(FormRow) if row.findChild(QPushButton)]
    assert "/old/library" in rows[0].help.text() and "/other" in rows[1].help.text()
    qtbot.waitUntil(rows[0].isVisible)
    qtbot.mouseClick(rows[0].findChild(QPushButton), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(rows[0].isHidden)
    assert services.schedule.lost == [Path("/other")] and not rows[1].isHidden()


def test_timer_is_added_changed_and_removed(show, qtbot, jobs, services):
    dialog = show()
    assert not dialog.time.isEnabled()
    choose(dialog.schedule, DAILY, qtbot, jobs)
    assert services.schedule.set == Timetable(DAILY, time(8, 0)) and dialog.time.isEnabled()
    dialog.time.setCurrentText("17:30")
    dialog.time.activated.emit(dialog.time.currentIndex())
    qtbot.waitUntil(lambda: not jobs.running())
    assert services.schedule.set == Timetable(DAILY, time(17, 30))
    choose(dialog.schedule, Interval(), qtbot, jobs)
    assert services.schedule.set is None and not dialog.time.isEnabled()


def test_timer_of_the_command_line_is_shown_with_its_time(show, services):
    services.schedule.set = Timetable(FRIDAYS, time(7, 12))
    dialog = show()
    assert dialog.schedule.interval() == FRIDAYS and dialog.time.currentText() == "07:12"


def test_refused_timer_is_explained_and_off(show, qtbot, jobs, services):
    services.schedule.refuse = "systemd is not running."
    dialog = show()
    choose(dialog.schedule, DAILY, qtbot, jobs)
    shown = [label.text() for label in dialog.findChildren(QWidget, "wrong") if label.isVisible()]
    assert shown == ["systemd is not running."]
    assert dialog.schedule.interval() == Interval()
