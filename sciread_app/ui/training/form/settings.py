"""The settings of a recipe, built from the catalog of methods."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from sciread_app.language import tr, trn
from sciread_app.ui.setting_labels import (
    choice_label,
    setting_help,
    setting_label,
    setting_unit,
)
from sciread_app.ui.style.theme import Appearance, restyled, scaled, styled
from sciread_app.ui.training.text import shown_value, typed_value, value_text
from sciread_app.ui.widgets.build_queue import BuildQueue
from sciread_app.ui.widgets.form_rows import ComboBox
from sciread_app.ui.widgets.layout.boxes import column, remove_widgets, row
from sciread_app.ui.widgets.layout.collapsible_section import CollapsibleSection
from sciread_app.ui.widgets.text.labels import show_text
from trainer.contract.catalog import recipe_of
from trainer.contract.errors import TrainerError
from trainer.contract.settings import Setting, Value

# The most frequently changed settings; all others are collapsed.
OFTEN = ("base", "epochs", "max_steps", "learning_rate", "batch_size", "max_tokens", "min_papers")
WIDE, NARROW = 240, 120  # width of the column of fields, and of a number, in pixels


class SettingsPart(QWidget):
    """The rows of the settings. They are built one by one after `show_recipe`, since all at once
    take 100 ms."""

    changed = Signal()
    completed = Signal()  # all rows are built

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._recipe = ""
        self._models: tuple[str, ...] = ()
        self._rows: dict[str, SettingRow] = {}  # those built so far
        self._building = BuildQueue(self)
        self._building.finished.connect(self.completed)
        # Changes by method, restored when the method is selected again.
        self._changes: dict[str, dict[str, str]] = {}
        self._column = column(parent=self, margins=0, spacing=12)

    def show_recipe(self, name: str) -> None:
        """Show the settings of this recipe, with the earlier changes for its method."""
        if name == self._recipe:
            return
        self._keep()
        self._recipe = name
        spec, _ = recipe_of(name)
        usual, grid = spec.resolve(name), spec.recipes[name].grid
        self._rows = {}
        settings = {setting.name: setting for setting in spec.settings}
        often = [name for name in OFTEN if name in settings]
        others = [name for name in settings if name not in OFTEN]
        self._lay_out(len(others))

        def build(name: str) -> None:
            row = SettingRow(settings[name], usual[name], grid.get(name, ()))
            self._rows[name] = row
            if name in OFTEN:
                self._column.insertWidget(self._column.count() - 1, row)
            else:
                self._others.addWidget(row)
            if name == "base":
                row.offer(self._models)
            if name in changes:
                row.write(changes[name])
            row.changed.connect(self.changed)

        changes = self._changes.get(spec.key, {})
        self._building.start(partial(build, name) for name in (*often, *others))
        if changes:
            self._building.finish()

    @property
    def rows(self) -> dict[str, SettingRow]:
        """The rows of all settings, by name, in the order of the catalog."""
        self._building.finish()
        spec, _ = recipe_of(self._recipe)
        return {setting.name: self._rows[setting.name] for setting in spec.settings}

    def offer_models(self, models: tuple[str, ...]) -> None:
        """Offer the installed models as base models."""
        self._models = models
        if entry := self._rows.get("base"):
            entry.offer(models)

    def changes(self) -> dict[str, Value | tuple[Value, ...]]:
        """Settings that differ from the recipe.

        Raises TrainerError for an invalid value, after showing the error in its row.
        """
        found = {}
        wrong: TrainerError | None = None
        for name, entry in self._rows.items():  # one that is not built yet has no change
            try:
                if entry.is_changed:
                    found[name] = entry.value()
            except TrainerError as error:
                wrong = wrong or error
        if wrong:
            raise wrong
        return found

    def write(self, settings: Mapping[str, Any]) -> None:
        """Set these values."""
        for name, value in settings.items():
            if entry := self.rows.get(name):
                entry.write(value_text(value))
        self.changed.emit()

    def tab_stops(self) -> list[QWidget]:
        often = [entry for name, entry in self._rows.items() if name in OFTEN]
        rest = [entry for name, entry in self._rows.items() if name not in OFTEN]
        return [
            *(stop for entry in often for stop in entry.tab_stops()),
            self.folded.button,
            *(stop for entry in rest for stop in entry.tab_stops()),
        ]

    def _keep(self) -> None:
        if self._recipe:
            spec, _ = recipe_of(self._recipe)
            self._changes[spec.key] = {
                name: entry.text for name, entry in self._rows.items() if entry.is_changed
            }

    def _lay_out(self, others: int) -> None:
        """Lay out the section for this number of other settings, without any row."""
        remove_widgets(self._column)
        rest = QWidget()
        self._others = column(parent=rest, margins=(0, 4, 0, 0), spacing=12)
        title = trn("{n} more setting", "{n} more settings", others)
        self.folded = CollapsibleSection(title, rest, self._appearance)
        self._column.addWidget(self.folded)


def _explained(setting: Setting) -> str:
    """The help of a setting, with its range if the setting has one."""
    help = setting_help(setting.name)
    least, most = setting.at_least, setting.at_most
    if setting.choices or isinstance(setting.default, bool | str) or not (least or most):
        return help
    if most is None:
        limits = tr("Minimum: {least:g}.", least=least)
    else:
        limits = tr("Range: {least:g} to {most:g}.", least=least, most=most)
    return f"{help} {limits}"


def _accepted(setting: Setting) -> str:
    """A request to type a valid value."""
    least, most = setting.at_least, setting.at_most
    if isinstance(setting.default, int):
        if least is None:
            return tr("Enter a whole number.")
        if most is None:
            return tr("Enter a whole number of at least {least:g}.", least=least)
        return tr("Enter a whole number from {least:g} to {most:g}.", least=least, most=most)
    if least is None:
        return tr("Enter a number.")
    if most is None:
        return tr("Enter a number of at least {least:g}.", least=least)
    return tr("Enter a number from {least:g} to {most:g}.", least=least, most=most)


class SettingRow(QWidget):
    """A setting with its help and field. One that differs from the recipe is marked and can be
    reset.
    """

    changed = Signal()

    def __init__(self, setting: Setting, usual: Value, tried: tuple[Value, ...] = ()) -> None:
        """`usual` is the recipe's value, or its values in `tried` if it tries several."""
        super().__init__()
        self.setting = setting
        self._usual_value = tried or usual
        self._usual = value_text(self._usual_value)
        self._build()
        self.write(self._usual)

    @property
    def _usual_shown(self) -> str:
        return shown_value(self.setting.name, self._usual_value) or "–"

    @property
    def text(self) -> str:
        if isinstance(self.field, QCheckBox):
            return value_text(self.field.isChecked())
        if isinstance(self.field, QComboBox):
            shown = self.field.currentText()
            return shown if self.field.isEditable() else str(self.field.currentData() or "")
        return self.field.text()

    @property
    def is_changed(self) -> bool:
        try:
            return typed_value(self.setting, self.text) != self._usual_value
        except TrainerError:
            return True

    def value(self) -> Value | tuple[Value, ...]:
        """The value. Raises TrainerError after showing the error below the field."""
        try:
            value = typed_value(self.setting, self.text)
        except TrainerError:
            show_text(self.wrong, _accepted(self.setting))
            raise
        show_text(self.wrong, "")
        return value

    def write(self, text: str) -> None:
        """Set the value from its text; that of a checkbox is "true" or "false"."""
        if isinstance(self.field, QCheckBox):
            self.field.setChecked(text == "true")
        elif isinstance(self.field, QComboBox) and self.field.isEditable():
            self.field.setCurrentText(text)
        elif isinstance(self.field, QComboBox):
            self.field.setCurrentIndex(self.field.findData(text))
        else:
            self.field.setText(text)
        self._mark()

    def offer(self, values: tuple[str, ...]) -> None:
        """Offer values to select, besides any that can be typed."""
        if isinstance(self.field, QComboBox) and self.field.isEditable():
            text = self.field.currentText()
            self.field.blockSignals(True)
            self.field.clear()
            self.field.addItems([*dict.fromkeys((self._usual, *values))])
            self.field.setCurrentText(text)
            self.field.blockSignals(False)

    def tab_stops(self) -> list[QWidget]:
        return [self.back, self.field]

    def _on_edit(self) -> None:
        self._mark()
        with suppress(TrainerError):  # the error is shown below the field
            self.value()
        self.changed.emit()

    def _mark(self) -> None:
        self.back.setVisible(self.is_changed)
        restyled(self._name, "byhand" if self.is_changed else "")
        text = self._help
        if self.is_changed:
            mark = tr("Changed from {value}.", value=self._usual_shown)
            text = f"{text} {mark}"
        self.field.setAccessibleDescription(text)

    def _field(self) -> QCheckBox | QComboBox | QLineEdit:
        setting = self.setting
        if isinstance(setting.default, bool):
            box = QCheckBox()
            box.toggled.connect(lambda _: self._on_edit())
            return box
        if setting.choices:
            choices = ComboBox()
            for value in setting.choices:
                choices.addItem(choice_label(setting.name, value), value)
            choices.currentTextChanged.connect(lambda _: self._on_edit())
            return choices
        if setting.name == "base":
            base = ComboBox()
            base.setEditable(True)
            base.currentTextChanged.connect(lambda _: self._on_edit())
            if line := base.lineEdit():
                # The widget that gets the focus
                line.setAccessibleName(setting_label(setting.name))
            return base
        line = styled(QLineEdit(), "field")
        line.setAcceptDrops(False)
        line.textChanged.connect(lambda _: self._on_edit())
        return line

    def _build(self) -> None:
        self._help = _explained(self.setting)
        title, unit = setting_label(self.setting.name), setting_unit(self.setting.name)
        self._name = QLabel(title)
        # The key in recipes and on the command line.
        self._name.setToolTip(tr("Key in recipes: {key}", key=self.setting.name))
        self._name.setFont(scaled(self.font(), 1.0, QFont.Weight.Medium))
        about = styled(QLabel(self._help, wordWrap=True), "quiet")
        about.setFont(scaled(self.font(), 0.92))
        self.wrong = styled(QLabel(wordWrap=True), "wrong")
        self.wrong.hide()
        for label in (self._name, about, self.wrong):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.back = styled(QPushButton(tr("Reset to {value}", value=self._usual_shown)), "link")
        self.back.setAccessibleName(
            tr("{name}: reset to {value}", name=title, value=self._usual_shown)
        )
        self.back.clicked.connect(lambda: self.write(self._usual))
        self.back.hide()
        self.field = self._field()
        # Translators: a setting and the unit of its value
        accessible = tr("{name} ({unit})", name=title, unit=unit) if unit else title
        self.field.setAccessibleName(accessible)
        number = not isinstance(self.setting.default, bool | str)
        middle = Qt.AlignmentFlag.AlignVCenter
        words = column(self._name, about, self.wrong, spacing=1)
        row(
            (words, 1),
            (self.back, 0, middle),
            (field_column(self.field, unit, narrow=number), 0, middle),
            parent=self,
            margins=0,
            spacing=14,
        )


def field_column(field: QWidget, unit: str = "", *, narrow: bool = False) -> QWidget:
    """A field with its unit, as wide as all others, so that they form a column."""
    holder = QWidget()
    holder.setFixedWidth(WIDE)
    if narrow:
        field.setFixedWidth(NARROW)
        parts = (field, styled(QLabel(unit), "quiet"), 0)
        row(*parts, parent=holder, margins=0, spacing=8)
    else:
        row((field, 1), parent=holder, margins=0, spacing=0)
    return holder
