"""A dialog that changes many papers at once: sets fields, adds and removes tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QCompleter,
    QDialog,
    QGridLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from sciread_app.domain.editable_fields import InvalidFieldValue, value_of
from sciread_app.domain.paper import PaperId
from sciread_app.language import tr, trn
from sciread_app.ui.library.edit_dialog import HINTS, LABELS, KindField, buttons
from sciread_app.ui.library.edit_queue import LongEdit, Step
from sciread_app.ui.style.theme import styled

FIELDS = ("venue", "published", "kind", "keywords")
ADD, REMOVE = "add a tag", "remove a tag"
WIDTH = 520


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
        self.fields: dict[str, Any] = {}
        self.wrong = styled(QLabel(wordWrap=True), "wrong")
        self.wrong.setTextFormat(Qt.TextFormat.PlainText)
        self.wrong.hide()
        self._lay_out(tags)
        self.setMinimumWidth(WIDTH)
        self.fields[FIELDS[0]].setFocus()

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
            self._do(trn("Changed {n:,} paper", "Changed {n:,} papers", count), steps)

    def _steps(self) -> list[Step | LongEdit]:
        ids = self._ids
        text = {name: field.text().strip() for name, field in self.fields.items()}
        ticked = [name for name, tick in self.ticks.items() if tick.isChecked()]
        values = {name: value_of(name, text[name]) for name in ticked if name in FIELDS}
        steps: list[Step | LongEdit] = []
        if values:
            steps.append(LongEdit(lambda organise, task: organise.edit(ids, task, **values)))
        if ADD in ticked and text[ADD]:
            steps.append(lambda organise: organise.tag(ids, text[ADD]))
        if REMOVE in ticked and text[REMOVE]:
            steps.append(lambda organise: organise.untag(ids, text[REMOVE]))
        return steps

    def _lay_out(self, tags: Sequence[str]) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(10)
        grid.setColumnStretch(1, 1)
        names = {name: LABELS[name] for name in FIELDS}
        names |= {ADD: tr("Add a tag"), REMOVE: tr("Take off a tag")}
        for line, (name, label) in enumerate(names.items()):
            tick, field = QCheckBox(label), self._field(name, tags)
            field.setAccessibleName(label)
            self.ticks[name], self.fields[name] = tick, field
            signal = field.currentIndexChanged if name == "kind" else field.textEdited
            signal.connect(lambda _, tick=tick: tick.setChecked(True))
            grid.addWidget(tick, line, 0)
            grid.addWidget(field, line, 1)
        text = styled(
            QLabel(tr("What is ticked is set for all of them. Empty takes it out.")), "quiet"
        )
        text.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 14, 16)
        column.setSpacing(16)
        column.addWidget(text)
        column.addLayout(grid)
        column.addWidget(self.wrong)
        column.addLayout(buttons(self, tr("Change"), self.save))

    def _field(self, name: str, tags: Sequence[str]) -> Any:
        if name == "kind":
            return KindField()
        field = styled(QLineEdit(placeholderText=HINTS.get(name, "")), "field")
        if name in (ADD, REMOVE):
            known = QCompleter(list(tags), field)
            known.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            known.activated.connect(lambda _: self.ticks[name].setChecked(True))
            field.setCompleter(known)
        return field
