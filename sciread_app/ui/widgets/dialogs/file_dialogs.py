"""File dialogs that start in the folder last used for the same purpose."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from sciread_app.language import tr
from sciread_app.ui.jobs.saved_state import SavedState


class DialogPurpose(StrEnum):
    """Purposes of file dialogs, each with its own last folder. The values are settings keys."""

    papers = "papers"
    paper_folder = "paper_folder"
    query = "query"  # files to search with
    attachment = "attachment"
    citation_style = "citation_style"
    export = "export"
    notes = "notes"
    annotated_copy = "annotated_copy"
    failures = "failures"  # of an import
    scores = "scores"
    library = "library"
    backups = "backups"
    pdfs = "pdfs"  # the PDF folder
    model = "model"
    model_folder = "model_folder"
    training = "training"
    training_folder = "training_folder"
    training_data = "training_data"
    zotero = "zotero"  # its data folder
    job = "job"
    suite = "suite"


@runtime_checkable
class DialogFolders(Protocol):
    """A window with persistent settings."""

    def memory(self) -> SavedState: ...


def open_file(
    parent: QWidget, purpose: DialogPurpose, title: str, kinds: str = "", folder: Path | None = None
) -> Path | None:
    """Choose one file. `kinds`: filters in the format of QFileDialog. `folder`: the folder to start
    in, instead of the last one. Returns None if the dialog is canceled."""
    start = str(folder or last_folder(parent, purpose))
    name, _ = QFileDialog.getOpenFileName(parent, title, start, kinds)
    return _remember(parent, purpose, Path(name).parent, Path(name)) if name else None


def open_files(parent: QWidget, purpose: DialogPurpose, title: str, kinds: str = "") -> list[Path]:
    """Choose any number of files; an empty list if the dialog is canceled."""
    start = str(last_folder(parent, purpose))
    names, _ = QFileDialog.getOpenFileNames(parent, title, start, kinds)
    files = [Path(name) for name in names]
    if files:
        _remember(parent, purpose, files[0].parent, files[0])
    return files


def choose_folder(
    parent: QWidget, purpose: DialogPurpose, title: str, folder: Path | None = None
) -> Path | None:
    """Choose an existing folder. `folder`: the folder to start in, instead of the last one. Returns
    None if the dialog is canceled."""
    start = str(folder or last_folder(parent, purpose))
    name = QFileDialog.getExistingDirectory(parent, title, start)
    return _remember(parent, purpose, Path(name), Path(name)) if name else None


def save_file(
    parent: QWidget,
    purpose: DialogPurpose,
    title: str,
    name: str,
    kinds: str,
    folder: Path | None = None,
) -> Path | None:
    """Choose where to write a file; `name` is suggested. `folder`: the folder to start in, instead
    of the last one. A name without a suffix gets that of the chosen file type. Returns None if the
    dialog is canceled, or an existing file is not to be replaced."""
    start = str((folder or last_folder(parent, purpose)) / name)
    chosen, kind = QFileDialog.getSaveFileName(parent, title, start, kinds)
    if not chosen:
        return None
    path = file = Path(chosen)
    suffix = (kind or kinds.partition(";;")[0]).rpartition("*")[2].rstrip(")")
    if suffix.startswith(".") and not path.suffix:
        file = path.with_suffix(suffix)
    if file != path and file.exists() and not _may_replace(parent, title, file):
        return None
    return _remember(parent, purpose, file.parent, file)


def last_folder(parent: QWidget, purpose: DialogPurpose) -> Path:
    """The folder last used for a purpose, if it still exists, else Documents, else the home folder:
    a dialog would take a folder that does not exist for a file name."""
    settings = _settings(parent)
    known = settings.value(_key(purpose)) if settings else None
    if known and Path(str(known)).is_dir():
        return Path(str(known))
    documents = QStandardPaths.StandardLocation.DocumentsLocation
    name = QStandardPaths.writableLocation(documents)
    return Path(name) if name and Path(name).is_dir() else Path.home()


def _remember(parent: QWidget, purpose: DialogPurpose, folder: Path, chosen: Path) -> Path:
    if settings := _settings(parent):
        settings.setValue(_key(purpose), str(folder))
    return chosen


def _settings(widget: QWidget | None) -> SavedState | None:
    """The settings of the main window that a widget, or the dialog it is in, belongs to."""
    while widget is not None:
        if isinstance(widget, DialogFolders):
            return widget.memory()
        widget = widget.parentWidget()
    return None


def _key(purpose: DialogPurpose) -> str:
    return f"folders/{purpose}"


def _may_replace(parent: QWidget, title: str, file: Path) -> bool:
    """Confirm replacing a file. The dialog has asked about the name as typed, without the
    suffix."""
    text = tr("{name} already exists. Replace it?", name=file.name)
    return QMessageBox.question(parent, title, text) is QMessageBox.StandardButton.Yes
