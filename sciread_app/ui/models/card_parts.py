"""The parts of a model's card: its numbers, its scores, how it was made."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QGridLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from sciread_app.language import tr, trc, trn
from sciread_app.services.model_cards import Scored, balance
from sciread_app.ui.flow import Flow
from sciread_app.ui.icons import icon
from sciread_app.ui.labels import plain_label
from sciread_app.ui.theme import Appearance, Theme, scaled, styled, tabular
from trainer.contract.suites import suite_title

SCORED = Qt.ItemDataRole.UserRole
# Translators: columns of a list of scores: what was measured, of the model before, of this one,
# the difference, and over how many papers or questions
COLUMNS = (tr("What"), tr("Before"), tr("Now"), trc("a difference", "Change"), tr("Over"))
WHAT, BEFORE, NOW, CHANGE, OVER = range(5)
BY_TRAINING = tr("Measured by its training, on papers that it did not learn from")
_BAR, _SHORT, _HIGH, _LEAST_NUMBER = 110, 60, 8, 56
_NARROW = 560  # pixels
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

Index = QModelIndex | QPersistentModelIndex


class Tiles(QWidget):
    """Numbers side by side, each above what it counts. They may change twice a second."""

    def __init__(self) -> None:
        super().__init__()
        self._flow = Flow(10)
        self._tiles: dict[str, tuple[QWidget, QLabel]] = {}  # with its number, by what it counts
        self.setLayout(self._flow)

    def show_tiles(self, tiles: Sequence[tuple[str, str]]) -> None:
        if [caption for _, caption in tiles] != [*self._tiles]:
            self._make(tiles)
        for value, caption in tiles:
            tile, number = self._tiles[caption]
            number.setText(value)
            tile.setAccessibleName(f"{caption}: {value}")

    def _make(self, tiles: Sequence[tuple[str, str]]) -> None:
        self._tiles = {}
        while item := self._flow.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        for value, caption in tiles:
            self._flow.addWidget(self._tile(value, caption))

    def _tile(self, value: str, caption: str) -> QWidget:
        tile = styled(QFrame(), "note")
        number, said = QLabel(value), styled(QLabel(caption), "faint")
        number.setFont(scaled(self.font(), 1.25, QFont.Weight.DemiBold))
        said.setFont(scaled(self.font(), 0.86))
        for label in (number, said):
            label.setTextFormat(Qt.TextFormat.PlainText)
        column = QVBoxLayout(tile)
        column.setContentsMargins(14, 9, 14, 9)
        column.setSpacing(1)
        column.addWidget(number)
        column.addWidget(said)
        tile.setMinimumWidth(112)
        self._tiles[caption] = tile, number
        return tile


class Facts(QWidget):
    """Names on the left, what they stand for on the right."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(20)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        self.rows: Sequence[tuple[str, str]] = ()

    def show_facts(self, rows: Sequence[tuple[str, str]]) -> None:
        if rows == self.rows:
            return
        self.rows = rows
        while item := self._grid.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        for number, (name, value) in enumerate(rows):
            said = plain_label(value)
            said.setAccessibleName(f"{name}: {value}")
            top = Qt.AlignmentFlag.AlignTop
            self._grid.addWidget(styled(QLabel(name), "quiet"), number, 0, top)
            self._grid.addWidget(said, number, 1, top)


class ScoreTable(QTableWidget):
    """As high as its rows, for a place that scrolls as a whole."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(0, len(COLUMNS))
        self._appearance = appearance
        self._compared = False
        styled(self, "scores").setAccessibleName(tr("Scores"))
        self.setHorizontalHeaderLabels(COLUMNS)
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 12)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(WHAT, QHeaderView.ResizeMode.Stretch)
        for column in (BEFORE, CHANGE, OVER):
            self.model().setHeaderData(
                column, Qt.Orientation.Horizontal, _RIGHT, Qt.ItemDataRole.TextAlignmentRole
            )
        self._bars = BarDelegate(appearance, self)
        self.setItemDelegateForColumn(NOW, self._bars)
        appearance.changed.connect(self._paint)

    def show_scores(self, scores: Sequence[Scored]) -> None:
        self.clearSpans()
        self.setRowCount(0)
        suite = None
        for score in scores:
            if score.suite != suite:
                suite = score.suite
                self._add_heading(
                    tr("Measured with: {suite}", suite=suite_title(suite)) if suite else BY_TRAINING
                )
            self._add(score)
        self._compared = any(score.before for score in scores)
        self._bars.fit([score.value for score in scores])
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

    def _add(self, score: Scored) -> None:
        row = self.rowCount()
        self.insertRow(row)
        over = f"{score.n:,}" if score.n else ""
        metric = score.metric
        if score.higher_is_better is False:
            metric = tr("{metric} (lower is better)", metric=metric)
        what = tr("{metric} · {what}", what=score.title, metric=metric)
        texts = (what, score.before, score.value, _change(score), over)
        for column, text in enumerate(texts):
            item = QTableWidgetItem(text)
            item.setToolTip({NOW: _tip(score), CHANGE: _doubt(score)}.get(column) or text)
            if column in (BEFORE, CHANGE, OVER):
                item.setTextAlignment(_RIGHT)
                item.setFont(tabular(self.font()))
            item.setData(SCORED, score)
            self.setItem(row, column, item)

    def _make_room(self) -> None:
        """What is least needed goes where there is little room."""
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
                score: Scored | None = item.data(SCORED)
                if score and score.better is not None:
                    item.setForeground(QColor(theme.accent if score.better else theme.danger))
                elif score and score.chance:
                    item.setForeground(QColor(theme.faint))
            elif heading := self.item(row, 0):
                heading.setForeground(QColor(theme.faint))


class BarDelegate(QStyledItemDelegate):
    """A number, and where it can be one of a hundred, a bar, with a line where it was before."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._bold = scaled(tabular(parent.font()), 1.0, QFont.Weight.DemiBold)
        self.length = _BAR  # pixels of the bar
        self._number = _LEAST_NUMBER  # pixels of the number

    def fit(self, numbers: Sequence[str]) -> None:
        """Make room for the widest of these numbers."""
        letters = QFontMetrics(self._bold)
        self._number = max([_LEAST_NUMBER, *map(letters.horizontalAdvance, numbers)])

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._number + self.length + 26, QFontMetrics(self._bold).height() + 8)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, _empty(option), QModelIndex())
        theme, score = self._appearance.theme, index.data(SCORED)
        if score is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = option.rect.adjusted(8, 0, -8, 0)
        painter.setFont(self._bold)
        painter.setPen(QColor(theme.text))
        number = QRectF(room.left(), room.top(), self._number, room.height())
        painter.drawText(number, int(_RIGHT), score.value)
        if score.share is not None:
            bar = QRectF(
                number.right() + 10, room.center().y() - _HIGH / 2 + 0.5, self.length, _HIGH
            )
            _paint_bar(painter, bar, score, theme)
        painter.restore()


def _paint_bar(painter: QPainter, bar: QRectF, score: Scored, theme: Theme) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.track))
    painter.drawRoundedRect(bar, _HIGH / 2, _HIGH / 2)
    full = QRectF(bar)
    full.setWidth(max(_HIGH, bar.width() * (score.share or 0.0)))
    painter.setBrush(QColor(theme.accent))
    painter.drawRoundedRect(full, _HIGH / 2, _HIGH / 2)
    if score.share_before is not None:
        place = bar.left() + bar.width() * score.share_before
        painter.setBrush(QColor(theme.text))
        painter.drawRect(QRectF(place - 1, bar.top() - 3, 2, bar.height() + 6))


class Folded(QWidget):
    """Something long below a button that shows it."""

    def __init__(self, title: str, inside: QWidget, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.inside = inside
        self.button = styled(QPushButton(title), "flush")
        self.button.setCheckable(True)
        self.button.setFont(scaled(self.font(), 1.08, QFont.Weight.DemiBold))
        self.button.toggled.connect(self._toggle)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(inside)
        appearance.changed.connect(self._paint)
        self._toggle(False)

    def _toggle(self, shown: bool) -> None:
        self.inside.setVisible(shown)
        self._paint(self._appearance.theme)

    def _paint(self, theme: Theme) -> None:
        name = "unfolded" if self.button.isChecked() else "folded"
        self.button.setIcon(icon(name, theme.accent))


def _empty(option: QStyleOptionViewItem) -> QStyleOptionViewItem:
    """The ground alone."""
    ground = QStyleOptionViewItem(option)
    ground.text = ""
    return ground


def _change(score: Scored) -> str:
    """The difference with its sign, and whether it is a gain: the sign alone does not say so where
    lower is better."""
    if not score.change:
        return ""
    if score.better is None:
        return f"≈ {score.change}" if score.chance else score.change
    word = tr("better") if score.better else tr("worse")
    return f"{score.change} {word}"


def _doubt(score: Scored) -> str:
    return tr("Chance alone could make this difference") if score.chance else ""


def _tip(score: Scored) -> str:
    over = trn("over {n:,} item", "over {n:,} items", score.n) if score.n else ""
    between = (
        tr("95 % of such samples give {low} to {high}", low=score.low, high=score.high)
        if score.low
        else ""
    )
    return " · ".join(filter(None, (score.split, over, between)))


def balance_words(scores: Sequence[Scored], *, in_use: bool) -> str:
    """On how many measures a model is better or worse than the one it was made from, which is
    `in_use` or not; empty where nothing was measured of both."""
    found = balance(scores)
    if not found.measures:
        return ""
    other = tr("the one you use") if in_use else tr("the model it was made from")
    better, worse, n = found.better, found.worse, found.measures
    if not better and not worse:
        return tr("No measure shows a clear difference between this model and {other}.",
                  other=other)  # fmt: skip
    if found.is_worse:
        said = trn(
            "This model is worse than {other} on {worse} of {n} measure.",
            "This model is worse than {other} on {worse} of {n} measures.",
            n,
            other=other,
            worse=worse,
        )
        more = tr("It is better on {better}.", better=better) if better else ""
    else:
        said = trn(
            "This model is better than {other} on {better} of {n} measure.",
            "This model is better than {other} on {better} of {n} measures.",
            n,
            other=other,
            better=better,
        )
        more = tr("It is worse on {worse}.", worse=worse) if worse else ""
    return f"{said} {more}".strip()


def verb_button(text: str, means: str, name: str = "") -> QPushButton:
    found = styled(QPushButton(text), name)
    found.setToolTip(means)
    found.setAccessibleDescription(means)
    return found


def section(title: str, *inside: QWidget) -> QWidget:
    heading = QLabel(title)
    heading.setFont(scaled(heading.font(), 1.08, QFont.Weight.DemiBold))
    return group(heading, *inside)


def group(*inside: QWidget, name: str = "") -> QWidget:
    """One below the other; with a frame if it has a `name`."""
    found = styled(QFrame(), name)
    column = QVBoxLayout(found)
    edge = 12 if name else 0
    column.setContentsMargins(edge + 2 if name else 0, edge, edge, edge)
    column.setSpacing(4 if name else 8)
    for widget in inside:
        column.addWidget(widget)
    return found


def scrolling(body: QWidget) -> QScrollArea:
    """As wide as there is room, and as high as it has to be."""
    scroll = _Scroll(widgetResizable=True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    scroll.setWidget(body)
    return scroll


class _Scroll(QScrollArea):
    """What gets the focus by a key is seen, though the focus came from outside, of which Qt's own
    area takes no notice."""

    def __init__(self, *, widgetResizable: bool) -> None:
        super().__init__(widgetResizable=widgetResizable)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)

    def _follow(self, before: QWidget | None, now: QWidget | None) -> None:
        body = self.widget()
        if now and body and body.isAncestorOf(now) and not QApplication.mouseButtons():
            self.ensureWidgetVisible(now)
