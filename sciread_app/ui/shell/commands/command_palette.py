"""The command palette (Ctrl+K): finds commands, pages and collections by a few letters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QObject,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QKeyEvent,
    QPainter,
)
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.jobs.runner import JobQueue, JobRunner
from sciread_app.ui.page import PaletteEntry
from sciread_app.ui.shell.commands.command_palette_entries import (
    SHOWN,
    PaletteEntries,
    PaletteSource,
    is_sure,
)
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.widgets.focus import FocusRestorer
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.row_table import Index, RowModel

WIDTH, ROWS = 640, 9
TOP = 56  # pixels from the upper edge of the window
PADDING = 12
HINT = tr("Type a command, collection, tag, or search")
EntryRole = Qt.ItemDataRole.UserRole


class CommandPalette(QFrame):
    """An overlay on the window. The text box keeps the focus; Up and Down select an entry."""

    closed = Signal()

    def __init__(
        self, window: QWidget, source: PaletteSource, jobs: JobRunner, appearance: Appearance
    ) -> None:
        super().__init__(window)
        self.setObjectName("palette")
        self.setAccessibleName(tr("Command palette"))
        self._window = window
        self._source = source
        self._jobs = jobs
        self._commands = PaletteEntries()
        self._goals = PaletteEntries()
        self._back = FocusRestorer()
        self.box = styled(QLineEdit(placeholderText=HINT), "query")
        self.box.setAccessibleName(tr("Command or search"))
        self.list = _List(appearance)
        column(self.box, self.list, parent=self, margins=8, spacing=6)
        self.box.textEdited.connect(lambda _: self._look())
        self.box.installEventFilter(self)
        self.list.clicked.connect(lambda index: self._choose(index.data(EntryRole)))
        window.installEventFilter(self)
        self.hide()

    def open(self) -> None:
        self._back.remember(self)
        self._commands = PaletteEntries(self._source.commands())
        self.box.clear()
        self._look()
        self.show()
        self.raise_()
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)

        def keep(goals: PaletteEntries) -> None:
            self._goals = goals
            if self.isVisible():
                self._look()

        self._jobs.run(
            tr("Listing collections and tags"),
            lambda task: PaletteEntries(self._source.goals()),
            keep,
            queue=JobQueue.short,
            replaces="goals",
        )

    def close_up(self) -> None:
        if self.isVisible():
            self.hide()
            self._back.restore()
            self.closed.emit()

    def shown(self) -> Sequence[PaletteEntry]:
        return self.list.entries.rows

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window:
            if event.type() is QEvent.Type.Resize and self.isVisible():
                self._place()
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
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.list.currentIndex().data(EntryRole))
        elif key in _STEPS:
            self.list.step(_STEPS[key])
        else:
            return False
        return True

    def _choose(self, entry: PaletteEntry | None) -> None:
        if entry is None or entry.why_not:
            return
        self.close_up()
        self._source.was_used(entry)
        entry.do()

    def _look(self) -> None:
        typed = self.box.text().strip()
        self._show(typed, self._found(typed))
        if typed:
            self._look_alike(typed)

    def _found(self, typed: str) -> list[PaletteEntry]:
        recent = self._source.recent()
        found = [*self._commands.find(typed, recent), *self._goals.find(typed, recent)]
        if not typed:
            age = {key: n for n, key in enumerate(recent)}
            found.sort(key=lambda entry: age.get(entry.key, len(age)))
        else:
            found.sort(key=lambda entry: not is_sure(entry, typed))
        return found[:SHOWN]

    def _look_alike(self, typed: str) -> None:
        commands, goals = self._commands, self._goals

        def show(alike: list[PaletteEntry]) -> None:
            if self.box.text().strip() == typed and alike:
                found = self._found(typed)
                new = [entry for entry in alike if entry not in found]
                self._show(typed, [*found, *new])

        self._jobs.run(
            tr("Looking up similar spellings"),
            lambda task: [*commands.alike(typed), *goals.alike(typed)],
            show,
            queue=JobQueue.short,
            replaces="alike",
        )

    def _show(self, typed: str, found: list[PaletteEntry]) -> None:
        if typed:
            # Return selects an entry that begins with the text; otherwise it starts a search.
            place = 1 if found and is_sure(found[0], typed) else 0
            title = tr("Search for “{typed}”", typed=typed)
            go = partial(self._source.search_for, typed)
            search = PaletteEntry("", title, tr("Search"), go)
            found = [*found[:place], search, *found[place:]]
        self.list.entries.show_rows(found)
        self.list.setCurrentIndex(self.list.entries.index(0, 0))
        self.list.scrollToTop()
        self._place()

    def _place(self) -> None:
        width = min(WIDTH, self._window.width() - 2 * PADDING)
        rows = min(ROWS, max(1, self.list.entries.rowCount()))
        room = self._window.height() - TOP - self.box.sizeHint().height() - 50
        self.list.setFixedHeight(min(rows * self.list.row_height() + 4, max(60, room)))
        height = self.box.sizeHint().height() + self.list.height() + 24
        self.setGeometry(QRect((self._window.width() - width) // 2, TOP, width, height))


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
        self.entries = _Rows(parent=self)
        self.setModel(self.entries)
        self.setItemDelegate(_Painter(appearance, self))

    def row_height(self) -> int:
        return self.fontMetrics().height() + 14

    def step(self, by: int) -> None:
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


class _Rows(RowModel[PaletteEntry]):
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == EntryRole:
            return entry
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (entry.title, entry.why_not or entry.kind, entry.keys)))
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
            painter.setPen(QColor(theme.accent))
            painter.setBrush(QColor(theme.chosen))
            painter.drawRoundedRect(rect.adjusted(1, 1, -2, -2), 6, 6)
        inner = rect.adjusted(PADDING, 0, -PADDING, 0)
        middle = Qt.AlignmentFlag.AlignVCenter
        small = scaled(self._list.font(), 0.9)
        painter.setFont(small)
        painter.setPen(QColor(theme.quiet))
        right = entry.why_not or "   ".join(filter(None, (entry.kind, entry.keys)))
        used = painter.fontMetrics().horizontalAdvance(right)
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | middle, right)
        painter.setFont(self._list.font())
        painter.setPen(QColor(theme.faint if entry.why_not else theme.text))
        room = inner.width() - used - 2 * PADDING
        title = painter.fontMetrics().elidedText(entry.title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | middle, title)
        painter.restore()
