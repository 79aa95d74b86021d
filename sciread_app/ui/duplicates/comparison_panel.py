"""The panel that compares two papers and selects the values of the merged one."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QClipboard,
    QContextMenuEvent,
    QFont,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QTextDocumentFragment,
)
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.duplicates.comparison import (
    DIFFERS,
    LINES,
    ComparisonRow,
    PairComparison,
    Pieces,
    joined,
    reason_words,
    selected_values,
)
from sciread_app.ui.style.theme import Appearance, Theme, restyled, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.sections import WIDEST, scrolling
from sciread_app.ui.widgets.rounded_popup import context_menu
from sciread_app.ui.widgets.text.labels import ElidedLabel

# Translators: the value of an empty field
NOTHING = tr("None")
_BUTTON, _LEAST = 22, 80  # pixels
_LONG = re.compile(r"([^\W\d_]{16})(?=[^\W\d_]{4})")
_BREAK = "\u200b"  # zero-width space
_BREAKS = re.compile(r"(?<=[\s\u200b])|(?<=[-/])(?=[^\W\d_])")  # positions of possible line breaks


class CellText(QLabel):
    """Text that is copied without the break opportunities with which long words are shown."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse:
            super().contextMenuEvent(event)
            return
        menu = context_menu(self)
        menu.addAction(tr("Copy"), self._copy).setEnabled(self.hasSelectedText())
        menu.addAction(tr("Select all"), self._select_all)
        menu.popup(event.globalPos())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if QGuiApplication.clipboard().supportsSelection() and self.hasSelectedText():
            self._copy(QClipboard.Mode.Selection)

    def _copy(self, mode: QClipboard.Mode = QClipboard.Mode.Clipboard) -> None:
        QGuiApplication.clipboard().setText(self.selectedText().replace(_BREAK, ""), mode)

    def _select_all(self) -> None:
        self.setSelection(0, len(QTextDocumentFragment.fromHtml(self.text()).toPlainText()))


class ComparisonCell(QFrame):
    """A cell with a radio button if there is a choice; a click anywhere selects it."""

    selected = Signal()

    def __init__(self, name: str, appearance: Appearance, parent: QWidget | None = None) -> None:
        """`name` is the accessible name of its button."""
        super().__init__(parent)
        self.setObjectName("cell")
        self._pieces: Pieces = ()
        self._appearance = appearance
        self.text = CellText(wordWrap=True, alignment=Qt.AlignmentFlag.AlignTop)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        # Independent of its longest word, so that both sides have the same width
        self.text.setMinimumWidth(_LEAST)
        self.button = styled(QRadioButton(), "side")
        self.button.setFixedWidth(_BUTTON)
        self.button.setAccessibleName(name)
        self.button.toggled.connect(self._toggled)
        top = Qt.AlignmentFlag.AlignTop
        row((self.button, 0, top), (self.text, 1), parent=self, margins=(7, 6, 9, 6), spacing=3)
        appearance.changed.connect(self._write)

    def show_pieces(self, pieces: Pieces, *, choice: bool) -> None:
        self._pieces = pieces
        self.button.setVisible(choice)
        reading = Qt.TextInteractionFlag.TextSelectableByMouse
        none = Qt.TextInteractionFlag.NoTextInteraction
        self.text.setTextInteractionFlags(none if choice else reading)
        self._style()
        self._write(self._appearance.theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self._write(self._appearance.theme)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.button.isHidden():
            self.button.setChecked(True)
            self.button.setFocus()

    def _toggled(self, checked: bool) -> None:
        self._style()
        if checked:
            self.selected.emit()

    def _style(self) -> None:
        if self.button.isHidden():
            restyled(self, "cell")
        else:
            restyled(self, "winner" if self.button.isChecked() else "choice")

    def _write(self, theme: Theme) -> None:
        marked = f'<span style="background-color: {theme.mark}; color: {theme.text}">'
        shown = [(self._fit(text), differs) for text, differs in self._pieces]
        pieces = (
            f"{marked}{escape(text)}</span>" if differs else escape(text) for text, differs in shown
        )
        whole = joined(text for text, _ in self._pieces)
        cut = whole != joined(text for text, _ in shown).replace(_BREAK, "")
        self.text.setToolTip(escape(whole) if cut else "")
        nothing = f'<span style="color: {theme.faint}">{NOTHING}</span>'
        self.text.setText(joined(pieces) or nothing)

    def _fit(self, text: str) -> str:
        """The text with words wider than the cell, such as file names, elided."""
        metrics, room = self.text.fontMetrics(), self._room()
        parts = _BREAKS.split(_LONG.sub(rf"\1{_BREAK}", text))
        middle = Qt.TextElideMode.ElideMiddle  # keeps the end, the file extension
        return "".join(metrics.elidedText(part, middle, room) for part in parts)

    def _room(self) -> int:
        """Width of a text line in pixels."""
        box = self.layout()
        assert box is not None
        edges = box.contentsMargins()
        button = 0 if self.button.isHidden() else _BUTTON + box.spacing()
        return max(_LEAST, self.width() - edges.left() - edges.right() - button)


KEYS = tr("M merge · K keep both · V versions · ←→ select side · ↑↓ next pair")
KEYS_OF_VERSIONS = tr("M merge · K unlink · ←→ select side · ↑↓ next pair")
SIDES = (tr("First paper"), tr("Second paper"))


class _FieldRow:
    """A row for one field: its name and both values."""

    def __init__(self, name: str, appearance: Appearance, parent: QWidget) -> None:
        self.name = QWidget(parent)
        self.remark = styled(QLabel(), "faint")
        self.remark.setFont(scaled(self.name.font(), 0.86))
        column(QLabel(name), self.remark, parent=self.name, margins=(0, 7, 6, 0), spacing=1)
        self.cells = (
            ComparisonCell(tr("{field}, first paper", field=name), appearance, parent),
            ComparisonCell(tr("{field}, second paper", field=name), appearance, parent),
        )
        self._group = QButtonGroup(self.name)
        for side, cell in enumerate(self.cells):
            self._group.addButton(cell.button, side)

    def show_row(self, found: ComparisonRow | None) -> None:
        """Show the values of both papers; None hides the row."""
        for widget in (self.name, *self.cells):
            widget.setVisible(found is not None)
        if found is None:
            return
        self.remark.setText(found.remark)
        self.remark.setVisible(bool(found.remark))
        restyled(self.remark, "wrong" if found.remark == DIFFERS else "faint")
        for cell, pieces in zip(self.cells, (found.left, found.right), strict=True):
            cell.show_pieces(pieces, choice=found.choice)


class ComparisonPanel(QFrame):
    """Shows two papers field by field with their differences marked, and lets the user choose the
    values that a merge keeps. The page connects the buttons, and carries the decision out."""

    paper_requested = Signal(object)  # PaperId

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAccessibleName(tr("Comparison"))
        self._appearance = appearance
        self.found: PairComparison | None = None
        # The rows with a choice, by field
        self.cells: dict[str, tuple[ComparisonCell, ComparisonCell]] = {}
        self._rows: dict[str, _FieldRow] = {}  # by name
        self._wins: dict[str, int] = {}
        self.reason = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.reason.setFont(scaled(self.font(), 1.08, QFont.Weight.DemiBold))
        self._body = styled(QWidget(), "column")
        self._body.setMaximumWidth(WIDEST)  # values to compare stay close to each other
        self._grid = self._lay_out_body()
        self._scroll = scrolling(self._body, self)
        self.merge = styled(QPushButton(tr("Merge")), "primary")
        self.keep = QPushButton(tr("Keep both"))
        self.versions = QPushButton(tr("Link as versions"))
        self._lay_out()

    def show_pair(self, found: PairComparison) -> None:
        """Show a pair with the values that a merge keeps by default selected, and enable
        decisions."""
        self.found = found
        self._wins = dict(found.wins)
        self.reason.setText(reason_words(found.pair))
        self.keep.setText(tr("Unlink") if found.pair.versions else tr("Keep both"))
        self.versions.setVisible(not found.pair.versions)
        self.hint.setText(KEYS_OF_VERSIONS if found.pair.versions else KEYS)
        restyled(self.merge, "" if found.pair.versions else "primary")
        self._fill(found)
        self.allow(True)

    def allow(self, allowed: bool) -> None:
        """Enable or disable decisions."""
        for button in (self.merge, self.keep, self.versions):
            button.setEnabled(allowed)

    @property
    def selected(self) -> dict[str, Any]:
        """The selected values that differ from the default of a merge."""
        return selected_values(self.found, self._wins) if self.found else {}

    def take_all(self, side: int) -> None:
        """Select this side for every choice."""
        for cells in self.cells.values():
            cells[side].button.setChecked(True)

    def _fill(self, found: PairComparison) -> None:
        for step in self.steps():
            step()
        rows = {each.name: each for each in found.rows}
        self.cells = {}
        for name, line in self._rows.items():
            shown = rows.get(name)
            line.show_row(shown)
            if shown and shown.choice:
                self.cells[shown.field] = line.cells
                line.cells[found.wins[shown.field]].button.setChecked(True)
        self._wins = dict(found.wins)
        self._scroll.verticalScrollBar().setValue(0)

    def _choose(self, field: str, side: int) -> None:
        if field in self._wins:
            self._wins[field] = side

    def steps(self) -> list[Callable[[], object]]:
        """Return the steps that build the rows of all fields, without those done. They are built
        once: building them for each pair would take too long."""
        lines = enumerate(LINES, start=1)
        return [
            partial(self._build_row, number, field, name)
            for number, (field, name) in lines
            if name not in self._rows
        ]

    def _build_row(self, number: int, field: str, name: str) -> None:
        line = self._rows[name] = _FieldRow(name, self._appearance, self._body)
        self._grid.addWidget(line.name, number, 0, Qt.AlignmentFlag.AlignTop)
        for side, cell in enumerate(line.cells):
            self._grid.addWidget(cell, number, side + 1)
            cell.selected.connect(partial(self._choose, field, side))
        line.show_row(None)
        self._grid.setRowStretch(len(LINES) + 1, 1)

    def _lay_out_body(self) -> QGridLayout:
        grid = QGridLayout(self._body)
        grid.setContentsMargins(16, 4, 16, 12)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        for side, title in enumerate(SIDES):
            grid.addWidget(self._heading(side, title), 0, side + 1)
        return grid

    def _heading(self, side: int, title: str) -> QWidget:
        heading = styled(QPushButton(title), "flush")
        heading.setToolTip(tr("Show in library"))
        heading.setAccessibleName(tr("{paper}: show in library", paper=title))
        heading.clicked.connect(lambda: self._show_paper(side))
        return heading

    def _show_paper(self, side: int) -> None:
        if self.found:
            self.paper_requested.emit(self.found.sides[side].paper.id)

    def _lay_out(self) -> None:
        for button, keys, means in (
            (
                self.merge,
                "M",
                tr("Merge into one paper with the selected values and all other data of both"),
            ),
            (self.keep, "K", tr("Keep both papers and do not list this pair again")),
            (
                self.versions,
                "V",
                tr("Keep both papers as versions of one work; lists show the work once"),
            ),
        ):
            button.setToolTip(f"{means} ({keys})")
            button.setAccessibleDescription(means)
        self.hint = styled(ElidedLabel(KEYS, whole=True), "faint")  # they are tooltips too
        self.hint.setFont(scaled(self.font(), 0.86))
        buttons = (self.merge, self.keep, self.versions, (self.hint, 1))
        column(
            row(self.reason, margins=(16, 12, 16, 2)),
            (self._scroll, 1),
            row(*buttons, margins=(16, 8, 16, 12), spacing=10),
            parent=self,
            margins=0,
            spacing=0,
        )
