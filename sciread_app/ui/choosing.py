"""Files and folders that a person chooses to add."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from sciread_app.language import tr

FILES = (
    tr("Papers") + " (*.bib *.ris *.json *.xml *.nbib *.jsonl *.gz *.pdf *.txt);;"
    "BibTeX (*.bib);;RIS (*.ris);;PDF (*.pdf);;" + tr("All files") + " (*)"
)


def choose_files(window: QWidget) -> list[Path]:
    names, _ = QFileDialog.getOpenFileNames(window, tr("Add papers"), "", FILES)
    return [Path(name) for name in names]


def choose_folder(window: QWidget) -> list[Path]:
    name = QFileDialog.getExistingDirectory(window, tr("Add all papers in a folder"))
    return [Path(name)] if name else []
