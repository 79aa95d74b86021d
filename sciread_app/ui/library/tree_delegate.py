"""A delegate that paints the nodes of the sidebar: icon or dot, name, and count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from sciread_app.language import tr
from sciread_app.ui.library.tree_nodes import HEADINGS, NodeKind, TreeNode
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.tag_colours import shade
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.row_table import LEFT, RIGHT, Index

PICTURE = 16
GAP = 8
EDGE = 8  # pixels from the right edge to the count
ROUND = 6
_AIR = 9  # pixels of a row above and below its text together
ABOVE_HEADING = 10
_PICTURES: Mapping[NodeKind, str] = {
    NodeKind.every: "papers",
    NodeKind.unread: "unread",
    NodeKind.recent: "recent",
    NodeKind.duplicates: "duplicates",
    NodeKind.trash: "trash",
    NodeKind.collection: "collection",
    NodeKind.draft: "collection",
    NodeKind.search: "search",
}


class NodeLookup(Protocol):
    def node(self, index: Index) -> TreeNode: ...


class LibraryTreeDelegate(QStyledItemDelegate):
    def __init__(self, nodes: NodeLookup, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._nodes = nodes
        self._appearance = appearance
        self._plain = parent.font()
        self._small = scaled(self._plain, 0.86)
        self._bold = scaled(self._plain, 0.86, QFont.Weight.DemiBold)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        height = QFontMetrics(self._plain).height() + _AIR
        if self._nodes.node(index).kind in HEADINGS:
            height += ABOVE_HEADING
        return QSize(120, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        node, theme = self._nodes.node(index), self._appearance.theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if node.kind in HEADINGS:
            self._paint_heading(painter, option.rect, node, theme)
        elif node.kind is NodeKind.hint:
            painter.setFont(self._small)
            self._write(painter, option.rect.adjusted(2, 0, -EDGE, 0), node.text, theme.faint)
        else:
            self._paint_line(painter, option, node, theme)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = styled(QLineEdit(parent), "rename")
        editor.setAccessibleName(tr("Name"))
        editor.setPlaceholderText(tr("Name"))
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        editor.setGeometry(option.rect.adjusted(PICTURE + GAP - 2, 1, -4, -1))

    def plus_place(self, line: QRect) -> QRect:
        """The rectangle of the + button in the row of a heading."""
        side = line.height() - ABOVE_HEADING
        return QRect(line.right() - side - 2, line.y() + ABOVE_HEADING, side, side)

    def _paint_heading(self, painter: QPainter, line: QRect, node: TreeNode, theme: Theme) -> None:
        place = line.adjusted(0, ABOVE_HEADING, -EDGE, 0)
        painter.setFont(self._bold)
        painter.setPen(QColor(theme.faint))
        painter.drawText(place, LEFT, node.text)
        if node.kind is not NodeKind.searches:
            plus = self.plus_place(line)
            size = QRect(0, 0, PICTURE, PICTURE)
            size.moveCenter(plus.center())
            icon("add", theme.faint).paint(painter, size)

    def _paint_line(
        self, painter: QPainter, option: QStyleOptionViewItem, node: TreeNode, theme: Theme
    ) -> None:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        self._paint_frame(painter, option, chosen, theme)
        line = option.rect
        picture = QRect(line.x() + 2, 0, PICTURE, PICTURE)
        picture.moveCenter(QRect(picture.x(), line.y(), PICTURE, line.height()).center())
        if node.kind is NodeKind.tag:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(shade(theme, node.colour).dot))
            painter.drawEllipse(QPointF(QRectF(picture).center()), 4.5, 4.5)
        else:
            colour = theme.accent if chosen else theme.quiet
            icon(_PICTURES[node.kind], colour).paint(painter, picture)
        used = self._paint_count(painter, line, node, theme)
        place = line.adjusted(PICTURE + GAP, 0, -used - EDGE, 0)
        painter.setFont(self._plain)
        self._write(painter, place, node.text, theme.accent if chosen else theme.text)

    def _paint_frame(
        self, painter: QPainter, option: QStyleOptionViewItem, chosen: bool, theme: Theme
    ) -> None:
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        if not (chosen or hovered or focused):
            return
        painter.setPen(QColor(theme.accent) if focused else Qt.PenStyle.NoPen)
        fill = QColor(theme.chosen if chosen else theme.track if hovered else theme.window)
        painter.setBrush(fill)
        box = QRectF(option.rect).adjusted(-1.5, 0.5, -2.5, -0.5)
        painter.drawRoundedRect(box, ROUND, ROUND)

    def _paint_count(self, painter: QPainter, line: QRect, node: TreeNode, theme: Theme) -> int:
        """Paint the count; returns its width in pixels."""
        if not node.count:
            return 0
        text = f"{node.count:,}"
        painter.setFont(self._small)
        painter.setPen(QColor(theme.faint))
        painter.drawText(line.adjusted(0, 0, -EDGE, 0), RIGHT, text)
        return QFontMetrics(self._small).horizontalAdvance(text) + GAP

    def _write(self, painter: QPainter, place: QRect, text: str, colour: str) -> None:
        painter.setPen(QColor(colour))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, LEFT, shown)
