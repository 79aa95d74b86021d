"""The list of followed queries, collections and saved searches, with numbers of new papers."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from sciread_app.domain.recommend import FollowedTopic, TopicKind
from sciread_app.language import tr, trn
from sciread_app.ui.followed_topics import FollowedTopics
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled
from sciread_app.ui.widgets.count_badge import paint_count
from sciread_app.ui.widgets.painting import paint_row, paint_text
from sciread_app.ui.widgets.row_table import Index

SUBJECT = Qt.ItemDataRole.UserRole
COUNT = Qt.ItemDataRole.UserRole + 1
HEADINGS = {
    TopicKind.query: tr("Queries"),
    TopicKind.collection: tr("Collections"),
    TopicKind.search: tr("Saved searches"),
}
PICTURES = {
    TopicKind.query: "recent",
    TopicKind.collection: "collection",
    TopicKind.search: "search",
}

LEAST = 150  # pixels
PICTURE = 16
EDGE = 8
AIR = 11  # pixels of padding in a row, above and below together
ABOVE_HEADING = 10


class TopicList(QListWidget):
    """Up, Down, Home and End move between topics; Enter goes to the papers."""

    selected = Signal(object)  # FollowedTopic
    entered_list = Signal()
    menu_requested = Signal(QPoint)  # on the screen, for the selected topic

    def __init__(self, followed: FollowedTopics, appearance: Appearance) -> None:
        super().__init__()
        self._followed = followed
        self.setObjectName("subjects")
        self.setMinimumWidth(LEAST)
        self.setAccessibleName(tr("Followed topics"))
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setStyleSheet("QListWidget#subjects { background: transparent; }")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setItemDelegate(TopicDelegate(appearance, self))
        self.currentItemChanged.connect(self._choose)
        self.itemActivated.connect(lambda _: self.entered_list.emit())
        appearance.changed.connect(self.viewport().update)
        followed.counted.connect(self._show_count)

    def refresh(self) -> None:
        """Show the followed topics, keeping the selection if it is still there."""
        before, row, subjects = self.current(), -1, self._followed.topics
        self.blockSignals(True)
        self.clear()
        for subject in subjects:
            if not self.count() or self._last_kind() is not subject.kind:
                self._add_heading(HEADINGS[subject.kind])
            self._add(subject)
            if before and subject.key == before.key:
                row = self.count() - 1
        self.blockSignals(False)
        if subjects:
            self.setCurrentRow(row if row >= 0 else 1)

    def current(self) -> FollowedTopic | None:
        item = self.currentItem()
        return item.data(SUBJECT) if item else None

    def subjects(self) -> list[FollowedTopic]:
        """The topics in display order."""
        every = [self.item(row).data(SUBJECT) for row in range(self.count())]
        return [subject for subject in every if subject]

    def choose(self, key: str) -> None:
        for row in range(self.count()):
            subject = self.item(row).data(SUBJECT)
            if subject and subject.key == key:
                self.setCurrentRow(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        rows = [row for row in range(self.count()) if self.item(row).data(SUBJECT)]
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}
        if rows and event.key() in ends and not event.modifiers():
            self.setCurrentRow(rows[ends[Qt.Key(event.key())]])  # a heading cannot be selected
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            place = self.visualItemRect(self.currentItem()).bottomLeft()
        else:
            place = event.pos()
            item = self.itemAt(place)
            if item and item.data(SUBJECT):
                self.setCurrentItem(item)
        self.menu_requested.emit(self.viewport().mapToGlobal(place))

    def _show_count(self, key: str) -> None:
        for row in range(self.count()):
            item = self.item(row)
            subject = item.data(SUBJECT)
            if subject and subject.key == key:
                self._write_count(item, subject)

    def _add_heading(self, text: str) -> None:
        item = QListWidgetItem(text)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.addItem(item)

    def _add(self, subject: FollowedTopic) -> None:
        item = QListWidgetItem(subject.name)
        item.setData(SUBJECT, subject)
        item.setToolTip(subject.name)
        self._write_count(item, subject)
        self.addItem(item)

    def _write_count(self, item: QListWidgetItem, subject: FollowedTopic) -> None:
        count = self._followed.count_of(subject.key)
        item.setData(COUNT, count)
        accessible = subject.name
        if count:
            accessible = trn("{name}, {n} new", "{name}, {n} new", count, name=subject.name)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, accessible)

    def _last_kind(self) -> TopicKind | None:
        subject = self.item(self.count() - 1).data(SUBJECT)
        return subject.kind if subject else None

    def _choose(self, item: QListWidgetItem | None, _: object = None) -> None:
        if item and (subject := item.data(SUBJECT)):
            self.selected.emit(subject)


class TopicDelegate(QStyledItemDelegate):
    """Paints an icon, the name, and a pill with the number of new papers."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._plain = parent.font()
        self._small = scaled(self._plain, 0.86)
        self._bold = scaled(self._plain, 0.86, QFont.Weight.DemiBold)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        height = QFontMetrics(self._plain).height() + AIR
        return QSize(120, height if index.data(SUBJECT) else height + ABOVE_HEADING)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, subject = self._appearance.theme, index.data(SUBJECT)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if subject is None:
            place = option.rect.adjusted(EDGE, ABOVE_HEADING, -EDGE, 0)
            paint_text(painter, place, index.data(), self._bold, theme.faint)
        else:
            self._paint_subject(painter, option, subject, index.data(COUNT) or 0, theme)
        painter.restore()

    def _paint_subject(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        subject: FollowedTopic,
        count: int,
        theme: Theme,
    ) -> None:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        paint_row(painter, option, theme, 6, 0.5)
        line = option.rect.adjusted(EDGE, 0, -EDGE, 0)
        picture = QRect(line.x(), 0, PICTURE, PICTURE)
        picture.moveCenter(QRect(line.x(), line.y(), PICTURE, line.height()).center())
        colour = theme.accent if chosen else theme.quiet
        icon(PICTURES[subject.kind], colour).paint(painter, picture)
        used = paint_count(painter, line, count, self._bold, theme)
        used += EDGE if used else 0
        place = line.adjusted(PICTURE + EDGE, 0, -used, 0)
        colour, middle = theme.accent if chosen else theme.text, Qt.TextElideMode.ElideMiddle
        paint_text(painter, place, subject.name, self._plain, colour, cut=middle)
