"""A dialog that edits every field of one paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.editable_fields import InvalidFieldValue, changed, written
from sciread_app.domain.identifiers import IDENTIFIER_NAMES
from sciread_app.domain.item_types import KIND_NAMES
from sciread_app.domain.paper import Paper
from sciread_app.language import tr
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.dialogs.window_placement import keep_on_screen

LABELS = {
    "title": tr("Title"),
    "authors": tr("Authors"),
    "kind": tr("Type"),
    "published": tr("Date"),
    # Translators: a venue is where it was published, a conference perhaps
    "venue": tr("Journal or venue"),
    "abstract": tr("Abstract"),
    "keywords": tr("Keywords"),
    **IDENTIFIER_NAMES,
    "extra": tr("More fields"),
}
HINTS = {
    "authors": tr(
        "One on a line: Curie, Marie. A group stands in braces: {group}",
        group="{LHCb collaboration}",
    ),
    "published": tr("2017, 2017-06 or 2017-06-12"),
    "keywords": tr("Separated by semicolons"),
    "extra": tr("One on a line: volume: 12"),
}
LINES = {"title": 2, "authors": 5, "abstract": 8, "extra": 4}
BY_HAND = tr("Changed by hand: imports leave it as it is")
SIZE = (680, 720)


class TextField(QPlainTextEdit):
    """A multi-line field. Tab moves to the next field."""

    def __init__(self, lines: int) -> None:
        super().__init__()
        self.setObjectName("field")
        self.setTabChangesFocus(True)
        self.setFixedHeight(lines * QFontMetrics(self.font()).lineSpacing() + 22)

    def text(self) -> str:
        return self.toPlainText()

    def setText(self, text: str) -> None:
        self.setPlainText(text)


class KindField(QComboBox):
    def __init__(self) -> None:
        super().__init__()
        self.setMinimumHeight(QFontMetrics(self.font()).height() + 14)
        for kind, name in KIND_NAMES.items():
            self.addItem(name, kind)

    def text(self) -> str:
        return str(self.currentData() or "")

    def setText(self, kind: str) -> None:
        self.setCurrentIndex(max(0, self.findData(kind)))


Field = TextField | KindField | QLineEdit


class EditDialog(QDialog):
    """`save` receives the changed fields. Closing the dialog discards only what was typed."""

    def __init__(
        self,
        paper: Paper,
        by_hand: frozenset[str],
        save: Callable[[Mapping[str, Any]], object],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Edit a paper"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._paper = paper
        self._save = save
        self.fields: dict[str, Field] = {}
        self.marks: dict[str, QLabel] = {}
        self.wrong = styled(QLabel(wordWrap=True), "wrong")
        self.wrong.setTextFormat(Qt.TextFormat.PlainText)
        self.wrong.hide()
        self._lay_out(by_hand)
        for name, text in written(paper).items():
            self.fields[name].setText(text)
        self._first = {name: field.text() for name, field in self.fields.items()}
        self._warned = False
        self.resize(*SIZE)
        keep_on_screen(self)
        self.fields["title"].setFocus()

    def save(self) -> None:
        """Close and save the changed fields; or show which value is invalid."""
        try:
            values = changed(self._paper, {name: f.text() for name, f in self.fields.items()})
        except InvalidFieldValue as why:
            self._say(str(why))
            return
        self.accept()
        if values:
            self._save(values)

    def reject(self) -> None:
        """Discard what was typed only on a second request."""
        texts = {name: field.text() for name, field in self.fields.items()}
        if self._warned or texts == self._first:
            super().reject()
        else:
            self._warned = True
            self._say(tr("There is something that is not saved. Cancel once more to leave it."))

    def _say(self, why: str) -> None:
        self.wrong.setText(why)
        self.wrong.show()

    def _lay_out(self, by_hand: frozenset[str]) -> None:
        inside = styled(QWidget(), "column")
        form = QFormLayout(inside)
        form.setContentsMargins(0, 0, 10, 0)
        form.setVerticalSpacing(10)
        form.setHorizontalSpacing(16)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, label in LABELS.items():
            is_by_hand = ("identifiers" if name in IDENTIFIER_NAMES else name) in by_hand
            form.addRow(label, self._row(name, label, is_by_hand))
        scroll = QScrollArea(widgetResizable=True)
        scroll.setWidget(inside)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 14, 16)
        column.setSpacing(14)
        column.addWidget(scroll, 1)
        column.addWidget(self.wrong)
        column.addLayout(buttons(self, tr("Save"), self.save))

    def _row(self, name: str, label: str, by_hand: bool) -> QWidget:
        """The field with its helper buttons, and a note if it was edited manually."""
        field = self._field(name)
        field.setAccessibleName(label)
        self.fields[name] = field
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addWidget(field)
        if by_hand:
            self.marks[name] = styled(QLabel(BY_HAND), "byhand")
            column.addWidget(self.marks[name])
            field.setAccessibleDescription(BY_HAND)
        elif name in HINTS and name in LINES:
            column.addWidget(styled(QLabel(HINTS[name], wordWrap=True), "faint"))
        return row

    def _field(self, name: str) -> Field:
        if name == "kind":
            return KindField()
        if name in LINES:
            return TextField(LINES[name])
        return styled(QLineEdit(placeholderText=HINTS.get(name, "")), "field")


def buttons(dialog: QDialog, name: str, do: Callable[[], object]) -> QHBoxLayout:
    """The Cancel button of a dialog, and the button of its main action (Ctrl+Enter)."""
    cancel, act = QPushButton(tr("Cancel")), styled(QPushButton(name, default=True), "primary")
    act.setShortcut(QKeySequence("Ctrl+Return"))
    act.setToolTip(tr("{verb} (Ctrl+Enter)", verb=name))
    cancel.clicked.connect(dialog.reject)
    act.clicked.connect(lambda: do())
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, 10, 0)
    row.addStretch()
    row.addWidget(cancel)
    row.addWidget(act)
    return row
