"""Papers are added by identifier from the menu."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QPushButton

from sciread_app.ui.search.lookup_dialog import LookupDialog
from tests.support.ui.controls import menu_action
from tests.support.ui.fakes.gateway import FakeGateway


def open_dialog(window) -> LookupDialog:
    menu_action(window, "Add by identifier…").trigger()
    return next(dialog for dialog in window.findChildren(LookupDialog) if dialog.isVisible())


def test_paper_added_by_identifier_is_shown_in_the_library(show_window, qtbot, jobs):
    window = show_window(FakeGateway(30))
    window.go_to("settings")
    dialog = open_dialog(window)
    dialog.form.line.setText("10.1000/7")
    qtbot.keyClick(dialog.form.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not dialog.isVisible() and window.shows("search"))
    assert len(window.page.view.listing.ids) == 1
    qtbot.waitUntil(lambda: not jobs.running())


def test_failed_lookup_keeps_the_dialog_open(show_window, qtbot, jobs):
    gateway = FakeGateway(30)
    gateway.about.refuse = "Crossref does not know it."
    window = show_window(gateway)
    dialog = open_dialog(window)
    dialog.form.line.setText("10.1000/7")
    qtbot.keyClick(dialog.form.line, Qt.Key.Key_Return)
    qtbot.waitUntil(dialog.form.problem.isVisible)
    assert dialog.isVisible() and dialog.form.line.text() == "10.1000/7"
    dialog.reject()
    assert not [one for one in window.findChildren(QDialog) if one.isVisible()]


def test_dialog_grows_with_the_text_of_an_error(show_window, qtbot, jobs):
    gateway = FakeGateway(30)
    gateway.about.refuse = "Crossref does not know it. " * 12
    dialog = open_dialog(show_window(gateway))
    dialog.form.line.setText("10.1000/7")
    qtbot.keyClick(dialog.form.line, Qt.Key.Key_Return)
    problem = dialog.form.problem
    qtbot.waitUntil(
        lambda: problem.isVisible() and problem.height() >= problem.heightForWidth(problem.width())
    )


def test_menu_leads_to_a_new_query(show_window, qtbot, jobs):
    window = show_window(FakeGateway(3))
    menu_action(window, "New query…").trigger()
    page = window.other_page("intake")
    qtbot.waitUntil(lambda: page.form.isVisible() and not jobs.running())
    assert window.shows("intake") and page.switch.current == 0


def test_identifier_pasted_outside_a_field_is_offered(show_window, qtbot, jobs):
    gateway = FakeGateway(30)
    window = show_window(gateway)
    window.page.result_list.setFocus()
    clipboard = QApplication.clipboard()
    for text, offered in (("Not an identifier", False), ("https://doi.org/10.1000/XYZ", True)):
        clipboard.setText(text)
        qtbot.keyClick(window.page.result_list, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        add = [b for b in window.banner.findChildren(QPushButton) if "10.1000/xyz" in b.text()]
        assert bool(add) is offered
    add[0].click()
    qtbot.waitUntil(lambda: "fetch doi:10.1000/xyz" in gateway.about.asked)
    qtbot.waitUntil(lambda: not jobs.running())


def test_text_pasted_into_a_field_is_not_offered(show_window, qtbot):
    window = show_window(FakeGateway(30))
    window.page.search_box.take_focus()
    QApplication.clipboard().setText("10.1000/xyz")
    box = window.focusWidget()
    qtbot.keyClick(box, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert not window.banner.isVisible()
