"""The report of an import."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QTableView

from sciread_app.domain.paper import Skipped
from sciread_app.ui.add_papers.import_report import ImportReportDialog
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
