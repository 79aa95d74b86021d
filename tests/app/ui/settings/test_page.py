"""The settings page, backups, and the move of the library folder."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QMessageBox, QPushButton, QScrollArea

from sciread_app.paths import Home, open_home
from sciread_app.services.maintenance.backup_rotation import BackupKind
from sciread_app.settings import Settings
from sciread_app.sources.endpoints import OFFICIAL
from sciread_app.tasks import Task
from sciread_app.ui.formatting import file_size
from sciread_app.ui.settings.backup_scheduler import BackupScheduler
from sciread_app.ui.settings.operations import services_used
from sciread_app.ui.settings.page import THEMES, SettingsPage
from sciread_app.ui.style.theme import DARK, ThemeChoice
from sciread_app.ui.widgets.form_rows import FormRow
from sciread_app.workspace import Workspace
from tests.support.generate.papers import paper
from tests.support.ui.controls import menu_action

DAYS = (datetime(2026, 11, 22, 9, 5), datetime(2026, 11, 21, 18))


@pytest.fixture
def workspace(real_gateway, keyring_in_memory) -> Workspace:
    """A workspace with two daily backups, and an API key for PubMed."""
    workspace = real_gateway.workspace
    workspace.set_key("ncbi", "s3cret")
    for number, day in enumerate(reversed(DAYS)):
        workspace.library.put([paper(f"Bees {number}")])
        copy = workspace.backups.create_daily(workspace.library, day.date(), Task())
        os.utime(copy, (day.timestamp(), day.timestamp()))
    return workspace


@pytest.fixture
def show(qtbot, jobs, context, workspace):
    """Return a function that shows the page; it returns the page and the paints of its sections."""

    def show():
        page = SettingsPage(workspace, context)
        qtbot.addWidget(page)
        page.resize(900, 900)
        paints = SqueezedPaints(page.area)
        page.show()
        page.refresh()
        qtbot.waitUntil(lambda: bool(page._keys) and not jobs.running())
        return page, paints

    return show


@pytest.fixture
def page(show):
    return show()[0]


class SqueezedPaints(QObject):
    """Counts how often the contents of an area are painted with less height than they need."""

    def __init__(self, area: QScrollArea) -> None:
        super().__init__()
        self.count = 0
        self._contents = area.widget()
        self._contents.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            layout, size = self._contents.layout(), self._contents.size()
            self.count += layout.totalHeightForWidth(size.width()) > size.height()
        return False


def test_rows_are_never_squeezed_while_sections_are_built(show):
    assert show()[1].count == 0


def click(qtbot, button):
    assert button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def banner_button(window, name):
    return next(b for b in window.messages.findChildren(QPushButton) if b.text() == name)


def test_changes_are_saved_at_once(qtbot, page, workspace):
    page.workers.setValue(5)
    page.contact.setText("ada@lovelace.org")
    page.contact.editingFinished.emit()
    page.scale.setCurrentText("150%")
    page.scale.activated.emit(2)
    assert workspace.settings.pdf_workers == 5
    assert workspace.settings.contact == "ada@lovelace.org"
    assert workspace.settings.scale == 150 and page.restart.isVisible()


def test_list_text_size_is_saved_and_applied_at_once(page, workspace, appearance):
    page.list_text.setCurrentText("140%")
    page.list_text.activated.emit(page.list_text.currentIndex())
    assert workspace.settings.list_text == 140 and appearance.list_text == 140
    workspace.change(list_text=95)
    page.refresh()
    assert page.list_text.currentText() == "95%"


def test_invalid_address_is_reported_in_its_row(page, workspace):
    page.contact.setText("nobody")
    page.contact.editingFinished.emit()
    assert "mail address" in page._contact_row.wrong.text()
    assert workspace.settings.contact == ""
    page.contact.setText("")
    page.contact.editingFinished.emit()
    assert not page._contact_row.wrong.isVisible()


def test_api_key_is_stored_hidden_and_deletable(qtbot, page, keyring_in_memory, jobs):
    ncbi, _, scholar = page._keys
    assert "keyring" in ncbi.help.text() and "No key" in scholar.help.text()
    assert not scholar.keep.isEnabled() and not scholar.forget.isEnabled()
    qtbot.keyClicks(scholar.line, "s3cret")
    assert scholar.line.displayText() != "s3cret"
    click(qtbot, scholar.keep)
    assert scholar.line.text() == ""
    qtbot.waitUntil(lambda: not jobs.running() and "keyring" in page._keys[2].help.text())
    click(qtbot, page._keys[0].forget)
    qtbot.waitUntil(lambda: not jobs.running())
    assert keyring_in_memory.kept == {("sciread", "semantic_scholar"): "s3cret"}


def test_key_being_typed_stays_when_the_page_is_shown_again(qtbot, page, jobs):
    qtbot.keyClicks(page._keys[1].line, "s3c")
    page.refresh()
    qtbot.waitUntil(lambda: not jobs.running())
    assert page._keys[1].line.text() == "s3c"


def test_citation_key_pattern_has_a_preview_and_is_saved(qtbot, page, workspace):
    assert "vaswaniAttentionAllYou2017" in page.key_example.text()
    page.citekey.setText("{author}:{year}")
    assert "vaswani:2017" in page.key_example.text()
    qtbot.keyClick(page.citekey, Qt.Key.Key_Return)
    assert workspace.settings.citekey == "{author}:{year}"


def test_pdf_folder_is_chosen_and_cleared(qtbot, page, workspace, monkeypatch, tmp_path):
    assert not page.pdf_import.isEnabled() and page.clear_pdf_folder.isHidden()
    monkeypatch.setattr(
        "sciread_app.ui.settings.page.choose_folder", lambda *_, **__: tmp_path / "pdfs"
    )
    click(qtbot, page.choose_pdf_folder)
    assert workspace.settings.pdf_folder == str(tmp_path / "pdfs")
    assert str(tmp_path / "pdfs") in page._pdf_folder_row.help.text()
    page.pdf_import.setCurrentText("Move to PDF folder")
    page.pdf_import.activated.emit(page.pdf_import.currentIndex())
    assert workspace.settings.pdf_import == "move"
    page.refresh()
    assert page.pdf_import.currentText() == "Move to PDF folder"
    click(qtbot, page.clear_pdf_folder)
    assert workspace.settings.pdf_folder == "" and not page.pdf_import.isEnabled()


def test_file_name_pattern_has_a_preview_and_is_saved(qtbot, page, workspace):
    assert "Vaswani et al. - 2017 - Attention Is All You Need.pdf" in page.pdf_name_example.text()
    page.pdf_name.setText("{year} {title}")
    assert "2017 Attention" in page.pdf_name_example.text()
    qtbot.keyClick(page.pdf_name, Qt.Key.Key_Return)
    assert workspace.settings.pdf_name == "{year} {title}"
    page.pdf_name.setText("")
    qtbot.keyClick(page.pdf_name, Qt.Key.Key_Return)
    assert workspace.settings.pdf_name == "" and not page.pdf_name_example.isVisible()


@pytest.mark.parametrize("pattern", ["paper", "{author}/{title}", "{title}: {year}", "{journal}"])
def test_invalid_file_name_pattern_is_reported_and_not_saved(qtbot, page, workspace, pattern):
    before = workspace.settings.pdf_name
    page.pdf_name.setText(pattern)
    qtbot.keyClick(page.pdf_name, Qt.Key.Key_Return)
    assert page._pdf_name_row.wrong.isVisible() and not page.pdf_name_example.isVisible()
    assert workspace.settings.pdf_name == before


def choose_style(page, name):
    page.citation_style.setCurrentText(name)
    page.citation_style.activated.emit(page.citation_style.currentIndex())


def test_default_citation_style_is_saved_with_a_preview(qtbot, page, workspace, context):
    assert page.citation_style.currentData() == "" and page.style_example.isHidden()
    with qtbot.waitSignal(context.events.citation_style_selected):
        choose_style(page, "IEEE")
    assert workspace.settings.citation_style == "ieee"
    qtbot.waitUntil(lambda: "A. Vaswani, N. Shazeer" in page.style_example.text())


def test_unusable_citation_style_is_reported_in_its_row(qtbot, page, workspace, jobs):
    workspace.home.styles.mkdir()
    (workspace.home.styles / "bees.csl").write_text("<style>")
    page.citation_style.addItem("Bees", "bees")
    choose_style(page, "Bees")
    qtbot.waitUntil(lambda: page._style_row.wrong.isVisible())


@pytest.mark.parametrize("pattern", ["", "key", "{author}{journal}", "{year} {title}"])
def test_invalid_citation_key_pattern_is_reported_and_not_saved(qtbot, page, workspace, pattern):
    page.citekey.setText(pattern)
    qtbot.keyClick(page.citekey, Qt.Key.Key_Return)
    assert page._citekey_row.wrong.isVisible() and not page.key_example.isVisible()
    assert workspace.settings.citekey == "{author}{title}{year}"


def choose_proxy(page, name):
    page.proxy.setCurrentText(name)
    page.proxy.activated.emit(page.proxy.currentIndex())


def test_proxy_is_chosen_or_entered(qtbot, page, workspace):
    assert page.proxy.currentText() == "System" and not page.proxy_address.isVisible()
    choose_proxy(page, "Manual")
    qtbot.keyClicks(page.proxy_address, "nonsense")
    qtbot.keyClick(page.proxy_address, Qt.Key.Key_Return)
    assert page._proxy_row.wrong.isVisible() and workspace.settings.proxy == "system"
    page.refresh()  # as when the page is shown again
    assert page.proxy.currentText() == "System" and not page._proxy_row.wrong.isVisible()
    choose_proxy(page, "Manual")
    page.proxy_address.setText("http://proxy.example.org:8080")
    qtbot.keyClick(page.proxy_address, Qt.Key.Key_Return)
    assert workspace.settings.proxy == "http://proxy.example.org:8080"
    assert not page._proxy_row.wrong.isVisible()
    page.refresh()
    assert page.proxy.currentText() == "Manual"
    choose_proxy(page, "None")
    assert workspace.settings.proxy == "none" and not page.proxy_address.isVisible()


def test_privacy_lists_each_service_with_its_server_and_data(page, workspace):
    rows = [text for row in page.findChildren(FormRow) if (text := row.help.text())]
    for service in services_used(workspace.settings):
        parts = (service.server, service.sends, service.occasion)
        assert any(all(part in text for part in parts) for text in rows)


def test_privacy_covers_every_source_and_the_set_address(monkeypatch):
    monkeypatch.setenv("SCIREAD_ARXIV_URL", "https://mirror.example.org/api")
    used = services_used(Settings())
    assert {one.title for one in OFFICIAL} < {one.title for one in used}
    assert "mirror.example.org" in {one.server for one in used}


def test_backups_list_date_papers_and_size(page, workspace):
    table = page.backups.table
    rows = [[table.item(r, c).text() for c in range(4)] for r in range(table.rowCount())]
    size = file_size(workspace.backups.all()[0].bytes)
    assert rows == [
        ["November 22, 2026, 09:05", "2", size, "Daily"],
        ["November 21, 2026, 18:00", "1", size, "Daily"],
    ]


def ink(table, top, left, width):
    """Return the first and last column, in pixels, in which something red is drawn."""
    picture = table.grab(QRect(left, top, width, 26)).toImage()
    colours = [[picture.pixelColor(x, y) for y in range(26)] for x in range(width)]
    drawn = [x for x, column in enumerate(colours) if any(c.red() > c.green() + 60 for c in column)]
    return min(drawn), max(drawn)


@pytest.mark.parametrize("column", range(4))
def test_headings_align_with_their_rows(page, column):
    table, header = page.backups.table, page.backups.table.horizontalHeader()
    texts = table.item(0, column), table.horizontalHeaderItem(column)
    for item in texts:
        item.setText("HH")
    texts[0].setForeground(QColor("red"))
    header.setStyleSheet("QHeaderView::section { color: red; }")
    table.clearSelection()  # a selected row has a color of its own
    where = header.x() + header.sectionViewportPosition(column), header.sectionSize(column)
    above, below = ink(table, 4, *where), ink(table, table.viewport().y(), *where)
    assert above == pytest.approx(below, abs=1)


def test_heading_covers_no_corner_of_the_frame(page, appearance):
    table = page.backups.table
    picture = table.grab().toImage()
    ground = QColor(appearance.theme.surface)
    for corner in (0, picture.width() - 1):
        # The arc of the corner crosses these pixels.
        assert any(picture.pixelColor(abs(corner - d), d) != ground for d in range(1, 5))


def question_box(page) -> QMessageBox:
    (box,) = page.findChildren(QMessageBox)
    assert box.isVisible() and box.isModal()
    return box


def answer(qtbot, page, text) -> None:
    box = question_box(page)
    click(qtbot, next(button for button in box.buttons() if button.text().strip("&") == text))


def test_restore_asks_for_confirmation(qtbot, page, context):
    panel = page.backups
    panel.table.selectRow(1)
    click(qtbot, panel.restore)
    box = question_box(page)
    assert "November 21, 2026, 18:00" in box.text() and "1 paper " in box.informativeText()
    assert box.defaultButton().text().strip("&") == "Cancel"
    with qtbot.waitSignal(context.events.reopen_requested) as wanted:
        answer(qtbot, page, "Restore")
    assert "November 21, 2026" in wanted.args[0].title


def test_latest_backup_is_selected_until_another_is(qtbot, page, jobs):
    panel = page.backups
    assert panel.restore.isEnabled() and panel.table.currentRow() == 0
    panel.table.selectRow(1)
    panel.load()
    qtbot.waitUntil(lambda: not jobs.running())
    assert panel.restore.isEnabled() and panel.table.currentRow() == 1


def test_cancelled_restore_changes_nothing(qtbot, page, context):
    page.backups.table.selectRow(0)
    click(qtbot, page.backups.restore)
    box = question_box(page)
    reopened = qtbot.assertNotEmitted(context.events.reopen_requested)
    with reopened, qtbot.waitSignal(box.destroyed):
        qtbot.keyClick(box, Qt.Key.Key_Escape)


def kinds(workspace):
    return [copy.kind for copy in workspace.backups.all()]


def test_backup_is_made_on_request(qtbot, page, workspace, jobs):
    button = page.backups.now
    button.setFocus()
    click(qtbot, button)
    assert button.text() == "Backing up…" and button.hasFocus()
    click(qtbot, button)
    qtbot.waitUntil(lambda: button.text() == "Back up now" and not jobs.running())
    assert button.hasFocus()
    assert kinds(workspace) == [BackupKind.manual, BackupKind.daily, BackupKind.daily]


@pytest.mark.parametrize(
    ("bytes", "expected"),
    [(0, "0 KB"), (4_000, "4 KB"), (12_340_000, "12.3 MB"), (5 * 10**11, "500 GB")],
)
def test_file_size_is_short(bytes, expected):
    assert file_size(bytes) == expected


def test_menu_backs_up_and_shows_the_backups(qtbot, show_window, real_gateway, workspace, jobs):
    window = show_window(real_gateway)
    menu_action(window, "Back up now").trigger()
    assert window.shows("settings")
    qtbot.waitUntil(lambda: BackupKind.manual in kinds(workspace) and not jobs.running())


def test_menu_leads_to_the_backups_to_restore(qtbot, show_window, real_gateway, workspace, jobs):
    window = show_window(real_gateway)
    window.resize(900, 600)
    window.activateWindow()
    menu_action(window, "Restore backup…").trigger()
    backups = window.other_page("settings").backups
    qtbot.waitUntil(lambda: not jobs.running() and backups.table.hasFocus())
    qtbot.waitUntil(lambda: not backups.restore.visibleRegion().isEmpty())


def test_page_opens_by_shortcut_and_changes_the_theme(
    qtbot, show_window, real_gateway, appearance, jobs
):
    window = show_window(real_gateway)
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.shows("settings") and not jobs.running())
    page = window.other_page("settings")
    with qtbot.waitSignal(window.events.theme_selected):
        click(qtbot, page.theme.tab_stops()[2])
    qtbot.waitUntil(lambda: appearance.theme is DARK)
    window.choose_theme(ThemeChoice.light)
    assert page.theme.current == [choice for choice, _ in THEMES].index(ThemeChoice.light)


@pytest.fixture
def risky_window(tmp_path, monkeypatch, real_gateway, show_window):
    """The window of a library in a folder that another program synchronizes."""
    monkeypatch.setattr(real_gateway.workspace, "_risk", Home(tmp_path / "Dropbox").risk)
    return show_window(real_gateway)


def test_risky_folder_is_offered_to_be_moved(qtbot, risky_window):
    assert "Dropbox" in risky_window.messages.message.text()
    with qtbot.waitSignal(risky_window.events.reopen_requested) as wanted:
        click(qtbot, banner_button(risky_window, "Move library"))
    assert wanted.args[0].title == "Moving the library"


def test_declined_move_is_not_offered_again(qtbot, risky_window):
    click(qtbot, banner_button(risky_window, "Keep current folder"))
    assert risky_window.gateway.workspace.risk == ""
    assert not risky_window.messages.isVisible()


def test_due_backup_is_made_automatically(qtbot, show_window, real_gateway, jobs):
    window = show_window(real_gateway)
    workspace, keeper = real_gateway.workspace, window.findChild(BackupScheduler)
    assert keeper._soon.isActive() and keeper._often.isActive()
    keeper.back_up()
    qtbot.waitUntil(lambda: not jobs.running())
    assert kinds(workspace) == []  # of an empty library
    workspace.library.put([paper("Bees")])
    keeper.back_up()
    qtbot.waitUntil(lambda: kinds(workspace) == [BackupKind.daily] and not jobs.running())


def test_sample_library_is_not_backed_up(qtbot, real_gateway, jobs, context):
    sample = Workspace(open_home(real_gateway.workspace.home.sample.folder))
    sample.library.put([paper("Bees")])
    BackupScheduler(context, sample, context.events).back_up()
    qtbot.waitUntil(lambda: not jobs.running())
    assert kinds(sample) == []
    sample.close()


def test_failed_backup_is_reported_once_a_day(qtbot, show_window, real_gateway, jobs):
    real_gateway.workspace.library.put([paper("Bees")])
    real_gateway.workspace.home.backups.write_bytes(b"not a folder")
    window = show_window(real_gateway)
    keeper = window.findChild(BackupScheduler)
    keeper.back_up()
    qtbot.waitUntil(lambda: "backup" in window.messages.message.text())
    click(qtbot, window.messages.newest.close_button)
    keeper.back_up()
    qtbot.waitUntil(lambda: not jobs.running())
    assert not window.messages.isVisible()


def test_moving_the_library_asks_for_confirmation(qtbot, page, context, monkeypatch):
    where = "PySide6.QtWidgets.QFileDialog.getExistingDirectory"
    monkeypatch.setattr(where, lambda *_: "/mnt/disk")
    click(qtbot, page.move_it)
    assert str(Path("/mnt/disk")) in question_box(page).text()
    with qtbot.waitSignal(context.events.reopen_requested) as wanted:
        answer(qtbot, page, "Move")
    assert wanted.args[0].title == "Moving the library"
