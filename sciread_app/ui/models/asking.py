"""What somebody is asked before a model is added, written or deleted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from sciread_app.language import tr
from sciread_app.services.model_trash import Removed
from sciread_app.ui.backups_panel import size
from sciread_app.ui.file_dialogs import Purpose, choose_folder, open_file, save_file


def ask_for_folder(title: str, parent: QWidget) -> Path | None:
    return choose_folder(parent, Purpose.model_folder, title)


def ask_for_zip(parent: QWidget) -> Path | None:
    return open_file(parent, Purpose.model, tr("Add the model in this file"), _kinds())


def ask_where_to(usual: str, parent: QWidget) -> Path | None:
    """Where to write a model; whether a file may be replaced is asked, too."""
    return save_file(parent, Purpose.model, tr("Export the model"), usual, _kinds())


def ask_to_delete(removed: Removed, delete: Callable[[], object], parent: QWidget) -> None:
    box = QMessageBox(parent)
    box.setWindowTitle(tr("Delete a model"))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(tr("Delete {title} for good?", title=removed.title))
    box.setInformativeText(
        tr(
            "Its {size} are given back, and what it has read of your papers is forgotten. This "
            "cannot be taken back.",
            size=size(removed.size),
        )
    )
    yes = box.addButton(tr("Delete for good"), QMessageBox.ButtonRole.DestructiveRole)
    box.setDefaultButton(box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
    yes.clicked.connect(lambda: delete())
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()


def _kinds() -> str:
    return tr("Models ({pattern})", pattern="*.zip")
