"""Settings are written at once; backups are listed, made and gone back to."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QMessageBox, QPushButton

from sciread_app.errors import LibraryError
from sciread_app.ui.backups_daily import Safekeeping
from sciread_app.ui.backups_panel import size
from sciread_app.ui.settings_page import THEMES, SettingsPage
from sciread_app.ui.theme import DARK, Choice
from tests.app.ui.fake_care import FakeCare
from tests.app.ui.fakes import FakeDesk


@pytest.fixture
def care():
    return FakeCare()


@pytest.fixture
def page(qtbot, jobs, appearance, care):
    page = SettingsPage(care, jobs, appearance)
    qtbot.addWidget(page)
    page.resize(900, 900)
    page.show()
    page.refresh()
    qtbot.waitUntil(lambda: not jobs.running())
    return page


def click(qtbot, button):
    assert button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def banner_button(window, name):
    return next(b for b in window.banner.findChildren(QPushButton) if b.text() == name)


def test_what_is_chosen_is_written_at_once(qtbot, page, care):
    page.workers.setValue(5)
    page.contact.setText("ada@lovelace.org")
    page.contact.editingFinished.emit()
    page.scale.setCurrentText("150 %")
    page.scale.activated.emit(2)
    assert care.settings.pdf_workers == 5
    assert care.settings.contact == "ada@lovelace.org"
    assert care.settings.scale == 150 and page.restart.isVisible()


def test_a_wrong_address_is_said_to_be_wrong_where_it_stands(page, care):
    page.contact.setText("nobody")
    page.contact.editingFinished.emit()
    assert page._contact_row.wrong.text() == "This is no e-mail address."
    assert care.settings.contact == ""
    page.contact.setText("")
    page.contact.editingFinished.emit()
    assert not page._contact_row.wrong.isVisible()


def test_a_key_is_kept_without_being_shown_and_can_be_forgotten(qtbot, page, care, jobs):
    ncbi, scholar = page._keys
    assert "keyring" in ncbi.help.text() and "None yet" in scholar.help.text()
    assert not scholar.keep.isEnabled() and not scholar.forget.isEnabled()
    qtbot.keyClicks(scholar.line, "s3cret")
    assert scholar.line.displayText() != "s3cret"
    click(qtbot, scholar.keep)
    assert scholar.line.text() == ""
    qtbot.waitUntil(lambda: not jobs.running() and "keyring" in page._keys[1].help.text())
    click(qtbot, page._keys[0].forget)
    qtbot.waitUntil(lambda: not jobs.running())
    assert care.given == [("semantic_scholar", "s3cret"), ("ncbi", "")]


def test_backups_say_when_how_many_papers_and_how_large(page):
    table = page.backups.table
    rows = [[table.item(r, c).text() for c in range(4)] for r in range(table.rowCount())]
    assert rows == [
        ["2026-11-22 09:05", "1,234", "12.3 MB", "Daily"],
        ["2026-11-21 18:00", "1,200", "900 KB", "Daily"],
        ["2026-10-01 00:00", "", "4 KB", "Manual"],
    ]


def ink(table, top, left, width):
    """From where to where anything red is drawn there."""
    picture = table.grab(QRect(left, top, width, 26)).toImage()
    colours = [[picture.pixelColor(x, y) for y in range(26)] for x in range(width)]
    drawn = [x for x, column in enumerate(colours) if any(c.red() > c.green() + 60 for c in column)]
    return min(drawn), max(drawn)


@pytest.mark.parametrize("column", range(4))
def test_headings_stand_right_above_what_they_head(page, column):
    table, header = page.backups.table, page.backups.table.horizontalHeader()
    texts = table.item(0, column), table.horizontalHeaderItem(column)
    for item in texts:
        item.setText("HH")
    texts[0].setForeground(QColor("red"))
    header.setStyleSheet("QHeaderView::section { color: red; }")
    where = header.x() + header.sectionViewportPosition(column), header.sectionSize(column)
    above, below = ink(table, 4, *where), ink(table, table.viewport().y(), *where)
    assert above == pytest.approx(below, abs=1)


def test_a_heading_covers_no_corner_of_the_frame(page, appearance):
    table = page.backups.table
    picture = table.grab().toImage()
    ground = QColor(appearance.theme.surface)
    for corner in (0, picture.width() - 1):
        # The arc goes through somewhere here.
        assert any(picture.pixelColor(abs(corner - d), d) != ground for d in range(1, 5))


def asked(page) -> QMessageBox:
    (box,) = page.findChildren(QMessageBox)
    assert box.isVisible() and box.isModal()
    return box


def answer(qtbot, page, text) -> None:
    box = asked(page)
    click(qtbot, next(button for button in box.buttons() if button.text().strip("&") == text))


def test_restoring_asks_in_a_dialog_that_names_the_backup(qtbot, page):
    panel = page.backups
    assert not panel.restore.isEnabled()
    panel.table.selectRow(1)
    click(qtbot, panel.restore)
    box = asked(page)
    assert "2026-11-21 18:00" in box.text() and "1,200 papers" in box.informativeText()
    assert box.defaultButton().text().strip("&") == "Cancel"
    with qtbot.waitSignal(page.reopen_wanted) as wanted:
        answer(qtbot, page, "Restore")
    assert wanted.args[0].title == "Restoring 2026-11-21"


def test_who_cancels_restores_nothing(qtbot, page):
    page.backups.table.selectRow(0)
    click(qtbot, page.backups.restore)
    box = asked(page)
    with qtbot.assertNotEmitted(page.reopen_wanted), qtbot.waitSignal(box.destroyed):
        qtbot.keyClick(box, Qt.Key.Key_Escape)


def test_a_backup_can_be_made_by_hand(qtbot, page, care, jobs):
    click(qtbot, page.backups.now)
    assert not page.backups.now.isEnabled()
    qtbot.waitUntil(lambda: page.backups.now.isEnabled() and not jobs.running())
    assert care.taken_now == 1 and care.taken == []


@pytest.mark.parametrize(
    ("bytes", "said"),
    [(0, "0 KB"), (4_000, "4 KB"), (12_340_000, "12.3 MB"), (5 * 10**11, "500 GB")],
)
def test_sizes_are_said_in_few_letters(bytes, said):
    assert size(bytes) == said


def test_the_page_opens_with_its_key_and_changes_the_theme(qtbot, show_window, appearance, jobs):
    window = show_window(FakeDesk(3))
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.shows("settings") and not jobs.running())
    page = window.other_page("settings")
    with qtbot.waitSignal(window.theme_chosen):
        click(qtbot, page.theme.stops()[2])
    qtbot.waitUntil(lambda: appearance.theme is DARK)
    window.choose_theme(Choice.light)
    assert page.theme.current == [choice for choice, _ in THEMES].index(Choice.light)


def test_a_library_in_a_bad_place_is_offered_a_better_one(qtbot, show_window):
    desk = FakeDesk(3)
    desk.care.risk = "The library lies in a folder of Dropbox, which may damage it."
    window = show_window(desk)
    assert window.banner.message.text() == desk.care.risk
    with qtbot.waitSignal(window.reopen_wanted) as wanted:
        click(qtbot, banner_button(window, "Move it there"))
    assert wanted.args[0].title == "Moving to None"


def test_who_leaves_it_there_is_not_asked_again(qtbot, show_window):
    desk = FakeDesk(3)
    desk.care.risk = "The library lies on a network drive (nfs)."
    window = show_window(desk)
    click(qtbot, banner_button(window, "Leave it here"))
    assert desk.care.settings.accepted_risk == desk.care.risk
    assert not window.banner.isVisible()


def test_the_library_is_copied_by_itself_once_it_is_due(qtbot, show_window, jobs):
    desk = FakeDesk(3)
    window = show_window(desk)
    keeper = window.findChild(Safekeeping)
    assert keeper._soon.isActive() and keeper._often.isActive()
    keeper.back_up()
    qtbot.waitUntil(lambda: not jobs.running())
    assert desk.care.taken == []
    desk.care.due = True
    keeper.back_up()
    qtbot.waitUntil(lambda: desk.care.taken == [date.today()] and not jobs.running())


def test_a_copy_that_fails_is_told_once_a_day(qtbot, show_window, jobs):
    desk = FakeDesk(3)
    desk.care.due, desk.care.fault = True, LibraryError("There is too little room.", "Make room.")
    window = show_window(desk)
    keeper = window.findChild(Safekeeping)
    keeper.back_up()
    qtbot.waitUntil(lambda: window.banner.message.text() == "There is too little room.")
    click(qtbot, window.banner.close_button)
    keeper.back_up()
    qtbot.waitUntil(lambda: not jobs.running())
    assert not window.banner.isVisible()


def test_a_folder_for_the_library_is_asked_about(qtbot, page, monkeypatch):
    where = "PySide6.QtWidgets.QFileDialog.getExistingDirectory"
    monkeypatch.setattr(where, lambda *_: "/mnt/disk")
    click(qtbot, page.move_it)
    assert str(Path("/mnt/disk")) in asked(page).text()
    with qtbot.waitSignal(page.reopen_wanted) as wanted:
        answer(qtbot, page, "Move")
    assert str(Path("/mnt/disk")) in wanted.args[0].title
