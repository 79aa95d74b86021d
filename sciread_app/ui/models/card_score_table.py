"""The scores on the card of a model."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from sciread_app.language import tr, trc, trn
from sciread_app.services.models.model_card import CardScore
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled, tabular
from sciread_app.ui.widgets.painting import paint_bar, paint_text
from sciread_app.ui.widgets.row_table import LEFT, RIGHT, Index, select_rows
from trainer.contract.suites import suite_title

SCORED = Qt.ItemDataRole.UserRole
# Translators: columns of a table of scores: metric, score of the base model, score of this model,
# their difference, and the number of papers or queries
COLUMNS = (
    *(tr("Metric"), tr("Base model"), tr("Score")),
    *(trc("a difference", "Change"), trc("number of papers or queries", "n")),
)
WHAT, BEFORE, NOW, CHANGE, OVER = range(5)
BY_TRAINING = tr("Evaluated after training, on papers not used for training")
# Translators: in place of a score
TOO_FEW = tr("Too few papers to tell")
_BAR, _SHORT, _HIGH, _LEAST_NUMBER = 110, 60, 8, 56
_NARROW = 560  # pixels


class CardScoreTable(QTableWidget):
    """A table as high as its rows, for use within a scroll area."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(0, len(COLUMNS))
        self._appearance = appearance
        self._compared = False
        styled(self, "scores").setAccessibleName(tr("Scores"))
        self.setHorizontalHeaderLabels(COLUMNS)
        select_rows(self)
        self.setWordWrap(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 12)
        header = self.horizontalHeader()
        header.setDefaultAlignment(LEFT)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(WHAT, QHeaderView.ResizeMode.Stretch)
        for column in (BEFORE, CHANGE, OVER):
            self.model().setHeaderData(
                column, Qt.Orientation.Horizontal, RIGHT, Qt.ItemDataRole.TextAlignmentRole
            )
        self._bars = BarDelegate(appearance, self)
        self.setItemDelegateForColumn(NOW, self._bars)
        appearance.changed.connect(self._paint)

    def show_scores(self, scores: Sequence[CardScore]) -> None:
        """Show the scores below a heading for each benchmark. The columns for the base model are
        shown only if there are scores of it."""
        self.clearSpans()
        self.setRowCount(0)
        suite = None
        for score in scores:
            if score.suite != suite:
                suite = score.suite
                self._add_heading(
                    tr("Benchmark: {suite}", suite=suite_title(suite)) if suite else BY_TRAINING
                )
            self._add(score)
        self._compared = any(score.before for score in scores)
        self._bars.fit(scores)
        self._make_room()
        self._grow()
        self._paint(self._appearance.theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the card scrolls

    def minimumSizeHint(self) -> QSize:
        return QSize(200, super().minimumSizeHint().height())

    def _add_heading(self, text: str) -> None:
        row = self.rowCount()
        self.insertRow(row)
        item = QTableWidgetItem(text)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setFont(scaled(self.font(), 0.86, QFont.Weight.DemiBold))
        self.setItem(row, 0, item)
        self.setSpan(row, 0, 1, len(COLUMNS))

    def _add(self, score: CardScore) -> None:
        row = self.rowCount()
        self.insertRow(row)
        over = f"{score.n:,}" if score.n else ""
        metric = score.metric
        if score.higher_is_better is False:
            metric = tr("{metric} (lower is better)", metric=metric)
        what = tr("{metric} · {what}", what=score.title, metric=metric)
        numbers = (
            ("", TOO_FEW, "") if score.too_few else (score.before, score.value, _change(score))
        )
        texts = (what, *numbers, over)
        for column, text in enumerate(texts):
            item = QTableWidgetItem(text)
            item.setToolTip({NOW: _tip(score), CHANGE: _doubt(score)}.get(column) or text)
            if column in (BEFORE, CHANGE, OVER):
                item.setTextAlignment(RIGHT)
                item.setFont(tabular(self.font()))
            item.setData(SCORED, score)
            self.setItem(row, column, item)

    def _make_room(self) -> None:
        """Hide the least important columns when narrow."""
        narrow = self.width() < _NARROW
        self._bars.length = _SHORT if narrow else _BAR
        self.setColumnHidden(CHANGE, not self._compared)
        self.setColumnHidden(BEFORE, not self._compared or narrow)
        self.setColumnHidden(OVER, narrow)

    def _grow(self) -> None:
        rows = sum(self.rowHeight(row) for row in range(self.rowCount()))
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + rows + 4)

    def _paint(self, theme: Theme) -> None:
        for row in range(self.rowCount()):
            if item := self.item(row, CHANGE):
                score: CardScore | None = item.data(SCORED)
                if score and score.better is not None:
                    item.setForeground(QColor(theme.accent if score.better else theme.danger))
                elif score and score.chance:
                    item.setForeground(QColor(theme.faint))
            elif heading := self.item(row, 0):
                heading.setForeground(QColor(theme.faint))


class BarDelegate(QStyledItemDelegate):
    """Paints a number and, for a share, a bar with a mark at the previous value."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._bold = scaled(tabular(parent.font()), 1.0, QFont.Weight.DemiBold)
        self.length = _BAR  # width of the bar in pixels
        self._plain = parent.font()
        self._number = _LEAST_NUMBER  # width of the number in pixels
        self._text = 0  # width of the text in place of a number

    def fit(self, scores: Sequence[CardScore]) -> None:
        """Make the column wide enough for these scores."""
        bold, plain = QFontMetrics(self._bold), QFontMetrics(self._plain)
        shown = [score.value for score in scores if not score.too_few]
        self._number = max([_LEAST_NUMBER, *map(bold.horizontalAdvance, shown)])
        few = any(score.too_few for score in scores)
        self._text = plain.horizontalAdvance(TOO_FEW) if few else 0

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = max(self._number + self.length + 26, self._text + 18)
        return QSize(width, QFontMetrics(self._bold).height() + 8)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, _empty(option), QModelIndex())
        theme, score = self._appearance.theme, index.data(SCORED)
        if score is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = option.rect.adjusted(8, 0, -8, 0)
        if score.too_few:
            paint_text(painter, room, TOO_FEW, self._plain, theme.quiet)
            painter.restore()
            return
        number = QRectF(room.left(), room.top(), self._number, room.height())
        painter.setFont(self._bold)
        painter.setPen(QColor(theme.text))
        painter.drawText(number, int(RIGHT), score.value)
        if score.share is not None:
            bar = QRectF(
                number.right() + 10, room.center().y() - _HIGH / 2 + 0.5, self.length, _HIGH
            )
            paint_bar(painter, bar, score.share, theme)
            if score.share_before is not None:
                place = bar.left() + bar.width() * score.share_before
                painter.setBrush(QColor(theme.text))
                painter.drawRect(QRectF(place - 1, bar.top() - 3, 2, bar.height() + 6))
        painter.restore()


def _empty(option: QStyleOptionViewItem) -> QStyleOptionViewItem:
    """The option without text, with which only the background is painted."""
    ground = QStyleOptionViewItem(option)
    ground.text = ""
    return ground


def _change(score: CardScore) -> str:
    """The signed difference, and whether it is an improvement, which the sign alone does not show
    where lower values are better.
    """
    if not score.change:
        return ""
    if score.better is None:
        return f"≈ {score.change}" if score.chance else score.change
    word = tr("better") if score.better else tr("worse")
    return f"{score.change} {word}"


def _doubt(score: CardScore) -> str:
    return tr("Not significant: the difference could be due to chance") if score.chance else ""


def _tip(score: CardScore) -> str:
    over = trn("{n:,} item", "{n:,} items", score.n) if score.n else ""
    between = (
        tr("95% confidence interval: {low} to {high}", low=score.low, high=score.high)
        if score.low
        else ""
    )
    return " · ".join(filter(None, (score.split, over, between)))
