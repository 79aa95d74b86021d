"""The page view: continuous pages with scrolling, zoom, rotation and text selection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import (
    QEvent,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QPinchGesture, QWidget

from sciread_app.domain.annotations.annotations import (
    COLOURS,
    Box,
    Highlight,
    Link,
    PagePosition,
    ReadingPosition,
)
from sciread_app.language import tr
from sciread_app.services.library.reader import OpenFile
from sciread_app.ui.reader.pages import zoom
from sciread_app.ui.reader.pages.area_tool import AreaTool
from sciread_app.ui.reader.pages.display import PageDisplay
from sciread_app.ui.reader.pages.image_cache import SHARP_BYTES, PageImageCache, Want
from sciread_app.ui.reader.pages.layout import GAP, DocumentLayout, quick
from sciread_app.ui.reader.pages.mouse_handler import MouseHandler, PagePoint
from sciread_app.ui.reader.pages.painter import AreaSelection, PageMarks, PagePainter
from sciread_app.ui.reader.pages.text_selection import EMPTY, TextPosition, TextSelection
from sciread_app.ui.style.theme import Appearance, Theme

SOON_MS = 15  # after scrolling or zooming, until images are requested
LINE = 48  # pixels of one step of the arrow keys
NEAR = 4  # pages before and after the visible ones that get low-resolution images
MARGIN = 90  # pixels above the target of a jump

Key, Modifier = Qt.Key, Qt.KeyboardModifier
Policy = Qt.ScrollBarPolicy


class PageView(QAbstractScrollArea):
    """Shows the pages of one file below each other, or two in a row. Images come from `pictures`,
    which draws in another process: visible pages first, in low resolution until the sharp parts are
    ready."""

    view_changed = Signal()  # position, zoom or rotation
    refreshed = Signal()  # the selection or the highlights may have changed
    # Number of a color: a digit was pressed with text or an area selected
    colour_requested = Signal(int)
    copy_requested = Signal()
    escaped = Signal()  # Escape, with nothing selected

    def __init__(self, file: OpenFile, pictures: PageImageCache, appearance: Appearance) -> None:
        super().__init__()
        self.file, self.pictures, self.marks = file, pictures, PageMarks()
        self._theme = appearance.theme
        self._painter = PagePainter(pictures, self.marks)
        self.mouse = MouseHandler(self, pictures, self.marks, self._page_point)
        self.area_tool = AreaTool(
            self.marks, self._page_point, self._point_of, lambda: self.layout_, self._middle
        )
        self.zoom, self.turn, self.display = zoom.WIDTH, 0, PageDisplay()
        self.layout_ = DocumentLayout(file.shape.sizes, 1.0, 0)
        self._request_timer = QTimer(self, singleShot=True, interval=SOON_MS)
        self._request_timer.timeout.connect(self._request_images)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("Pages of the document"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Always visible: else a page that fits the width would oscillate between two widths.
        self.setVerticalScrollBarPolicy(Policy.ScrollBarAlwaysOn)
        self.setCornerWidget(QWidget())  # of the window's color, between the scroll bars
        self.viewport().setMouseTracking(True)
        self.grabGesture(Qt.GestureType.PinchGesture)
        self.mouse.selection_changed.connect(self.refresh)
        self.area_tool.changed.connect(self.refresh)
        self.area_tool.switched.connect(self._area_tool_switched)
        pictures.loaded.connect(self._repaint_page)
        pictures.failed.connect(self._repaint_page)
        appearance.changed.connect(self._set_theme)
        self._place = 0.0  # at the top: a page plus a fraction of it
        self._is_laying_out = False
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self._lay_out()

    # Position

    @property
    def page(self) -> int:
        """The current page: the one a third down the window."""
        return self.layout_.page_at(self._top + self.viewport().height() / 3)

    @property
    def spot(self) -> PagePosition:
        """The position near the top to which a jump has led, or would lead."""
        layout = self.layout_
        top = layout.y_of(self._place) + MARGIN + 1
        page = layout.page_at(top)
        middle = layout.rect(page).center().x()
        return PagePosition(page, layout.on_page(page, QPointF(middle, top))[1])

    @property
    def position(self) -> ReadingPosition:
        return ReadingPosition(self._place, self.zoom, self.turn)

    @property
    def factor(self) -> float:
        return self.layout_.scale * zoom.POINTS / self.logicalDpiX()

    def restore(self, place: ReadingPosition) -> None:
        self.zoom, self.turn, self._place = place.zoom, place.turn, place.page
        self._lay_out()

    def go_to_page(self, page: int) -> None:
        page = min(max(page, 0), len(self.file.shape.sizes) - 1)
        self._scroll_to(self.layout_.rect(page).top() - 1)
        self._show_across(page)

    def step(self, rows: int) -> None:
        """Go to the next page or row of pages, or with -1 to the previous one."""
        self.go_to_page(self.page + rows * self.layout_.columns)

    def go_to(self, spot: PagePosition) -> None:
        """Scroll to a position, near the top of the window."""
        if 0 <= spot.page < len(self.file.shape.sizes):
            there = self.layout_.shown(spot.page, Box(0, spot.top, 1, spot.top + 1))
            self._scroll_to(round(there.top()) - (MARGIN if spot.top else 1))
            self._show_across(spot.page)

    def show_box(self, page: int, box: Box) -> None:
        """Scroll to this box unless it is visible."""
        there = self.layout_.shown(page, box)
        if not self._seen().adjusted(0, 30, 0, -30).contains(there):
            self.go_to(PagePosition(page, max(box.top, 0.1)))
            middle = there.center().x() - self.viewport().width() / 2
            self.horizontalScrollBar().setValue(round(middle))

    # Zoom and colors

    def set_zoom(self, value: str, about: QPointF | None = None) -> None:
        """Set the zoom around the viewport position `about`, else keep the top."""
        if about is None:
            self.zoom = value
            self._lay_out()
            return
        page, *point = self._page_point(about)
        self.zoom = value
        self._lay_out()
        there = self.layout_.shown(page, Box(*point, *point)).topLeft()
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
        self._lay_out()

    def set_display(self, display: PageDisplay) -> None:
        self.display = display
        self._lay_out()

    def refresh(self) -> None:
        """Repaint and request images after a change of highlights, selection or colors."""
        self.viewport().update()
        self._request_timer.start()
        self.refreshed.emit()

    def clear_selection(self) -> None:
        self.marks.selection, self.marks.area = EMPTY, None
        self.refresh()

    @property
    def is_selecting(self) -> bool:
        """Whether the mouse selects text or an area, or would select one."""
        areas = self.area_tool
        return self.mouse.is_selecting or areas.is_on or areas.is_dragging

    def selection_rect(self) -> QRect:
        """The visible part of the selected text or area in the viewport; empty while it is selected
        with the mouse."""
        selection, seen = self.marks.selection, self._seen()
        if self.mouse.is_selecting or self.area_tool.is_dragging:
            return QRect()
        if area := self.marks.area:
            return self.box_rect(*area)
        rect = QRectF()
        for page in self.layout_.pages(seen.top(), seen.bottom()):
            if page in selection.pages and (text := self.pictures.text(page)):
                letters = text.letters
                boxes = letters.boxes(*selection.on_page(page, len(letters.text)))
                rect |= self._shown(page, boxes)
        return self._visible(rect)

    def highlight_rect(self, highlight: Highlight) -> QRect:
        """The visible part of a highlight in the viewport."""
        return self._visible(self._shown(highlight.page, highlight.boxes))

    def box_rect(self, page: int, box: Box) -> QRect:
        """The visible part of a box of a page in the viewport."""
        return self._visible(self._shown(page, [box]))

    def highlight_at(self, position: QPoint) -> Highlight | None:
        """The highlight at a position in the viewport."""
        return self.marks.highlight_at(*self._page_point(QPointF(position)))

    def visible_links(self) -> list[tuple[int, Link]]:
        """The pages and links in sight, in the order of the file; of pages whose text is loaded."""
        seen = self._seen()
        return [
            (page, link)
            for page in self.layout_.pages(seen.top(), seen.bottom())
            if (text := self.pictures.text(page))
            for link in text.links
            if seen.contains(self.layout_.shown(page, link.box).center())
        ]

    def origin(self) -> QPoint:
        """Viewport position of the layout's origin."""
        spare = self.viewport().width() - self.layout_.width
        left = spare // 2 if spare > 0 else -self.horizontalScrollBar().value()
        return QPoint(left, -self.verticalScrollBar().value())

    def sizeHint(self) -> QSize:
        return QSize(700, 800)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().scroll(dx, dy)
        self._request_timer.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(self._theme.window))
        painter.translate(self.origin())
        dirty = QRectF(event.rect()).translated(-QPointF(self.origin()))
        dark = self.display.dark
        for page in self.layout_.pages(dirty.top(), dirty.bottom()):
            self._painter.paint(painter, self.layout_, page, self._seen(), self._theme, dark)
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
        areas = self.area_tool
        with_control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.button() is Qt.MouseButton.LeftButton and (areas.is_on or with_control):
            areas.press(event)
        elif event.button() is Qt.MouseButton.LeftButton and areas.grab(event.position()):
            event.accept()
        else:
            self.mouse.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.area_tool.is_dragging:
            self.area_tool.move(event)
            return
        if not self.area_tool.is_on and not self.mouse.is_selecting:
            cursor = self.area_tool.cursor_at(event.position())
            if cursor is not self.mouse.cursor:
                self.mouse.cursor = cursor
        self.mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        (self.area_tool if self.area_tool.is_dragging else self.mouse).release(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.mouse.leave()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mouse.double_click(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that have no action in the menus."""
        key, bar = event.key(), self.verticalScrollBar()
        shift = bool(event.modifiers() & Modifier.ShiftModifier)
        if self.area_tool.press_key(event):
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif key == Key.Key_Escape:
            self._leave()
        elif shift and key in (Key.Key_Left, Key.Key_Right):
            by_word = bool(event.modifiers() & Modifier.ControlModifier)
            self._extend_selection(1 if key == Key.Key_Right else -1, by_word)
        elif key == Key.Key_Space:
            bar.setValue(bar.value() + (-1 if shift else 1) * bar.pageStep())
        elif key in (Key.Key_Home, Key.Key_End):
            bar.setValue(bar.minimum() if key == Key.Key_Home else bar.maximum())
        elif key in (Key.Key_PageUp, Key.Key_PageDown):
            bar.setValue(bar.value() + (1 if key == Key.Key_PageDown else -1) * bar.pageStep())
        elif key in (Key.Key_N, Key.Key_P):
            self.step(1 if key == Key.Key_N else -1)
        elif 0 <= key - Key.Key_1 < len(COLOURS) and (self.marks.selection or self.marks.area):
            self.colour_requested.emit(key - Key.Key_1)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        # The scale changes when the window moves to another screen.
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._lay_out()
        return super().event(event)

    def _leave(self) -> None:
        if self.area_tool.is_on:
            self.area_tool.switch(False)
        elif self.marks.selection or self.marks.area:
            self.clear_selection()
        else:
            self.escaped.emit()

    def _extend_selection(self, step: int, by_word: bool) -> None:
        """Move the end of the selection by one letter or to the end of a word, within its page."""
        selection = self.marks.selection
        text = self.pictures.text(selection.head.page)
        if not selection or text is None:
            return
        letters, letter = text.letters, selection.head.letter + step
        if by_word and 0 < letter < len(letters.text):
            start, end = letters.word(letter if step > 0 else letter - 1)
            letter = end if step > 0 else start
        letter = min(max(letter, 0), len(letters.text))
        head = TextPosition(selection.head.page, letter)
        self.marks.selection = TextSelection(selection.anchor, head)
        self.refresh()

    def _area_tool_switched(self, on: bool) -> None:
        self.mouse.cursor = Qt.CursorShape.CrossCursor if on else None

    def _point_of(self, page: int, position: QPointF) -> tuple[float, float]:
        """A position in the viewport as a point of this page, also outside of it."""
        return self.layout_.on_page(page, position - QPointF(self.origin()))

    def _middle(self) -> AreaSelection:
        """The middle of the visible part of the current page."""
        page = self.page
        seen = self._seen() & QRectF(self.layout_.rect(page))
        rect = QRectF(0, 0, seen.width() / 2, seen.height() / 3)
        rect.moveCenter(seen.center())
        corners = [self.layout_.on_page(page, at) for at in (rect.topLeft(), rect.bottomRight())]
        xs, ys = zip(*corners, strict=True)
        return AreaSelection(page, Box(min(xs), min(ys), max(xs), max(ys)))

    def _page_point(self, position: QPointF) -> PagePoint:
        """A position in the viewport, as a page and a point of it."""
        there = position - QPointF(self.origin())
        page = self.layout_.page_at(there.y(), there.x())
        return page, *self.layout_.on_page(page, there)

    @property
    def _top(self) -> int:
        return self.verticalScrollBar().value()

    def _seen(self) -> QRectF:
        """The visible part of the layout."""
        return QRectF(self.viewport().rect()).translated(-QPointF(self.origin()))

    def _show_across(self, page: int) -> None:
        """Scroll sideways to a page of a row that is wider than the window."""
        rect, bar = self.layout_.rect(page), self.horizontalScrollBar()
        if self.layout_.columns > 1 and bar.maximum():
            bar.setValue(rect.left() - GAP)

    def _shown(self, page: int, boxes: Iterable[Box]) -> QRectF:
        """The rectangle around these boxes in the layout."""
        rect = QRectF()
        for box in boxes:
            rect |= self.layout_.shown(page, box)
        return rect

    def _visible(self, rect: QRectF) -> QRect:
        """A rectangle of the layout in the viewport; empty if it is outside of it."""
        there = rect.translated(QPointF(self.origin())).toAlignedRect()
        return there & self.viewport().rect()

    def _scroll_to(self, top: int) -> None:
        """Scroll to a y coordinate, as far as the window lets it now."""
        self.verticalScrollBar().setValue(top)
        self._place = self.layout_.place_of(top)

    def _scrolled(self) -> None:
        if not self._is_laying_out:
            self._place = self.layout_.place_of(self._top)
            self.view_changed.emit()

    def _lay_out(self) -> None:
        """Lay out the pages for the size of the window. The place remains, also while the window is
        too small to show it at the top."""
        room = self.viewport().size()
        if room.isEmpty():  # it is hidden, as under the pane of a narrow window
            return
        is_nested, self._is_laying_out = self._is_laying_out, True
        place, sizes = self._place, self.file.shape.sizes
        page = min(int(place), len(sizes) - 1)
        rows, dpi = (self.display.columns, self.display.skipped), self.logicalDpiX()
        scale = zoom.scale_of(self.zoom, sizes, page, self.turn, room, dpi, *rows)
        wanted = (scale, self.turn, self.devicePixelRatioF(), *rows)
        before = self.layout_
        if wanted != (before.scale, before.turn, before.ratio, before.columns, before.skipped):
            self.layout_ = DocumentLayout(sizes, *wanted)
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
        down.setValue(round(self.layout_.y_of(place)) if place else 0)
        self._is_laying_out = is_nested
        self.refresh()
        self.view_changed.emit()

    def _request_images(self) -> None:
        """Request the visible pages from the middle on, then those nearby."""
        seen = self._seen()
        middle = self.layout_.page_at(seen.center().y())
        pages = sorted(
            self.layout_.pages(seen.top(), seen.bottom()), key=lambda page: abs(page - middle)
        )
        wants: list[Want] = [self._quick(page) for page in pages]
        wants += self._parts(pages, seen)
        wants += pages  # their texts
        wants += self._near(pages, seen, sum(map(_weight, wants)))
        self.pictures.request("pages", wants)

    def _near(self, pages: Sequence[int], seen: QRectF, weight: int) -> list[Want]:
        """Requests for pages nearby, as far as the cache has room besides the visible ones."""
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
        return [
            part for page in pages for part in self.layout_.parts(page, within, self.display.dark)
        ]

    def _quick(self, page: int) -> Want:
        size = self.file.shape.sizes[page]
        return quick(size, page, self.turn, self.display.dark, self.pictures.quick_width)

    def _repaint_page(self, page: int) -> None:
        rect = self.layout_.rect(page).translated(self.origin())
        self.viewport().update(rect.adjusted(-12, -2, 2, 2))

    def _set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.viewport().update()


def _weight(want: Want) -> int:
    return 0 if isinstance(want, int) else 4 * want.width * want.height
