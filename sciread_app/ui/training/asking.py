"""What somebody is asked, and shown, about a training in a window of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QDialog,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.services.runs import Standing
from sciread_app.ui.file_dialogs import Purpose, choose_folder, open_file, save_file
from sciread_app.ui.theme import styled
from sciread_app.ui.training.values import Told


def ask_for_folder(parent: QWidget) -> Path | None:
    """A run's folder, or a job's."""
    title = tr("Open the training in this folder")
    return choose_folder(parent, Purpose.training_folder, title)


def ask_for_zip(parent: QWidget) -> Path | None:
    kinds = tr("Trainings ({pattern})", pattern="*.zip")
    return open_file(parent, Purpose.training, tr("Open the training in this file"), kinds)


def ask_where_to(usual: str, parent: QWidget) -> Path | None:
    """Where to write a job: a .zip, or without that ending a folder."""
    kinds = tr("A zip file, or a folder ({pattern})", pattern="*.zip *")
    return save_file(parent, Purpose.job, tr("Write a job"), usual, kinds)


def ask_to_remove(told: Told, remove: Callable[[], object], parent: QWidget) -> None:
    training = told.training
    box = QMessageBox(parent)
    box.setWindowTitle(tr("Remove a training"))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(tr("Remove {name} with all that it has saved?", name=training.name))
    if training.standing is not Standing.finished:
        means = tr("It cannot go on then. What it has learned is lost.")
    elif told.model:
        means = tr("Its model stays among your models. Its curves are lost.")
    else:
        means = tr("Its model was not added to your models, and is lost.")
    box.setInformativeText(means)
    yes = box.addButton(tr("Remove"), QMessageBox.ButtonRole.DestructiveRole)
    box.setDefaultButton(box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
    yes.clicked.connect(lambda: remove())
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()


class LogDialog(QDialog):
    """What a training has said, the last of it in sight."""

    def __init__(self, name: str, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Log of {name}", name=name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = styled(QPlainTextEdit(text or tr("It has said nothing yet.")), "notebox")
        self.text.setReadOnly(True)
        self.text.setAccessibleName(self.windowTitle())
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        close = QPushButton(tr("Close"), default=True)
        close.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.addWidget(self.text)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        self.resize(820, 520)
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())
