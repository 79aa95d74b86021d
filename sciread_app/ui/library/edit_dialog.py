"""The dialogs that edit every field of one paper, and common fields of many papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QCompleter,
    QDialog,
    QFormLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)

from sciread_app.domain.metadata.editable_fields import (
    InvalidFieldValue,
    changed,
    value_of,
    written,
)
from sciread_app.domain.metadata.identifiers import IDENTIFIER_NAMES
from sciread_app.domain.metadata.item_types import KIND_NAMES
from sciread_app.domain.paper import Paper, PaperId
from sciread_app.language import tr, trn
from sciread_app.ui.formatting import shortened
from sciread_app.ui.library.edit_queue import LongEdit, Step
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.dialogs.window_placement import keep_on_screen
from sciread_app.ui.widgets.form_rows import ComboBox
from sciread_app.ui.widgets.layout.boxes import column, row

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
        "One author per line, for example Curie, Marie. Enclose a group in braces: {group}. End an "
        "incomplete list with the line “and others”.",
        group="{LHCb collaboration}",
    ),
    "published": tr("2017, 2017-06, or 2017-06-12"),
    "keywords": tr("Separated by semicolons"),
    "extra": tr("One field per line, for example volume: 12"),
}
LINES = {"title": 2, "authors": 5, "abstract": 8, "extra": 4}
BY_HAND = tr("Edited manually; imports do not change this field")
SIZE = (680, 720)
COMMON_FIELDS = ("venue", "published", "kind", "keywords")  # that can be set for many papers
ADD, REMOVE = "add a tag", "remove a tag"
BULK_WIDTH = 520
_SHOWN_VALUE = 60  # characters


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


class KindField(ComboBox):
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


def field_for(name: str) -> Field:
    """An empty field to edit the field `name` of a paper."""
    if name == "kind":
        return KindField()
    if name in LINES:
        return TextField(LINES[name])
    return styled(QLineEdit(placeholderText=HINTS.get(name, "")), "field")


class EditDialog(QDialog):
    """`save` receives the changed fields. Closing the dialog discards only what was typed."""

    def __init__(
        self,
        paper: Paper,
        by_hand: frozenset[str],
        save: Callable[[Mapping[str, Any]], object],
        parent: QWidget,
        look_up: Callable[[], object] | None = None,
        looked_up: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        """`look_up` opens the look-up of the paper's metadata. `looked_up` are the service and the
        value before, of each field that has the value of a look-up."""
        super().__init__(parent)
        self.setWindowTitle(tr("Edit paper"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._paper = paper
        self._save = save
        self._open_look_up = look_up
        self._looked_up = looked_up or {}
        self.fields: dict[str, Field] = {}
        self.marks: dict[str, QLabel] = {}
        self.restores: dict[str, QPushButton] = {}
        self.wrong = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "wrong")
        self.wrong.hide()
        self._lay_out(by_hand)
        for name, text in written(paper).items():
            self.fields[name].setText(text)
        self._first = {name: field.text() for name, field in self.fields.items()}
        self._warned = False  # that `reject` discards what was typed
        for field in self.fields.values():
            if isinstance(field, KindField):
                field.currentIndexChanged.connect(self._withdraw)
            else:
                field.textChanged.connect(self._withdraw)
        self.resize(*SIZE)
        keep_on_screen(self)
        self.fields["title"].setFocus()

    def save(self) -> None:
        """Close and save the changed fields; or show which value is invalid."""
        try:
            values = changed(self._paper, {name: f.text() for name, f in self.fields.items()})
        except InvalidFieldValue as why:
            self._show_message(str(why))
            return
        self.accept()
        if values:
            self._save(values)

    def look_up(self) -> None:
        """Close, and open the look-up of metadata, unless something was typed."""
        if self._is_changed():
            self._show_message(
                tr("You have unsaved changes. Save or discard them before you look up.")
            )
        elif self._open_look_up:
            self.accept()
            self._open_look_up()

    def _is_changed(self) -> bool:
        return {name: field.text() for name, field in self.fields.items()} != self._first

    def reject(self) -> None:
        """Discard what was typed only on a second request."""
        if self._warned or not self._is_changed():
            super().reject()
        else:
            self._show_message(tr("You have unsaved changes. Press Cancel again to discard them."))
            self._warned = True

    def _withdraw(self) -> None:
        """Withdraw the warning after a change of a field."""
        if self._warned:
            self._warned = False
            self.wrong.hide()

    def _show_message(self, why: str) -> None:
        self._warned = False
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
        bottom = buttons(self, tr("Save"), self.save)
        if self._open_look_up:
            look_up = QPushButton(tr("Look up metadata…"))
            look_up.clicked.connect(self.look_up)
            bottom.insertWidget(0, look_up)
        parts = ((scroll, 1), self.wrong, bottom)
        column(*parts, parent=self, margins=(24, 20, 14, 16), spacing=14)

    def _row(self, name: str, label: str, by_hand: bool) -> QWidget:
        """The field with its helper buttons, and a note if it was edited manually."""
        field = field_for(name)
        field.setAccessibleName(label)
        self.fields[name] = field
        whole = QWidget()
        inside = column(field, parent=whole, margins=0, spacing=3)
        if by_hand:
            self.marks[name] = styled(QLabel(BY_HAND), "byhand")
            inside.addWidget(self.marks[name])
            field.setAccessibleDescription(BY_HAND)
        elif name in HINTS and name in LINES:
            inside.addWidget(styled(QLabel(HINTS[name], wordWrap=True), "faint"))
        if name in self._looked_up:
            inside.addLayout(self._looked_up_row(name))
        return whole

    def _looked_up_row(self, name: str) -> QHBoxLayout:
        """Where the value of a field is from, and the button that fills in the value before."""
        source, old = self._looked_up[name]
        value = shortened(" ".join(old.split()), _SHOWN_VALUE)
        restore = tr("Restore “{value}”", value=value) if old else tr("Clear")
        button = self.restores[name] = styled(QPushButton(restore), "link")
        button.clicked.connect(lambda: self.fields[name].setText(old))
        label = styled(QLabel(tr("Looked up at {source}", source=source)), "faint")
        return row(label, button, 1, margins=0, spacing=4)


class BulkEditDialog(QDialog):
    """A form with a check box for each field; only checked fields are set, and typing checks
    one."""

    def __init__(
        self,
        ids: Sequence[PaperId],
        tags: Sequence[str],
        do: Callable[[str, Sequence[Step | LongEdit]], object],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(trn("Edit {n:,} paper", "Edit {n:,} papers", len(ids)))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._ids = ids
        self._do = do
        self.ticks: dict[str, QCheckBox] = {}
        self.fields: dict[str, Field] = {}
        self.wrong = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "wrong")
        self.wrong.hide()
        self._lay_out(tags)
        self.setMinimumWidth(BULK_WIDTH)
        self.fields[COMMON_FIELDS[0]].setFocus()

    def save(self) -> None:
        """Close and submit the checked changes; or show which value is invalid."""
        try:
            steps = self._steps()
        except InvalidFieldValue as why:
            self.wrong.setText(str(why))
            self.wrong.show()
            return
        self.accept()
        if steps:
            count = len(self._ids)
            self._do(trn("Edited {n:,} paper", "Edited {n:,} papers", count), steps)

    def _steps(self) -> list[Step | LongEdit]:
        ids = self._ids
        text = {name: field.text().strip() for name, field in self.fields.items()}
        ticked = [name for name, tick in self.ticks.items() if tick.isChecked()]
        values = {name: value_of(name, text[name]) for name in ticked if name in COMMON_FIELDS}
        steps: list[Step | LongEdit] = []
        if values:
            steps.append(LongEdit(lambda editor, task: editor.edit(ids, task, **values)))
        if ADD in ticked and text[ADD]:
            steps.append(lambda editor: editor.tag(ids, text[ADD]))
        if REMOVE in ticked and text[REMOVE]:
            steps.append(lambda editor: editor.untag(ids, text[REMOVE]))
        return steps

    def _lay_out(self, tags: Sequence[str]) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(10)
        grid.setColumnStretch(1, 1)
        names = {name: LABELS[name] for name in COMMON_FIELDS}
        names |= {ADD: tr("Add tag"), REMOVE: tr("Remove tag")}
        for line, (name, label) in enumerate(names.items()):
            tick = QCheckBox(label)
            field: Any = field_for(name)
            field.setAccessibleName(label)
            self.ticks[name], self.fields[name] = tick, field
            typed = field.currentIndexChanged if name == "kind" else field.textEdited
            typed.connect(lambda _, tick=tick: tick.setChecked(True))
            if name in (ADD, REMOVE):
                known = QCompleter(list(tags), field)
                known.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
                known.activated.connect(lambda _, tick=tick: tick.setChecked(True))
                field.setCompleter(known)
            grid.addWidget(tick, line, 0)
            grid.addWidget(field, line, 1)
        text = styled(
            QLabel(
                tr(
                    "Checked fields replace those of all selected papers. An empty checked "
                    "field clears the field in all of them."
                )
            ),
            "quiet",
        )
        text.setWordWrap(True)
        parts = (text, grid, self.wrong, buttons(self, tr("Save"), self.save))
        column(*parts, parent=self, margins=(24, 20, 14, 16), spacing=16)


def buttons(dialog: QDialog, name: str, do: Callable[[], object]) -> QHBoxLayout:
    """The Cancel button of a dialog, and the button of its main action (Ctrl+Enter)."""
    cancel, act = QPushButton(tr("Cancel")), styled(QPushButton(name, default=True), "primary")
    act.setShortcut(QKeySequence("Ctrl+Return"))
    act.setToolTip(tr("{verb} (Ctrl+Enter)", verb=name))
    cancel.clicked.connect(dialog.reject)
    act.clicked.connect(lambda: do())
    return row(0, cancel, act, margins=(0, 0, 10, 0))
