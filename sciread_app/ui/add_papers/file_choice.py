"""Dialogs for the files and folders to import."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from sciread_app.language import tr
from sciread_app.ui.widgets.dialogs import file_dialogs
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose

FILES = (
    tr("Papers") + " (*.bib *.ris *.json *.xml *.nbib *.jsonl *.gz *.pdf *.txt);;"
    "BibTeX (*.bib);;RIS (*.ris);;PDF (*.pdf);;" + tr("All files") + " (*)"
)


def choose_files(window: QWidget) -> list[Path]:
    return file_dialogs.open_files(window, DialogPurpose.papers, tr("Add papers"), FILES)


def choose_folder(window: QWidget) -> list[Path]:
    title = tr("Add all papers in a folder")
    folder = file_dialogs.choose_folder(window, DialogPurpose.paper_folder, title)
    return [folder] if folder else []
