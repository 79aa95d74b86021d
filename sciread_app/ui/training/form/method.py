"""The part of the form with the training method and its recipe."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from sciread_app.language import format_list, tr
from sciread_app.ui.style.theme import restyled, scaled, styled
from sciread_app.ui.training.form.settings import WIDE
from sciread_app.ui.training.text import NEEDS
from sciread_app.ui.widgets.form_rows import ComboBox, FormRow
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.text.labels import show_text
from trainer.contract.catalog import METHODS, MethodSpec, recipe_of
from trainer.contract.corpus_stats import CorpusStats, Level, Requirement, check_requirements

SMALL = "-small"  # ending of recipes for computers without a graphics card


def usual_recipe(spec: MethodSpec) -> str:
    """The default recipe of a method: one for a small model, if there is one."""
    names = list(spec.recipes)
    return next((name for name in names if name.endswith(SMALL)), names[0])


class MethodPart(QWidget):
    """A card for each method with its unmet requirements; below, its recipes."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._recipes = {spec.key: usual_recipe(spec) for spec in METHODS}
        self._selected = False  # by the user
        self._group = QButtonGroup(self, exclusive=True)
        self.cards = {spec.key: MethodCard(spec) for spec in METHODS}
        self.recipe = ComboBox()
        self.recipe.setFixedWidth(WIDE)
        self._row = FormRow(tr("Recipe"), "", self.recipe)
        self._lay_out()
        for spec in METHODS:
            self._group.addButton(self.cards[spec.key])
            self.cards[spec.key].clicked.connect(partial(self._choose, spec))
        self.recipe.activated.connect(self._choose_recipe)
        self.choose(self._recipes[METHODS[0].key])

    @property
    def name(self) -> str:
        """Name of the selected recipe."""
        return self.recipe.currentText()

    def choose(self, recipe: str) -> None:
        """Select a recipe without emitting `changed`."""
        spec, name = recipe_of(recipe)
        self._recipes[spec.key] = name
        self.cards[spec.key].setChecked(True)
        self._list(spec)

    def show_stats(self, stats: CorpusStats | None) -> None:
        """Show for each method whether the corpus meets its requirements.

        Until the user selects a method, the first trainable one is selected.
        """
        able = []
        for spec in METHODS:
            settings = spec.resolve(self._recipes[spec.key])
            found = check_requirements(spec, settings, stats) if stats else ()
            self.cards[spec.key].show_findings(found)
            if found and all(one.level is not Level.missing for one in found):
                able.append(spec)
        now, _ = recipe_of(self.name)
        if able and now not in able and not self._selected:
            self.choose(self._recipes[able[0].key])
            self.changed.emit()

    def tab_stops(self) -> list[QWidget]:
        return [*self._group.buttons(), self.recipe]

    def _choose(self, spec: MethodSpec) -> None:
        self._selected = True
        self._list(spec)
        self.changed.emit()

    def _choose_recipe(self) -> None:
        self._selected = True
        spec, name = recipe_of(self.name)
        self._recipes[spec.key] = name
        self._row.help.setText(spec.recipes[name].summary)
        self.changed.emit()

    def _list(self, spec: MethodSpec) -> None:
        name = self._recipes[spec.key]
        self.recipe.clear()
        self.recipe.addItems([*spec.recipes])
        self.recipe.setCurrentText(name)
        self._row.help.setText(spec.recipes[name].summary)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setSpacing(10)
        for number, card in enumerate(self.cards.values()):
            grid.addWidget(card, number // 2, number % 2)
        for number in range(2):
            grid.setColumnStretch(number, 1)
        column(grid, self._row, parent=self, margins=0, spacing=14)


class MethodCard(QPushButton):
    """A selectable card of a method. The arrow keys move between cards."""

    def __init__(self, spec: MethodSpec) -> None:
        super().__init__()
        styled(self, "method")
        self._spec = spec
        self.setCheckable(True)
        # Unlike other buttons, it may be narrower than its text on one line.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        title = QLabel(spec.title)
        title.setFont(scaled(self.font(), 1.05, QFont.Weight.DemiBold))
        self.verdict = styled(QLabel(), "tag")
        self.verdict.setFont(scaled(self.font(), 0.84))
        summary = styled(QLabel(spec.summary, wordWrap=True), "quiet")
        summary.setFont(scaled(self.font(), 0.92))
        head = row(title, 0, self.verdict)
        column(head, summary, 0, parent=self, margins=(14, 10, 12, 12), spacing=5)
        for label in (title, self.verdict, summary):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.show_findings(())

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.sizeHint() if layout else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        layout = self.layout()
        return layout.minimumSize() if layout else super().minimumSizeHint()

    def show_findings(self, found: Sequence[Requirement]) -> None:
        """Show unmet requirements; nothing if they are unknown."""
        lacks = [NEEDS[one.need] for one in found if one.level is Level.missing]
        little = [NEEDS[one.need] for one in found if one.level is Level.few]
        if lacks:
            self._show_message(tr("Not enough {what}", what=format_list(lacks)), "tag-wrong")
        elif little:
            self._show_message(tr("Few {what}", what=format_list(little)), "tag-warning")
        else:
            self._show_message(tr("Ready to train") if found else "", "tag-good")

    def _show_message(self, text: str, style: str) -> None:
        show_text(self.verdict, text)
        restyled(self.verdict, style)
        name = f"{self._spec.title}: {self._spec.summary}"
        self.setAccessibleName(f"{name} {text}".strip())
