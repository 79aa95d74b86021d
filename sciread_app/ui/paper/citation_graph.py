"""A small graph: a paper in the middle, and the papers related to it at both sides."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from sciread_app.domain.paper import Paper
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.ui.formatting import shortened
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, remove_widgets
from sciread_app.ui.widgets.painting import paint_box

LABEL_LENGTH = 16  # characters
GAP = 28  # pixels between the paper in the middle and those at its sides
PAD = 10  # pixels around the label in the middle
CHIP = 24  # pixels beside the text of a neighbor
DOT = 3.0


class RelatedNode(NamedTuple):
    """A related paper. `kind` sets its color, `relation` names it; `note` is for the tooltip."""

    paper: Paper
    kind: int
    relation: str
    note: str = ""


class CitationGraphView(QWidget):
    """The neighbors are buttons, so that keyboard and screen readers reach them."""

    paper_requested = Signal(object)  # PaperId

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._neighbors: Sequence[RelatedNode] = ()
        self._web = _Web(appearance)
        self._legend = styled(QLabel(textFormat=Qt.TextFormat.RichText), "quiet")
        self._legend.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column(self._web, self._legend, parent=self, margins=0, spacing=6)
        appearance.follow(self._paint)

    def show_neighbors(
        self, paper: Paper, left: Sequence[RelatedNode], right: Sequence[RelatedNode]
    ) -> None:
        """Show a paper with its neighbors. Without any, the graph is empty."""
        self._neighbors = (*left, *right)
        title = readable(paper.title) or tr("Untitled")
        self._web.setAccessibleName(tr("Papers related to “{title}”", title=title))
        for button, neighbor in self._web.show_sides(_label(paper), left, right):
            button.clicked.connect(partial(self.paper_requested.emit, neighbor.paper.id))
        self._paint(self._appearance.theme)

    @property
    def buttons(self) -> Sequence[QPushButton]:
        return self._web.buttons

    def _paint(self, theme: Theme) -> None:
        kinds = {one.kind: one.relation for one in self._neighbors}
        self._legend.setText(
            " &nbsp; ".join(
                f'<span style="color:{hue(kind, theme).name()}">●</span>&nbsp;{escape(relation)}'
                for kind, relation in sorted(kinds.items())
            )
        )
        self._web.update()


class _Web(QWidget):
    """The neighbors in two columns, with lines to the label painted in the middle."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._label = ""
        self._lines: list[tuple[QPushButton, RelatedNode]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(2, 1)

    @property
    def buttons(self) -> list[QPushButton]:
        return [button for button, _ in self._lines]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_labels()

    def show_sides(
        self, label: str, left: Sequence[RelatedNode], right: Sequence[RelatedNode]
    ) -> list[tuple[QPushButton, RelatedNode]]:
        """Replace the contents. Returns the buttons."""
        remove_widgets(self._grid)
        for row in range(self._grid.rowCount()):
            self._grid.setRowStretch(row, 0)
        self._label, self._lines = label, []
        self._grid.setColumnMinimumWidth(1, round(self._middle().width()) + 2 * GAP)
        sides = ((0, Qt.AlignmentFlag.AlignRight, left), (2, Qt.AlignmentFlag.AlignLeft, right))
        rows = max(len(left), len(right))
        for side, alignment, neighbors in sides:
            for place, neighbor in enumerate(neighbors):
                button = _button(neighbor)
                # each takes two rows of the grid, so that the shorter side can be centered
                top = rows - len(neighbors) + 2 * place
                self._grid.addWidget(button, top, side, 2, 1, alignment)
                self._lines.append((button, neighbor))
        for row in range(2 * rows):
            self._grid.setRowStretch(row, 1)
        self._fit_labels()
        return self._lines

    def _fit_labels(self) -> None:
        """Elide the names, but not the years, to the room at each side."""
        room = (self.width() - self._middle().width()) / 2 - GAP - CHIP
        for button, neighbor in self._lines:
            name, year = _name_and_year(neighbor.paper)
            text, end = button.fontMetrics(), Qt.TextElideMode.ElideRight
            short = text.elidedText(name, end, int(room - text.horizontalAdvance(f" {year}")))
            button.setText(f"{short} {year}".strip().replace("&", "&&"))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, middle = self._appearance.theme, self._middle()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for button, neighbor in self._lines:
            colour = hue(neighbor.kind, theme)
            _paint_line(painter, middle, QRectF(button.geometry()), colour)
        paint_box(painter, middle, 8, theme.accent)
        painter.setPen(QColor(theme.on_accent))
        painter.setFont(self._bold())
        painter.drawText(middle, int(Qt.AlignmentFlag.AlignCenter), self._label)

    def _middle(self) -> QRectF:
        """The box in the middle."""
        text = QFontMetricsF(self._bold())
        box = QRectF(0, 0, text.horizontalAdvance(self._label) + 2 * PAD, text.height() + PAD)
        # the columns at the sides are not always of the same width
        box.moveCenter(QPointF(self._grid.cellRect(0, 1).center().x(), self.height() / 2))
        return box

    def _bold(self) -> QFont:
        return scaled(self.font(), 0.92, QFont.Weight.DemiBold)


def _button(neighbor: RelatedNode) -> QPushButton:
    button = styled(QPushButton(), "chip")
    button.setMinimumWidth(1)  # its text is elided
    title = readable(neighbor.paper.title) or tr("Untitled")
    about = " · ".join(filter(None, (neighbor.relation, neighbor.note)))
    button.setAccessibleName(f"{title}, {about}")
    button.setToolTip(f"<p>{escape(title)}</p><p>{escape(about)}</p>")
    return button


def _label(paper: Paper) -> str:
    return " ".join(filter(None, _name_and_year(paper)))


def _name_and_year(paper: Paper) -> tuple[str, str]:
    """The first author, or else the beginning of the title, and the year."""
    name = paper.authors[0].last_name if paper.authors else readable(paper.title)
    year = paper.published[:4]
    return shortened(name or tr("Untitled"), LABEL_LENGTH - len(year)), year


def _paint_line(painter: QPainter, middle: QRectF, button: QRectF, colour: QColor) -> None:
    if button.center().x() < middle.center().x():
        start = QPointF(middle.left(), middle.center().y())
        end = QPointF(button.right() + DOT, button.center().y())
    else:
        start = QPointF(middle.right(), middle.center().y())
        end = QPointF(button.left() - DOT, button.center().y())
    bend = (start.x() + end.x()) / 2
    path = QPainterPath(start)
    path.cubicTo(QPointF(bend, start.y()), QPointF(bend, end.y()), end)
    painter.setPen(QPen(colour, 1.6))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(end, DOT, DOT)
