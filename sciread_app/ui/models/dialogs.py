"""Dialogs before a model is added, exported or deleted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from sciread_app.language import tr
from sciread_app.services.models.trash import RemovedModel
from sciread_app.ui.formatting import file_size
from sciread_app.ui.widgets.dialogs.confirmation import confirm
from sciread_app.ui.widgets.dialogs.file_dialogs import (
    DialogPurpose,
    choose_folder,
    open_file,
    save_file,
)


def ask_for_folder(title: str, parent: QWidget) -> Path | None:
    return choose_folder(parent, DialogPurpose.model_folder, title)


def ask_for_zip(parent: QWidget) -> Path | None:
    return open_file(parent, DialogPurpose.model, tr("Add a model from a zip file"), _kinds())


def ask_where_to(usual: str, parent: QWidget) -> Path | None:
    """Ask where to export a model, including whether to replace a file."""
    return save_file(parent, DialogPurpose.model, tr("Export model"), usual, _kinds())


def ask_to_delete(removed: RemovedModel, delete: Callable[[], object], parent: QWidget) -> None:
    """Call `delete` once the user has confirmed that a model may be deleted permanently. Does not
    wait."""
    consequence = tr(
        "Deleting the model frees {size} and removes its index of your papers. You "
        "cannot undo this.",
        size=file_size(removed.size),
    )
    confirm(
        parent,
        tr("Delete model"),
        tr("Permanently delete {title}?", title=removed.title),
        consequence,
        tr("Delete permanently"),
        delete,
    )


def _kinds() -> str:
    return tr("Models ({pattern})", pattern="*.zip")
