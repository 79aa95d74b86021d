"""The report of an import."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QStyleOptionViewItem, QTableView

from sciread_app.domain.paper import Skipped
from sciread_app.ui.add_papers.imports.report import ImportReportDialog
from sciread_app.ui.view_models import ImportSummary

ENTRIES = [Skipped("refs.bib", f"entry {n}", "It has no title.") for n in range(5)]


@pytest.mark.parametrize("lists", [1, 2, 3])
def test_report_lists_show_several_entries(qtbot, lists):
    lists = (ENTRIES,) * lists + ((),) * (3 - lists)
    dialog = ImportReportDialog(ImportSummary(15, 5, 0, *lists[:2], others=lists[2]))
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    for table in dialog.findChildren(QTableView):
        last = table.visualRect(table.model().index(1, 0)).bottom()
        assert last <= table.viewport().height()


def test_filter_limits_all_lists_and_what_is_copied(qtbot):
    others = [Skipped(f"photo{n}.png", "", "Files of this type are not supported.") for n in (1, 2)]
    dialog = ImportReportDialog(ImportSummary(15, 5, 0, ENTRIES, ENTRIES, others=others))
    qtbot.addWidget(dialog)
    dialog.show()
    (field,) = dialog.findChildren(QLineEdit)
    qtbot.keyClicks(field, "PNG supported")
    rows = [table.model().rowCount() for table in dialog.findChildren(QTableView)]
    assert rows == [0, 0, 2]
    copy = next(b for b in dialog.findChildren(QPushButton) if b.text() == "Copy")
    copy.click()
    lines = QGuiApplication.clipboard().text().splitlines()[1:]
    assert [line.split("\t")[0] for line in lines] == ["photo1.png", "photo2.png"]
    field.clear()
    assert sum(table.model().rowCount() for table in dialog.findChildren(QTableView)) == 12


def test_reason_of_a_report_begins_with_a_capital_letter(qtbot):
    entry = Skipped("a.bib", "smith", "line 13: a field has no value.")
    dialog = ImportReportDialog(ImportSummary(1, 0, 0, [entry]))
    qtbot.addWidget(dialog)
    model = dialog.findChild(QTableView).model()
    assert model.index(0, 2).data().startswith("Line 13") and model.index(0, 1).data() == "smith"


@pytest.mark.parametrize("is_file", [True, False])
def test_context_menu_of_an_entry_copies_it_and_shows_its_file(
    qtbot, monkeypatch, tmp_path, is_file
):
    file, shown = str(tmp_path / "refs.bib") if is_file else "Zotero", []
    monkeypatch.setattr("sciread_app.ui.add_papers.imports.report.reveal", shown.append)
    others = [Skipped("a.png", "", "No."), Skipped(file, "smith", "It has no title.")]
    dialog = ImportReportDialog(ImportSummary(2, 0, 0, others))
    qtbot.addWidget(dialog)
    dialog.show()
    table = dialog.findChild(QTableView)
    place = table.visualRect(table.model().index(1, 0)).center()
    table.customContextMenuRequested.emit(place)
    menu = table.findChild(QMenu)
    offered = {action.text(): action for action in menu.actions()}
    assert ("Show in folder" in offered) is is_file
    for action in menu.actions():
        action.trigger()
    menu.close()
    assert shown == ([Path(file)] if is_file else [])
    assert f"{file}\tsmith\tIt has no title." in QGuiApplication.clipboard().text()
    assert "a.png" not in QGuiApplication.clipboard().text()


def test_file_name_is_elided_in_the_middle_and_its_tooltip_is_the_path(qtbot):
    dialog = ImportReportDialog(ImportSummary(1, 0, 0, [Skipped("/x/long name.bib", "", "No.")]))
    qtbot.addWidget(dialog)
    table = dialog.findChild(QTableView)
    index, option = table.model().index(0, 0), QStyleOptionViewItem()
    table.itemDelegateForIndex(index).initStyleOption(option, index)
    assert option.textElideMode is Qt.TextElideMode.ElideMiddle
    assert not option.features & QStyleOptionViewItem.ViewItemFeature.WrapText
    assert index.data() == "long name.bib"
    assert index.data(Qt.ItemDataRole.ToolTipRole) == "/x/long name.bib"


def test_short_report_has_no_filter(qtbot):
    dialog = ImportReportDialog(ImportSummary(5, 0, 0, ENTRIES))
    qtbot.addWidget(dialog)
    assert not dialog.findChildren(QLineEdit)
