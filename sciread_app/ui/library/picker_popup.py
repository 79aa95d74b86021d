"""A popup for choosing a tag or collection by typing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from sciread_app.domain.text.folding import fold_name
from sciread_app.language import tr
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.tag_colours import shade
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.painting import paint_box, paint_text
from sciread_app.ui.widgets.rounded_popup import RoundedPopup
from sciread_app.ui.widgets.row_table import RIGHT, Index, RowModel

MOST = 40  # matches shown at once
LINES = 9  # visible rows of the list
WIDTH = 320


class PickerItem(NamedTuple):
    """An item to select. `on`: every selected paper has it. `colour` is the color of a tag."""

    name: str
    colour: str | None = None
    papers: int = 0
    on: bool = False
    new: bool = False


def matching(choices: Iterable[PickerItem], typed: str) -> list[PickerItem]:
    """The matching items, best first: the exact name, then names and words that start with the
    text, then the text as a new name, then names that contain it."""
    typed = " ".join(typed.split())
    wanted = fold_name(typed)
    if not wanted:
        return sorted(choices, key=lambda choice: (not choice.on, -choice.papers))[:MOST]
    ranked = sorted(
        (rank, -choice.papers, choice.name, choice)
        for choice in choices
        if (rank := _rank(fold_name(choice.name), wanted)) is not None
    )
    found = [(rank, choice) for rank, _, _, choice in ranked]
    if not any(rank == 0 for rank, _ in found):
        place = sum(rank <= 2 for rank, _ in found)
        found.insert(place, (2, PickerItem(typed, new=True)))
    return [choice for _, choice in found[:MOST]]


def _rank(name: str, wanted: str) -> int | None:
    if name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    if any(word.startswith(wanted) for word in name.replace("/", " ").split()):
        return 2
    return 3 if wanted in name else None


class PickerModel(RowModel[PickerItem]):
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        choice = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return tr("Create “{name}”", name=choice.name) if choice.new else choice.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            # Translators: a tag or collection that all selected papers have
            return tr("{name}, checked", name=choice.name) if choice.on else choice.name
        return None


class PickerDelegate(QStyledItemDelegate):
    """Paints the icon of a collection or the color of a tag, the name, and the number of papers or,
    if every selected paper has it, a check mark."""

    def __init__(self, model: PickerModel, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._appearance = appearance

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, QFontMetrics(option.font).height() + 11)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        choice, theme, line = self._model.rows[index.row()], self._appearance.theme, option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            paint_box(painter, line.adjusted(2, 0, -2, 0), 6, theme.selected)
        mark = QRect(0, 0, 16, 16)
        mark.moveCenter(QPoint(line.x() + 18, line.center().y() + 1))
        if choice.colour is not None and not choice.new:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(shade(theme, choice.colour).dot))
            painter.drawEllipse(mark.adjusted(3, 3, -3, -3))
        else:
            icon("add" if choice.new else "collection", theme.quiet).paint(painter, mark)
        right = line.right() - 10
        if choice.on:
            tick = QRect(right - 16, mark.y(), 16, 16)
            icon("read", theme.accent).paint(painter, tick)
        elif choice.papers:
            count, small = f"{choice.papers:,}", scaled(option.font, 0.86)
            paint_text(painter, line.adjusted(0, 0, -10, 0), count, small, theme.faint, RIGHT)
        place, middle = line.adjusted(36, 0, -58, 0), Qt.TextElideMode.ElideMiddle
        paint_text(painter, place, str(index.data()), option.font, theme.text, cut=middle)
        painter.restore()


class PickerEdit(QLineEdit):
    """The arrow keys move in the list below, Enter selects the current item."""

    step_requested = Signal(int)
    selected = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: LINES,
            Qt.Key.Key_PageUp: -LINES,
        }
        key = Qt.Key(event.key())
        if key in steps:
            self.step_requested.emit(steps[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.selected.emit()
        else:
            super().keyPressEvent(event)


class PickerPopup(RoundedPopup):
    """A popup over the window that closes on a choice, on Esc, and on a click elsewhere."""

    selected = Signal(object)  # PickerItem
    closed = Signal()

    def __init__(
        self, title: str, choices: Sequence[PickerItem], appearance: Appearance, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("chooser")
        self.setAccessibleName(title)
        self._choices = choices
        self.line = PickerEdit(placeholderText=tr("Find or create"))
        self.line.setObjectName("field")
        self.line.setAccessibleName(title)
        self.model = PickerModel(parent=self)
        self.list = QListView()
        self.list.setObjectName("choices")
        self.list.setModel(self.model)
        self.list.setItemDelegate(PickerDelegate(self.model, appearance, self.list))
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName(tr("Matching names"))
        self._lay_out(title)
        self.line.textChanged.connect(self._show)
        self.line.step_requested.connect(self._move)
        self.line.selected.connect(self._take)
        self.list.activated.connect(self.list.setCurrentIndex)
        self.list.clicked.connect(lambda _: self._take())
        self._show("")

    def open_at(self, around: QRect) -> None:
        """Open below `around`, in screen coordinates, or above it if there is more room."""
        self.resize(self.sizeHint())
        screen = self.screen().availableGeometry()
        left = min(max(around.left(), screen.left()), screen.right() - self.width())
        top = around.bottom() + 1
        if top + self.height() > screen.bottom():
            top = max(around.top() - self.height(), screen.top())
        self.move(left, top)
        self.show()
        self.line.setFocus(Qt.FocusReason.PopupFocusReason)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()

    def _lay_out(self, title: str) -> None:
        heading = styled(QLabel(title), "quiet")
        column(heading, self.line, self.list, parent=self, margins=(10, 10, 10, 8), spacing=8)
        height = QFontMetrics(self.font()).height() + 11
        lines = min(LINES, len(self._choices) + 1)  # and one for a new name
        self.list.setFixedHeight(lines * height + 4)
        self.setFixedWidth(WIDTH)

    def _show(self, typed: str) -> None:
        self.model.show_rows(matching(self._choices, typed))
        self.list.setCurrentIndex(self.model.index(0, 0))

    def _move(self, steps: int) -> None:
        row = self.list.currentIndex().row() + steps
        last = self.model.rowCount() - 1
        self.list.setCurrentIndex(self.model.index(max(0, min(row, last)), 0))

    def _take(self) -> None:
        index: QModelIndex = self.list.currentIndex()
        if index.isValid():
            choice = self.model.rows[index.row()]
            self.close()
            self.selected.emit(choice)
