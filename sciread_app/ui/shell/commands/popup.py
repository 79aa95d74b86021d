"""An overlay on the window with a text box and a list: the base of the command palette and of the
search for a paper."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFontMetrics,
    QKeyEvent,
    QPainter,
)
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.page import PaletteEntry
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.widgets.focus import FocusRestorer
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.painting import paint_box, paint_text
from sciread_app.ui.widgets.row_table import RIGHT, Index, RowModel

WIDTH, ROWS = 640, 9
TOP = 56  # pixels from the upper edge of the window
PADDING = 12
MARGIN, FRAME = 8, 1  # pixels around the text box, and around them
LARGEST_SHARE = 0.6  # of a row at most, for the text at its right
EntryRole = Qt.ItemDataRole.UserRole
NO_MODIFIER = Qt.KeyboardModifier.NoModifier


class Popup(QFrame):
    """The text box keeps the focus; Up and Down select an entry, Return or a click chooses it."""

    closed = Signal()

    def __init__(self, window: QWidget, appearance: Appearance, name: str, hint: str) -> None:
        """`name` is the name for screen readers, `hint` the placeholder of the box."""
        super().__init__(window)
        self.setObjectName("palette")
        self.setAccessibleName(name)
        self._window = window
        self.over: QWidget | None = None  # the search box that it covers while that is visible
        self._back = FocusRestorer()
        self.box = styled(QLineEdit(placeholderText=hint), "query")
        self.box.setAccessibleName(hint)
        self.list = _List(appearance)
        self.footer = styled(QLabel(), "quiet")
        self.footer.setContentsMargins(PADDING, 0, PADDING, 2)
        self.footer.hide()
        column(self.box, self.list, self.footer, parent=self, margins=MARGIN, spacing=6)
        self.box.textEdited.connect(lambda _: self.look())
        self.box.installEventFilter(self)
        self.list.clicked.connect(lambda index: self.choose(index.data(EntryRole), NO_MODIFIER))
        window.installEventFilter(self)
        self.hide()

    @abstractmethod
    def look(self) -> None:
        """Look up the typed text, and show what is found."""

    @abstractmethod
    def choose(self, entry: PaletteEntry | None, modifiers: Qt.KeyboardModifier) -> None:
        """Use an entry that was chosen with these keys held down; None if there is none."""

    def open(self) -> None:
        self._back.remember(self)
        self.box.clear()
        self.look()
        self.show()
        self.raise_()
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_up(self) -> None:
        if self.isVisible():
            self.hide()
            self._back.restore()
            self.closed.emit()

    def shown(self) -> Sequence[PaletteEntry]:
        return self.list.entries.rows

    def show_entries(self, entries: Sequence[PaletteEntry], footer: str = "") -> None:
        """Show these entries, and a line below them unless `footer` is empty."""
        self.footer.setText(footer)
        self.footer.setVisible(bool(footer))
        self.list.entries.show_rows(entries)
        self.list.setCurrentIndex(self.list.entries.index(0, 0))
        self.list.scrollToTop()
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window:
            if event.type() is QEvent.Type.Resize and self.isVisible():
                self._place()
        elif event.type() is QEvent.Type.ShortcutOverride:
            assert isinstance(event, QKeyEvent)
            if event.key() in _RETURN:  # a shortcut of the menus with a modifier
                event.accept()
                return True
        elif event.type() is QEvent.Type.KeyPress:
            assert isinstance(event, QKeyEvent)
            return self._key(event)
        elif event.type() is QEvent.Type.FocusOut and self.isVisible():
            self.hide()  # without taking the focus back
        return False

    def _key(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape:
            self.close_up()
        elif key in _RETURN:
            self.choose(self.list.currentIndex().data(EntryRole), event.modifiers())
        elif key in _STEPS:
            self.list.step(_STEPS[key])
        else:
            return False
        return True

    def _place(self) -> None:
        width = min(WIDTH, self._window.width() - 2 * PADDING)
        rows = min(ROWS, max(1, self.list.entries.rowCount()))
        around = self.box.sizeHint().height() + 24
        if not self.footer.isHidden():
            around += self.footer.sizeHint().height() + 6
        room = self._window.height() - TOP - around - 26
        self.list.setFixedHeight(min(rows * self.list.row_height() + 4, max(60, room)))
        height = around + self.list.height()
        place = QRect((self._window.width() - width) // 2, TOP, width, height)
        if self.over and self.over.isVisible():
            around = MARGIN + FRAME
            place.setWidth(max(width, self.over.width() + 2 * around))
            place.moveTopLeft(self.over.mapTo(self._window, QPoint(-around, -around)))
            place.moveRight(min(place.right(), self._window.width() - 1))
        self.setGeometry(place)


_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: ROWS - 1,
    Qt.Key.Key_PageUp: 1 - ROWS,
}


class _List(QListView):
    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setAccessibleName(tr("Results"))
        self.setObjectName("results")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.entries = _EntryModel(parent=self)
        self.setModel(self.entries)
        self.setItemDelegate(_Painter(appearance, self))

    def row_height(self) -> int:
        return self.fontMetrics().height() + 14

    def step(self, by: int) -> None:
        """Move the selection by this number of rows; single steps wrap around at the ends."""
        rows = self.entries.rowCount()
        row = self.currentIndex().row() + by
        if abs(by) == 1:
            row %= max(1, rows)
        index = self.entries.index(max(0, min(rows - 1, row)), 0)
        self.setCurrentIndex(index)
        self.scrollTo(index)
        # A screen reader would not read the selected entry, since the focus stays in the box.
        text = str(index.data(Qt.ItemDataRole.AccessibleTextRole) or "")
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))


class _EntryModel(RowModel[PaletteEntry]):
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == EntryRole:
            return entry
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(
                filter(None, (entry.title, entry.unavailable_reason or entry.kind, entry.keys))
            )
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        # Unavailable entries can be selected too, so that a screen reader reads the reason.
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class _Painter(QStyledItemDelegate):
    def __init__(self, appearance: Appearance, parent: _List) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._list = parent

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self._list.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, entry = self._appearance.theme, index.data(EntryRole)
        rect: QRect = option.rect
        painter.save()
        if index.row() == self._list.currentIndex().row():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_box(painter, rect.adjusted(1, 1, -2, -2), 6, theme.selected, theme.accent)
        inner = rect.adjusted(PADDING, 0, -PADDING, 0)
        small = scaled(self._list.font(), 0.9)
        right = entry.unavailable_reason or "   ".join(filter(None, (entry.kind, entry.keys)))
        most = int(LARGEST_SHARE * inner.width())
        used = min(most, QFontMetrics(small).horizontalAdvance(right))
        beside = inner.adjusted(inner.width() - most, 0, 0, 0)
        paint_text(painter, beside, right, small, theme.quiet, RIGHT)
        colour = theme.faint if entry.unavailable_reason else theme.text
        place = inner.adjusted(0, 0, -used - 2 * PADDING, 0)
        paint_text(painter, place, entry.title, self._list.font(), colour)
        painter.restore()
