"""The list of installed models and of models in the trash."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.services.models.registry import InstalledModel, ModelState
from sciread_app.services.models.trash import RemovedModel
from sciread_app.ui.formatting import file_size
from sciread_app.ui.models.view_models import below
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.painting import paint_bar, paint_box, paint_row, paint_text
from sciread_app.ui.widgets.rounded_popup import context_menu
from sciread_app.ui.widgets.row_table import Index, RowModel

ROW = Qt.ItemDataRole.UserRole
WIDGET_SIZE_MAX = (1 << 24) - 1  # QWIDGETSIZE_MAX, not exported by PySide6: no limit

_TOP = Qt.AlignmentFlag.AlignTop
_WRAP = int(Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)
_EDGE, _AIR, _ROUND, _GAP, _HIGH = 12, 10, 8, 3, 4


class ModelRow(NamedTuple):
    """A row of the list.

    `mark` is the pill at its right, `kind` its style: "active", "problem", "good", "warning" or
    "". `share` (0 to 1) is the progress; a heading has no key.
    """

    key: str
    title: str
    below: str = ""
    mark: str = ""
    kind: str = ""
    share: float | None = None
    faint: bool = False


def rows_of(
    models: Sequence[InstalledModel], trashed: Sequence[RemovedModel], share: float | None
) -> list[ModelRow]:
    """The rows of these models. `share`: progress of the running activation."""
    rows = [_row(model, share) for model in models]
    if trashed:
        rows.append(ModelRow("", tr("Trash")))
        rows += [ModelRow(r.key, r.title, file_size(r.size), faint=True) for r in trashed]
    return rows


def _row(model: InstalledModel, share: float | None) -> ModelRow:
    mark, kind = "", ""
    if model.problem:
        # Translators: a model whose files are not as they were made
        mark, kind = tr("Damaged"), "problem"
    elif model.state is ModelState.active:
        # Translators: this model is used for searches now
        mark, kind = tr("In use"), "active"
    elif model.state is ModelState.pending:
        # Translators: a model that indexes papers before it is used
        mark = tr("Indexing") if share is None else tr("{percent}%", percent=int(share * 100))
    going = model.state is ModelState.pending and not model.problem
    return ModelRow(
        model.name, model.title, below(model), mark, kind, (share or 0) if going else None
    )


class ModelListModel(RowModel[ModelRow]):
    """The rows of the list. Rows with the same keys are replaced in place, so that the selection
    stays."""

    def show_rows(self, rows: Sequence[ModelRow]) -> None:
        if [row.key for row in rows] != [row.key for row in self.rows]:
            super().show_rows(rows)
            return
        self.rows = rows  # the selection is kept, and an unchanged row is not read again
        self.dataChanged.emit(self.index(0, 0), self.index(max(0, len(rows) - 1), 0))

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.isValid() and not self.rows[index.row()].key:
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(filter(None, (row.title, row.below)))  # both may be elided
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (row.title, row.mark, row.below)))
        return row if role == ROW else None


class ModelList(QListView):
    """Up and Down move between models; Enter and Right go to the card."""

    selected = Signal(str)  # the key of a row; empty for none
    menu_requested = Signal()  # for the current row; see `show_menu`

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        styled(self, "pairs").setAccessibleName(tr("Models"))
        self._rows = ModelListModel()
        self._menu_at: QPoint | None = None
        self.setModel(self._rows)
        self.setItemDelegate(ModelDelegate(appearance, self))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setMinimumWidth(210)
        self.setResizeMode(QListView.ResizeMode.Adjust)  # messages wrap
        self.selectionModel().currentChanged.connect(self._choose)
        appearance.changed.connect(self.viewport().update)

    def show_rows(self, rows: Sequence[ModelRow], choose: str = "") -> None:
        """Show these rows and select `choose`, else the previous one or its neighbour."""
        at, before = self.currentIndex().row(), self.current
        self._rows.show_rows(rows)
        keys = [row.key for row in rows]
        wanted = next((key for key in (choose, before) if key and key in keys), "")
        place = keys.index(wanted) if wanted else max(0, min(at, len(rows) - 1))
        if keys and not keys[place]:
            place = max(0, place - 1)  # skip the heading of the trash
        index = self._rows.index(place, 0)
        if index != self.currentIndex():
            self.setCurrentIndex(index)

    @property
    def current(self) -> str:
        return self._key_at(self.currentIndex())

    def _choose(self, index: Index) -> None:
        self.forget_menu()
        self.selected.emit(self._key_at(index))

    def _key_at(self, index: Index) -> str:
        row = index.row()
        return self.rows[row].key if 0 <= row < len(self.rows) else ""

    @property
    def rows(self) -> Sequence[ModelRow]:
        return self._rows.rows

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.currentIndex()
        if event.reason() is not QContextMenuEvent.Reason.Keyboard:
            index = self.indexAt(event.pos())
        if not self._key_at(index):
            return
        self.setCurrentIndex(index)  # forgets the menu of another row
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        middle = self.viewport().mapToGlobal(self.visualRect(index).center())
        self._menu_at = middle if by_key else event.globalPos()
        self.menu_requested.emit()

    def show_menu(self, buttons: Iterable[QPushButton]) -> None:
        """Show the requested menu, if any: the actions of the current row, which are those of the
        visible `buttons`. Call it once the buttons are those of that row."""
        if self._menu_at is None:
            return
        menu = context_menu(self)
        for button in buttons:
            if not button.isHidden():
                menu.addAction(button.text(), button.click).setEnabled(button.isEnabled())
        menu.popup(self._menu_at)
        self.forget_menu()

    def forget_menu(self) -> None:
        """Do not show the requested menu. Call it if the actions of its row cannot be loaded."""
        self._menu_at = None

    def fit(self, rows: int = 0) -> None:
        """Limit the height to this number of rows; without it, fill the available height."""
        high = sum(self.sizeHintForRow(row) for row in range(rows)) + 2 * self.frameWidth() + 4
        self.setMaximumHeight(high if rows else WIDGET_SIZE_MAX)


class ModelDelegate(QStyledItemDelegate):
    """Paints a title with a pill, a second line, and a bar for progress."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._title = scaled(parent.font(), 1.0, QFont.Weight.Medium)
        self._small = scaled(parent.font(), 0.86)
        self._bold = scaled(parent.font(), 0.8, QFont.Weight.DemiBold)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row: ModelRow = index.data(ROW)
        small = QFontMetrics(self._small).height()
        if not row.key:
            return QSize(120, small + 2 * _AIR)
        if row.kind == "problem" and isinstance(option.widget, QListView):
            width = option.widget.viewport().width() - 2 * _EDGE - self.room_beside(row)
            small = max(small, self._wrapped(row.below, width).height())
        high = QFontMetrics(self._title).height() + _GAP + small + 2 * _AIR
        return QSize(120, high + (0 if row.share is None else _HIGH + _GAP + 2))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = self._appearance.theme, index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.key:
            paint_row(painter, option, theme, _ROUND, 1.5)
        if option.state & QStyle.StateFlag.State_Selected:
            theme = theme.on_selected()
        room = option.rect.adjusted(_EDGE, _AIR, -_EDGE, -_AIR)
        if not row.key:
            paint_text(painter, room, row.title, self._bold, theme.faint, _TOP)
            painter.restore()
            return
        used = self._paint_mark(painter, room, row, theme)
        colour = theme.faint if row.faint else theme.text
        place = room.adjusted(0, 0, -used, 0)
        paint_text(painter, place, row.title, self._title, colour, _TOP)
        high = QFontMetrics(self._title).height() + _GAP
        second = room.adjusted(0, high, -self.room_beside(row), 0)
        colour = theme.danger if row.kind == "problem" else theme.quiet
        colour = theme.faint if row.faint else colour
        if row.kind == "problem":  # a message, shown in full
            painter.setFont(self._small)
            painter.setPen(QColor(colour))
            painter.drawText(second, _WRAP, row.below)
        else:
            paint_text(painter, second, row.below, self._small, colour, _TOP)
        if row.share is not None:
            bar = QRectF(room.left(), room.bottom() - _HIGH + 1, room.width(), _HIGH)
            paint_bar(painter, bar, row.share, theme)
        painter.restore()

    def _wrapped(self, text: str, width: int) -> QRect:
        """The rectangle of a text on as many lines as it needs."""
        room = QRect(0, 0, max(width, 60), 10_000)
        return QFontMetrics(self._small).boundingRect(room, _WRAP, text)

    def room_beside(self, row: ModelRow) -> int:
        """Pixels reserved at the end of the second line, for subclasses that paint there."""
        return 0

    def _paint_mark(self, painter: QPainter, room: QRect, row: ModelRow, theme: Theme) -> int:
        """Paint the pill and return its width."""
        if not row.mark:
            return 0
        metrics = QFontMetrics(self._bold)
        width, height = metrics.horizontalAdvance(row.mark) + 14, metrics.height() + 4
        pill = QRectF(0, 0, width, height)
        first = QRectF(room).adjusted(0, 0, 0, QFontMetrics(self._title).height() - room.height())
        pill.moveCenter(first.center())
        pill.moveRight(room.right() + 2)
        ground, ink = {
            "active": (theme.accent, theme.on_accent),
            "problem": (theme.danger_soft, theme.danger),
            "good": (theme.sentence, theme.text),
            "warning": (theme.notice_soft, theme.text),
        }.get(row.kind, (theme.track, theme.quiet))
        paint_box(painter, pill, height / 2, ground)
        paint_text(painter, pill, row.mark, self._bold, ink, Qt.AlignmentFlag.AlignCenter)
        return width + _EDGE
