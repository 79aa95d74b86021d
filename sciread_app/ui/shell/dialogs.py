"""The dialog with the program's name, version and license."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QWidget

from sciread_app import __version__
from sciread_app.language import tr
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.text.labels import plain_label


def about_dialog(home: str, parent: QWidget) -> QDialog:
    dialog = QDialog(parent)
    dialog.setWindowTitle(tr("About SciRead"))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    picture = QLabel(pixmap=icon("sciread", large=True).pixmap(64, 64))
    name = QLabel(f"SciRead {__version__}")
    name.setFont(scaled(dialog.font(), 1.5, QFont.Weight.DemiBold))
    words = column(name)
    for text in (
        tr("Search your own library of scientific papers by meaning, on your own computer."),
        tr("Free software under the Apache License 2.0."),
        tr("Library folder: {folder}", folder=home),
    ):
        label = styled(plain_label(text), "quiet")
        label.setMinimumWidth(340)
        words.addWidget(label)
    close = QPushButton(tr("Close"), default=True)
    close.clicked.connect(dialog.accept)
    column(
        row((picture, 0, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=18),
        (close, 0, Qt.AlignmentFlag.AlignRight),
        parent=dialog,
        margins=(26, 22, 26, 18),
        spacing=18,
    )
    return dialog
