"""Dialogs of the training page: folders and files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import (
    QWidget,
)

from sciread_app.language import tr
from sciread_app.services.training.runs import RunStatus
from sciread_app.ui.training.view_models import TrainingDetails
from sciread_app.ui.widgets.dialogs.confirmation import confirm
from sciread_app.ui.widgets.dialogs.file_dialogs import (
    DialogPurpose,
    choose_folder,
    open_file,
    save_file,
)


def ask_for_folder(parent: QWidget) -> Path | None:
    """Ask for the folder of a run or a job."""
    title = tr("Open a training run from a folder")
    return choose_folder(parent, DialogPurpose.training_folder, title)


def ask_for_zip(parent: QWidget) -> Path | None:
    kinds = tr("Training runs ({pattern})", pattern="*.zip")
    return open_file(
        parent, DialogPurpose.training, tr("Open a training run from a zip file"), kinds
    )


def ask_where_to(usual: str, parent: QWidget) -> Path | None:
    """Ask where to save a job: a .zip file, or without that ending a folder."""
    kinds = tr("Zip file or folder ({pattern})", pattern="*.zip *")
    return save_file(parent, DialogPurpose.job, tr("Export training job"), usual, kinds)


def ask_to_remove(details: TrainingDetails, remove: Callable[[], object], parent: QWidget) -> None:
    """Call `remove` once the user has confirmed that the files of a run may be deleted. Does not
    wait."""
    training = details.training
    if training.status is not RunStatus.finished:
        means = tr("You cannot resume a deleted run. All progress is lost.")
    elif details.model:
        means = tr("The trained model stays in Models. The training curves are lost.")
    else:
        means = tr("The trained model was not added to Models and is lost.")
    question = tr("Delete the training run {name} and all its files?", name=training.name)
    confirm(parent, tr("Delete training run"), question, means, tr("Delete"), remove)
