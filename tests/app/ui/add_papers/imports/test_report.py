"""The report of an import."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QPushButton, QTableView

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


def test_short_report_has_no_filter(qtbot):
    dialog = ImportReportDialog(ImportSummary(5, 0, 0, ENTRIES))
    qtbot.addWidget(dialog)
    assert not dialog.findChildren(QLineEdit)
