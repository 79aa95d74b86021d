"""Small dialogs: the keys, and about the program."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QFont, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from sciread_app import __version__
from sciread_app.ui.icons import icon
from sciread_app.ui.theme import scaled, styled

IN_THE_LIST = (
    ("Next and previous paper", "J, K or arrows"),
    ("Into the details", "Enter"),
    ("Show or hide the details", "Space"),
    ("From the box into the list", "Down"),
    ("Back, or out of here", "Esc"),
)


def shortcuts_dialog(actions: Sequence[QAction], parent: QWidget) -> QDialog:
    """Every key there is: those of the menus, then those inside the list."""
    dialog, column = _dialog("Keyboard shortcuts", parent)
    grid = QGridLayout()
    grid.setHorizontalSpacing(40)
    grid.setVerticalSpacing(9)
    keys = [
        (action.text().replace("&", "").rstrip("…"), _native(action.shortcut()))
        for action in actions
        if not action.shortcut().isEmpty()
    ]
    half = (len(keys) + len(IN_THE_LIST) + 1) // 2
    for number, (name, key) in enumerate((*keys, *IN_THE_LIST)):
        row, side = number % half, number // half * 3
        grid.addWidget(QLabel(name), row, side)
        label = styled(QLabel(key), "quiet")
        label.setAlignment(Qt.AlignmentFlag.AlignRight)
        grid.addWidget(label, row, side + 1)
    grid.setColumnMinimumWidth(2, 24)
    column.addLayout(grid)
    _close_button(dialog, column)
    return dialog


def about_dialog(home: str, parent: QWidget) -> QDialog:
    dialog, column = _dialog("About SciRead", parent)
    row = QHBoxLayout()
    row.setSpacing(18)
    picture = QLabel()
    picture.setPixmap(icon("sciread").pixmap(64, 64))
    row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
    words = QVBoxLayout()
    name = QLabel(f"SciRead {__version__}")
    name.setFont(scaled(dialog.font(), 1.5, QFont.Weight.DemiBold))
    words.addWidget(name)
    for text in (
        "Finds scientific papers by meaning, in a library of your own, on your own machine.",
        "Free software under the Apache License 2.0.",
        f"The library is in {home}",
    ):
        label = styled(QLabel(text, wordWrap=True), "quiet")
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setMinimumWidth(340)
        words.addWidget(label)
    row.addLayout(words, 1)
    column.addLayout(row)
    _close_button(dialog, column)
    return dialog


def _dialog(title: str, parent: QWidget) -> tuple[QDialog, QVBoxLayout]:
    dialog = QDialog(parent)
    dialog.setWindowTitle(title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(26, 22, 26, 18)
    column.setSpacing(18)
    return dialog, column


def _close_button(dialog: QDialog, column: QVBoxLayout) -> None:
    close = QPushButton("Close", default=True)
    close.clicked.connect(dialog.accept)
    column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)


def _native(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.NativeText)
