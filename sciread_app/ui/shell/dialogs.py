"""Small dialogs: the keyboard shortcuts, and the program's name, version and license."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QWidget,
)

from sciread_app import __version__
from sciread_app.language import tr, trc
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.text.labels import plain_label

Group = tuple[str, Sequence[tuple[str, str]]]  # a heading, then names and their keys

SPACE = trc("the key", "Space")
# Translators: the key with an arrow down
DOWN = tr("Down")
IN_LISTS: Group = (
    tr("Paper list"),
    (
        (tr("Next or previous paper"), tr("J, K, or arrow keys")),
        (tr("Move to details"), tr("Enter")),
        (tr("Show or hide details"), SPACE),
        (tr("More like this, not like this"), tr("+ or -")),
        (tr("Move from search box to list"), DOWN),
        (tr("Go back"), tr("Esc")),
    ),
)


def shortcuts_dialog(groups: Sequence[Group], parent: QWidget) -> QDialog:
    """All shortcuts by subject, in two columns."""
    dialog = _dialog(tr("Keyboard shortcuts"), parent)
    dialog.setAccessibleDescription(
        "; ".join(f"{name}: {keys}" for _, rows in groups for name, keys in rows)
    )
    sheet = styled(QWidget(), "column")
    row(*(_column_of(side, dialog) for side in _halves(groups)), parent=sheet, spacing=56)
    scroll = QScrollArea(widgetResizable=True)
    scroll.setAccessibleName(tr("Keyboard shortcuts"))
    scroll.setWidget(sheet)
    _fill(dialog, scroll)
    # As large as its contents, but not larger than the parent window.
    wanted = sheet.sizeHint() + QSize(76, 110)
    dialog.resize(wanted.boundedTo(parent.size().expandedTo(QSize(480, 320))))
    return dialog


def _halves(groups: Sequence[Group]) -> tuple[Sequence[Group], Sequence[Group]]:
    """The groups in their order, split as evenly as possible."""
    lengths = [len(rows) + 2 for _, rows in groups]
    cut = min(range(len(groups) + 1), key=lambda n: abs(sum(lengths[:n]) - sum(lengths[n:])))
    return groups[:cut], groups[cut:]


def _column_of(groups: Sequence[Group], dialog: QDialog) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(40)
    grid.setVerticalSpacing(7)
    for title, rows in groups:
        heading = QLabel(title)
        heading.setFont(scaled(dialog.font(), 1.0, QFont.Weight.DemiBold))
        if grid.rowCount() > 1:
            grid.setRowMinimumHeight(grid.rowCount(), 8)
        grid.addWidget(heading, grid.rowCount(), 0, 1, 2)
        for name, keys in rows:
            row = grid.rowCount()
            grid.addWidget(QLabel(name), row, 0)
            label = styled(QLabel(keys), "quiet")
            label.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(label, row, 1)
    grid.setRowStretch(grid.rowCount(), 1)
    return grid


def about_dialog(home: str, parent: QWidget) -> QDialog:
    dialog = _dialog(tr("About SciRead"), parent)
    picture = QLabel(pixmap=icon("sciread").pixmap(64, 64))
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
    _fill(dialog, row((picture, 0, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=18))
    return dialog


def _dialog(title: str, parent: QWidget) -> QDialog:
    dialog = QDialog(parent)
    dialog.setWindowTitle(title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return dialog


def _fill(dialog: QDialog, contents: QWidget | QLayout) -> None:
    """Lay out the contents above a button that closes the dialog."""
    close = QPushButton(tr("Close"), default=True)
    close.clicked.connect(dialog.accept)
    button = (close, 0, Qt.AlignmentFlag.AlignRight)
    column(contents, button, parent=dialog, margins=(26, 22, 26, 18), spacing=18)
