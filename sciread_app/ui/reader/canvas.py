"""The pages of one file, one under another: scrolled, zoomed, turned, and chosen from."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QPinchGesture, QWidget

from sciread_app.domain.reading import Box, ReadingPlace, Spot
from sciread_app.language import tr
from sciread_app.ui.reader import zoom
from sciread_app.ui.reader.hand import Hand
from sciread_app.ui.reader.keys import key_pressed
from sciread_app.ui.reader.layout import Layout, quick
from sciread_app.ui.reader.paint import Marks, PagePainter
from sciread_app.ui.reader.pictures import SHARP_BYTES, Pictures, Want
from sciread_app.ui.reader.values import OpenedFile
from sciread_app.ui.theme import Appearance, Theme

SOON_MS = 15  # after scrolling or zooming, until it is said what is wanted
LINE = 48  # pixels of one step of the arrow keys
NEAR = 4  # pages before and after those that are seen, of which there should be quick pictures
MARGIN = 90  # pixels kept above what is gone to

Policy = Qt.ScrollBarPolicy


class PagesView(QAbstractScrollArea):
    moved = Signal()  # another place, zoom or turn
    choice_changed = Signal()
    followed = Signal(object)  # Link
    picked = Signal(object)  # Highlight, clicked on
    colour_wanted = Signal(int)  # a key from 1 was pressed on what is chosen
    copy_wanted = Signal()
    left = Signal()  # Escape, when nothing is chosen

    def __init__(self, file: OpenedFile, pictures: Pictures, appearance: Appearance) -> None:
        super().__init__()
        self.file, self.pictures, self.marks = file, pictures, Marks()
        self._theme = appearance.theme
        self._painter = PagePainter(pictures, self.marks)
        self._hand = Hand(self)
        self.zoom, self.turn, self.dark = zoom.WIDTH, 0, False
        self.layout_ = Layout(file.shape.sizes, 1.0, 0)
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self._ask)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("Pages of the file"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Always there: pages that fit the width must not make room for it, then fill it again.
        self.setVerticalScrollBarPolicy(Policy.ScrollBarAlwaysOn)
        self.setCornerWidget(QWidget())  # of the window's colour, between the scroll bars
        self.viewport().setMouseTracking(True)
        self.grabGesture(Qt.GestureType.PinchGesture)
        pictures.came.connect(self._page_came)
        pictures.failed.connect(self._page_came)
        appearance.changed.connect(self._paint_anew)
        self.verticalScrollBar().valueChanged.connect(lambda _: self.moved.emit())
        self._lay_out()

    # Where one is.

    @property
    def page(self) -> int:
        """The page that is read: the one a third down the window."""
        return self.layout_.page_at(self._top + self.viewport().height() / 3)

    @property
    def place(self) -> ReadingPlace:
        return ReadingPlace(self.layout_.place_of(self._top), self.zoom, self.turn)

    @property
    def factor(self) -> float:
        return self.layout_.scale * zoom.POINTS / self.logicalDpiX()

    def restore(self, place: ReadingPlace) -> None:
        self.zoom, self.turn = place.zoom, place.turn
        self._lay_out(place.page)

    def go_to_page(self, page: int) -> None:
        page = min(max(page, 0), len(self.file.shape.sizes) - 1)
        self.verticalScrollBar().setValue(self.layout_.rect(page).top() - 1)

    def go_to(self, spot: Spot) -> None:
        """To a place in the file, near the top of the window."""
        if 0 <= spot.page < len(self.file.shape.sizes):
            there = self.layout_.shown(spot.page, Box(0, spot.top, 1, spot.top + 1))
            self.verticalScrollBar().setValue(round(there.top()) - (MARGIN if spot.top else 1))

    def show_box(self, page: int, box: Box) -> None:
        """Scroll only if it is not seen."""
        there = self.layout_.shown(page, box)
        if not self._seen().adjusted(0, 30, 0, -30).contains(there):
            self.go_to(Spot(page, max(box.top, 0.1)))
            middle = there.center().x() - self.viewport().width() / 2
            self.horizontalScrollBar().setValue(round(middle))

    # How it is shown.

    def set_zoom(self, wanted: str, about: QPointF | None = None) -> None:
        """`about`: what of the window stays where it is; else its top."""
        if about is None:
            self.zoom = wanted
            self._lay_out(self.place.page)
            return
        at = about - QPointF(self.origin())
        page = self.layout_.page_at(at.y())
        on_page = self.layout_.on_page(page, at)
        self.zoom = wanted
        self._lay_out(self.place.page)
        there = self.layout_.shown(page, Box(*on_page, *on_page)).topLeft()
        self.horizontalScrollBar().setValue(round(there.x() - about.x()))
        self.verticalScrollBar().setValue(round(there.y() - about.y()))

    def zoom_by(self, change: float, about: QPointF | None = None) -> None:
        factor = zoom.limited(self.factor * change)
        self.set_zoom(f"{factor:.3f}", about or QPointF(self.viewport().rect().center()))

    def zoom_in(self) -> None:
        self.zoom_by(zoom.larger(self.factor) / self.factor)

    def zoom_out(self) -> None:
        self.zoom_by(zoom.smaller(self.factor) / self.factor)

    def rotate(self) -> None:
        self.turn = (self.turn + 1) % 4
        self._lay_out(self.place.page)

    def set_dark(self, dark: bool) -> None:
        self.dark = dark
        self.refresh()

    def refresh(self) -> None:
        """What is painted over the pages, or how, has changed."""
        self.viewport().update()
        self._soon.start()

    # For the hand, which chooses text.

    def origin(self) -> QPoint:
        """Where in the window the layout has its zero."""
        spare = self.viewport().width() - self.layout_.width
        left = spare // 2 if spare > 0 else -self.horizontalScrollBar().value()
        return QPoint(left, -self.verticalScrollBar().value())

    def sizeHint(self) -> QSize:
        return QSize(700, 800)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().scroll(dx, dy)
        self._soon.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out(self.place.page)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(self._theme.window))
        painter.translate(self.origin())
        dirty = QRectF(event.rect()).translated(-QPointF(self.origin()))
        for page in self.layout_.pages(dirty.top(), dirty.bottom()):
            self._painter.paint(painter, self.layout_, page, self._seen(), self._theme, self.dark)
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(1.0015 ** event.angleDelta().y(), event.position())
            event.accept()
        else:
            super().wheelEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
                self.zoom_by(1 + event.value(), event.position())
                return True
        elif event.type() is QEvent.Type.Gesture:
            pinch = event.gesture(Qt.GestureType.PinchGesture)  # type: ignore[attr-defined]
            if isinstance(pinch, QPinchGesture):
                centre = self.viewport().mapFromGlobal(pinch.centerPoint())
                self.zoom_by(pinch.scaleFactor(), centre)
                return True
        return super().viewportEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._hand.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hand.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._hand.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._hand.press_again(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not key_pressed(self, event):
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        # The screen's scale may change, when the window is drawn to another one.
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._lay_out(self.place.page)
        return super().event(event)

    @property
    def _top(self) -> int:
        return self.verticalScrollBar().value()

    def _seen(self) -> QRectF:
        """The part of the layout that is in the window."""
        return QRectF(self.viewport().rect()).translated(-QPointF(self.origin()))

    def _lay_out(self, place: float = 0.0) -> None:
        room = self.viewport().size()
        sizes, page = self.file.shape.sizes, min(int(place), len(self.file.shape.sizes) - 1)
        scale = zoom.scale_of(self.zoom, sizes, page, self.turn, room, self.logicalDpiX())
        ratio = self.devicePixelRatioF()
        before = self.layout_
        if (scale, self.turn, ratio) != (before.scale, before.turn, before.ratio):
            self.layout_ = Layout(sizes, scale, self.turn, ratio)
        down, across = self.verticalScrollBar(), self.horizontalScrollBar()
        down.setRange(0, max(self.layout_.height - room.height(), 0))
        down.setPageStep(max(room.height() - LINE, 1))
        down.setSingleStep(LINE)
        was_narrow = not across.maximum()
        across.setRange(0, max(self.layout_.width - room.width(), 0))
        if was_narrow:
            across.setValue(across.maximum() // 2)
        across.setPageStep(room.width())
        across.setSingleStep(LINE)
        down.setValue(round(self.layout_.height_of(place)) if place else 0)
        self.refresh()
        self.moved.emit()

    def _ask(self) -> None:
        """Say what is wanted: what is seen, from its middle on, then what is near."""
        seen = self._seen()
        middle = self.layout_.page_at(seen.center().y())
        pages = sorted(
            self.layout_.pages(seen.top(), seen.bottom()), key=lambda page: abs(page - middle)
        )
        wants: list[Want] = [self._quick(page) for page in pages]
        wants += self._parts(pages, seen)
        wants += pages  # their letters
        wants += self._near(pages, seen, sum(map(_weight, wants)))
        self.pictures.want("pages", wants)

    def _near(self, pages: Sequence[int], seen: QRectF, weight: int) -> list[Want]:
        """What comes next, as far as there is room for it beside what is seen."""
        if not pages:
            return []
        last = len(self.file.shape.sizes) - 1
        first, end = max(min(pages) - NEAR, 0), min(max(pages) + NEAR, last) + 1
        near: list[Want] = [self._quick(page) for page in range(first, end)]
        wider = seen.adjusted(0, -seen.height() / 2, 0, seen.height())
        around = self.layout_.pages(wider.top(), wider.bottom())
        for part in self._parts(around, wider):
            weight += _weight(part)
            if weight <= SHARP_BYTES * 3 // 4:
                near.append(part)
        return near

    def _parts(self, pages: Sequence[int], within: QRectF) -> list[Want]:
        return [part for page in pages for part in self.layout_.parts(page, within, self.dark)]

    def _quick(self, page: int) -> Want:
        size = self.file.shape.sizes[page]
        return quick(size, page, self.turn, self.dark, self.pictures.quick_width)

    def _page_came(self, page: int) -> None:
        rect = self.layout_.rect(page).translated(self.origin())
        self.viewport().update(rect.adjusted(-12, -2, 2, 2))

    def _paint_anew(self, theme: Theme) -> None:
        self._theme = theme
        self.viewport().update()


def _weight(want: Want) -> int:
    return 0 if isinstance(want, int) else 4 * want.width * want.height
