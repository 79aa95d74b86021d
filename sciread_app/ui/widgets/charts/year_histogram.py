"""A histogram of years with a range between two handles, selected by mouse or keyboard."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from sciread_app.language import tr, trn
from sciread_app.ui.style.theme import Appearance, Theme, scaled

WIDTH, HEIGHT = 360, 130
SHOWN = 120  # years; older ones are in the first bar
FOOT = 20  # pixels for the year labels below the bars
NO_YEARS = tr("No publication years")
GRIP = 6  # pixels from an end of the range within which it can be dragged
HANDLE = QSizeF(5, 16)

_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: 10, Qt.Key.Key_PageDown: -10}


class YearHistogram(QWidget):
    """Left and Right move the last year of the range, with Shift the first one; PageUp and PageDown
    move it by ten years; Home and End extend the range to the ends; Delete clears it."""

    changed = Signal(int, int)  # first and last year of the range, while it is dragged
    reset = Signal()
    description_changed = Signal(str)  # the range as text

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._years: dict[int, int] = {}
        self._from = self._to = 0  # the first and last year shown
        self._range: tuple[int, int] | None = None
        self._anchor: int | None = None  # the fixed end while the other is dragged
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Years"))
        appearance.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, HEIGHT)

    def show_years(self, years: Sequence[tuple[int, int]], chosen: tuple[int, int] | None) -> None:
        """Show counts by year, ascending; the range `chosen` may be open (0, 9999)."""
        last = max((year for year, _ in years), default=0)
        self._to = last
        self._from = max(min((year for year, _ in years), default=0), last - SHOWN + 1)
        self._years = {}
        for year, count in years:
            shown = max(year, self._from)
            self._years[shown] = self._years.get(shown, 0) + count
        self._range = self._within(chosen) if chosen else None
        self._describe()
        self.update()

    @property
    def range(self) -> tuple[int, int] | None:
        return self._range

    @property
    def limits(self) -> tuple[int, int]:
        """The first and the last year shown."""
        return self._from, self._to

    def select(self, first: int, last: int) -> None:
        """Select a range of years, within those shown."""
        wanted = self._within((first, last))
        if wanted != self._range:
            self._range = wanted
            self._describe()
            self.update()
            self.changed.emit(*wanted)

    def clear(self) -> None:
        """Select all years."""
        self._range = None
        self._describe()
        self.update()
        self.reset.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or not self._years:
            return
        year, handle = self._year_at(event.position().x()), self._handle_at(event.position().x())
        first, last = self._shown_range()
        self._anchor = year if handle is None else first if handle == last else last
        if handle is None:
            self._draw(year)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        year = self._year_at(event.position().x())
        if self._anchor is not None:
            self._draw(year)
        elif self._years:
            count = self._years.get(year, 0)
            self.setToolTip(trn("{year}: {n:,} paper", "{year}: {n:,} papers", count, year=year))
            at_handle = self._handle_at(event.position().x()) is not None
            shape = Qt.CursorShape.SizeHorCursor if at_handle else Qt.CursorShape.ArrowCursor
            self.setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._anchor = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.clear()
        elif self._years and (key in _STEPS or key in (Qt.Key.Key_Home, Qt.Key.Key_End)):
            self._move(key, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)

    def _shown_range(self) -> tuple[int, int]:
        return self._range or (self._from, self._to)

    def _handle_at(self, x: float) -> int | None:
        """The year at the handle at this position, if there is one."""
        first, last = self._shown_range()
        if abs(x - self._left(last + 1)) < GRIP:
            return last
        return first if abs(x - self._left(first)) < GRIP else None

    def _move(self, key: int, first_end: bool) -> None:
        first, last = self._shown_range()
        if key == Qt.Key.Key_Home:
            first = self._from
        elif key == Qt.Key.Key_End:
            last = self._to
        elif first_end:
            first = min(first + _STEPS[Qt.Key(key)], last)
        else:
            last = max(last + _STEPS[Qt.Key(key)], first)
        self.select(first, last)

    def _draw(self, year: int) -> None:
        assert self._anchor is not None
        self.select(min(self._anchor, year), max(self._anchor, year))

    def _within(self, years: tuple[int, int]) -> tuple[int, int]:
        first, last = (min(max(year, self._from), self._to) for year in years)
        return first, last

    def _describe(self) -> None:
        first, last = self._shown_range()
        count = sum(n for year, n in self._years.items() if first <= year <= last)
        text = _range(first, last, count) if self._years else NO_YEARS
        self.setAccessibleDescription(text)
        self.description_changed.emit(text)

    def _step(self) -> float:
        return (self.width() - 2) / max(self._to - self._from + 1, 1)

    def _left(self, year: int) -> float:
        return 1 + (year - self._from) * self._step()

    def _year_at(self, x: float) -> int:
        return min(max(self._from + int((x - 1) / self._step()), self._from), self._to)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._appearance.theme
        if self._years:
            self._paint_range(painter, theme)
            self._paint_bars(painter, theme)
            self._paint_handles(painter, theme)
        self._paint_feet(painter, theme)

    def _paint_range(self, painter: QPainter, theme: Theme) -> None:
        if self._range:
            first, last = self._range
            box = QRectF(
                self._left(first), 0, self._left(last + 1) - self._left(first), self._base()
            )
            painter.fillRect(box, QColor(theme.selected))

    def _paint_bars(self, painter: QPainter, theme: Theme) -> None:
        most, step = max(self._years.values()), self._step()
        gap = 1.0 if step > 3 else 0.0
        painter.setPen(Qt.PenStyle.NoPen)
        for year, count in self._years.items():
            inside = self._range is None or self._range[0] <= year <= self._range[1]
            painter.setBrush(QColor(theme.accent if inside else theme.border))
            height = max(2.0, (self._base() - 6) * count / most)
            painter.drawRect(
                QRectF(self._left(year), self._base() - height, max(step - gap, 1), height)
            )

    def _paint_handles(self, painter: QPainter, theme: Theme) -> None:
        first, last = self._shown_range()
        for year in (first, last + 1):
            x = self._left(year)
            painter.setPen(QColor(theme.accent))
            painter.drawLine(QPointF(x, 0), QPointF(x, self._base()))
            painter.setBrush(QColor(theme.accent))
            box = QRectF(QPointF(), HANDLE)
            box.moveCenter(QPointF(x, self._base() / 2))
            inside = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            box.moveLeft(min(max(box.left(), inside.left()), inside.right() - box.width()))
            painter.drawRoundedRect(box, 2, 2)

    def _paint_feet(self, painter: QPainter, theme: Theme) -> None:
        painter.setPen(QColor(theme.border))
        painter.drawLine(QPointF(0, self._base()), QPointF(self.width(), self._base()))
        painter.setPen(QColor(theme.quiet))
        painter.setFont(scaled(self.font(), 0.86))
        box = QRectF(5, self._base() + 1, self.width() - 10, FOOT - 2)
        older = "…" if self._from == self._to - SHOWN + 1 else ""
        if not self._years:
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, NO_YEARS)
            return
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft, f"{older}{self._from}")
        painter.drawText(box, Qt.AlignmentFlag.AlignRight, str(self._to))
        if self.hasFocus():
            painter.setPen(QColor(theme.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)

    def _base(self) -> float:
        return float(self.height() - FOOT)


def _range(first: int, last: int, count: int) -> str:
    return trn(
        "{first} to {last}, {n:,} paper",
        "{first} to {last}, {n:,} papers",
        count,
        first=first,
        last=last,
    )
