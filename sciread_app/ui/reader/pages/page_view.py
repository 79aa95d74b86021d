"""The page view: continuous pages with scrolling, zoom, rotation and text selection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import (
    QEvent,
    QObject,
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
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QPinchGesture, QWidget

from sciread_app.domain.annotations.annotations import (
    COLOURS,
    Box,
    Highlight,
    Link,
    PagePosition,
    ReadingPlace,
)
from sciread_app.domain.annotations.page_text import PageText
from sciread_app.language import tr
from sciread_app.services.library.annotations import OpenFile
from sciread_app.ui.reader.pages import zoom
from sciread_app.ui.reader.pages.display import PageDisplay
from sciread_app.ui.reader.pages.image_cache import SHARP_BYTES, PageImageCache, Want
from sciread_app.ui.reader.pages.layout import GAP, DocumentLayout, quick
from sciread_app.ui.reader.pages.painter import PageMarks, PagePainter
from sciread_app.ui.reader.pages.text_selection import EMPTY, TextPosition, TextSelection
from sciread_app.ui.style.theme import Appearance, Theme

AUTOSCROLL_MS = 30  # between two steps of scrolling while the mouse is held beyond the edge
TEXT_DISTANCE = 6.0  # points from a letter, within which the mouse is over text

Cursor = Qt.CursorShape
PagePoint = tuple[int, float, float]  # a page, x and y in points of the page


class MouseHandler(QObject):
    """Selects text in `marks` and reports clicks on links and highlights.

    `area` scrolls the pages; `to_page` converts a position in its viewport.
    """

    selection_changed = Signal()
    link_clicked = Signal(object)  # Link
    highlight_clicked = Signal(object)  # Highlight, or None: a click outside the current one

    def __init__(
        self,
        area: QAbstractScrollArea,
        images: PageImageCache,
        marks: PageMarks,
        to_page: Callable[[QPointF], PagePoint],
    ) -> None:
        super().__init__(area)
        self._area, self._images, self._marks, self._to_page = area, images, marks, to_page
        self._pressed: QPoint | None = None
        self._dragged = False
        self._unit = 1  # of selection: 1 letters, 2 words, 3 lines
        self._first = (EMPTY.anchor, EMPTY.head)  # the word or line in which the drag began
        self._position = QPointF()
        self._triple_click = QTimer(self, singleShot=True)
        self._autoscroll = QTimer(self, interval=AUTOSCROLL_MS)
        self._autoscroll.timeout.connect(self._scroll)

    @property
    def is_selecting(self) -> bool:
        """Whether text is being selected: the button is held."""
        return self._pressed is not None

    def press(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()  # the document view handles the other buttons
            return
        at = event.position()
        if self._triple_click.isActive():
            self._begin(at, 3)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._marks.selection:
            self._unit, anchor = 1, self._marks.selection.anchor
            self._first = (anchor, anchor)
            self._extend(at)
        else:
            self._begin(at, 1)
        self._pressed, self._dragged = at.toPoint(), False

    def double_click(self, event: QMouseEvent) -> None:
        self._begin(event.position(), 2)
        self._pressed, self._dragged = event.position().toPoint(), True
        self._triple_click.start(QApplication.doubleClickInterval())

    def move(self, event: QMouseEvent) -> None:
        self._position = event.position()
        if self._pressed is None:
            self._update_cursor(self._position)
            return
        far = (self._position.toPoint() - self._pressed).manhattanLength()
        if self._dragged or far >= QApplication.startDragDistance():
            self._dragged = True
            self._extend(self._position)
            beyond = not self._area.viewport().rect().contains(self._position.toPoint())
            (self._autoscroll.start if beyond else self._autoscroll.stop)()

    def release(self, event: QMouseEvent) -> None:
        self._autoscroll.stop()
        clicked, self._pressed = self._pressed is not None and not self._dragged, None
        if not clicked or self._marks.selection:
            self.selection_changed.emit()  # it is complete
            return
        page, x, y = self._to_page(event.position())
        if link := self._link(page, x, y):
            self.link_clicked.emit(link)
        elif mark := self._marks.highlight_at(page, x, y):
            self.highlight_clicked.emit(mark)
        elif self._marks.selected_highlight:
            self.highlight_clicked.emit(None)

    def _begin(self, at: QPointF, unit: int) -> None:
        self._unit = unit
        self._first = self._around(at)
        self._select(TextSelection(*self._first) if unit > 1 else EMPTY)

    def _extend(self, at: QPointF) -> None:
        start, end = self._around(at)
        first, last = self._first
        self._select(TextSelection(last, start) if start < first else TextSelection(first, end))

    def _select(self, selection: TextSelection) -> None:
        if selection != self._marks.selection:
            self._marks.selection = selection
            self.selection_changed.emit()

    def _around(self, at: QPointF) -> tuple[TextPosition, TextPosition]:
        """Start and end of the letter, word or line at a position, by the unit of selection."""
        page, x, y = self._to_page(at)
        letters = self._letters(page)
        if letters is None:
            return TextPosition(page, 0), TextPosition(page, 0)
        if self._unit == 1:
            place = TextPosition(page, letters.boundary(x, y))
            return place, place
        letter = letters.nearest(x, y)
        if letter is None:
            return TextPosition(page, 0), TextPosition(page, 0)
        start, end = letters.word(letter) if self._unit == 2 else letters.line(letter)
        return TextPosition(page, start), TextPosition(page, end)

    def _scroll(self) -> None:
        rect = self._area.viewport().rect()
        above, below = self._position.y() - rect.top(), self._position.y() - rect.bottom()
        step = min(above, 0) + max(below, 0)
        bar = self._area.verticalScrollBar()
        bar.setValue(bar.value() + round(step / 2))
        self._extend(self._position)

    def _update_cursor(self, at: QPointF) -> None:
        page, x, y = self._to_page(at)
        viewport, tip, shape = self._area.viewport(), "", Cursor.ArrowCursor
        if link := self._link(page, x, y):
            # The text of a link may differ from its target.
            shape = Cursor.PointingHandCursor
            tip = link.address or (tr("Page {page}", page=link.spot.page + 1) if link.spot else "")
        elif mark := self._marks.highlight_at(page, x, y):
            shape, tip = Cursor.PointingHandCursor, mark.note
        elif (letters := self._letters(page)) and letters.nearest(x, y, TEXT_DISTANCE) is not None:
            shape = Cursor.IBeamCursor
        if viewport.cursor().shape() is not shape:
            viewport.setCursor(shape)
        if viewport.toolTip() != tip:
            viewport.setToolTip(tip)

    def _letters(self, page: int) -> PageText | None:
        text = self._images.text(page)
        return text.letters if text else None

    def _link(self, page: int, x: float, y: float) -> Link | None:
        text = self._images.text(page)
        links = text.links if text else ()
        return next((link for link in links if link.box.holds(x, y)), None)


SOON_MS = 15  # after scrolling or zooming, until images are requested
LINE = 48  # pixels of one step of the arrow keys
NEAR = 4  # pages before and after the visible ones that get low-resolution images
MARGIN = 90  # pixels above the target of a jump

Key, Modifier = Qt.Key, Qt.KeyboardModifier
Policy = Qt.ScrollBarPolicy


class PageView(QAbstractScrollArea):
    moved = Signal()  # position, zoom or rotation
    refreshed = Signal()  # the selection or the highlights may have changed
    link_clicked = Signal(object)  # Link
    highlight_clicked = Signal(object)  # Highlight or None
    colour_requested = Signal(int)  # number of a colour: a digit was pressed with text selected
    copy_requested = Signal()
    escaped = Signal()  # Escape, with no text selected

    def __init__(self, file: OpenFile, pictures: PageImageCache, appearance: Appearance) -> None:
        super().__init__()
        self.file, self.pictures, self.marks = file, pictures, PageMarks()
        self._theme = appearance.theme
        self._painter = PagePainter(pictures, self.marks)
        self._mouse = MouseHandler(self, pictures, self.marks, self._page_point)
        self.zoom, self.turn, self.display = zoom.WIDTH, 0, PageDisplay()
        self.layout_ = DocumentLayout(file.shape.sizes, 1.0, 0)
        self._request_timer = QTimer(self, singleShot=True, interval=SOON_MS)
        self._request_timer.timeout.connect(self._request_images)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("Pages of the document"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Always visible: else a page that fits the width would oscillate between two widths.
        self.setVerticalScrollBarPolicy(Policy.ScrollBarAlwaysOn)
        self.setCornerWidget(QWidget())  # of the window's colour, between the scroll bars
        self.viewport().setMouseTracking(True)
        self.grabGesture(Qt.GestureType.PinchGesture)
        self._mouse.selection_changed.connect(self.refresh)
        self._mouse.link_clicked.connect(self.link_clicked)
        self._mouse.highlight_clicked.connect(self.highlight_clicked)
        pictures.loaded.connect(self._repaint_page)
        pictures.failed.connect(self._repaint_page)
        appearance.changed.connect(self._set_theme)
        self.verticalScrollBar().valueChanged.connect(lambda _: self.moved.emit())
        self._lay_out()

    # Position

    @property
    def page(self) -> int:
        """The current page: the one a third down the window."""
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
        self._show_across(page)

    def step(self, rows: int) -> None:
        """Go to the next page or row of pages, or with -1 to the previous one."""
        self.go_to_page(self.page + rows * self.layout_.columns)

    def go_to(self, spot: PagePosition) -> None:
        """Scroll to a position, near the top of the window."""
        if 0 <= spot.page < len(self.file.shape.sizes):
            there = self.layout_.shown(spot.page, Box(0, spot.top, 1, spot.top + 1))
            self.verticalScrollBar().setValue(round(there.top()) - (MARGIN if spot.top else 1))
            self._show_across(spot.page)

    def show_box(self, page: int, box: Box) -> None:
        """Scroll to this box unless it is visible."""
        there = self.layout_.shown(page, box)
        if not self._seen().adjusted(0, 30, 0, -30).contains(there):
            self.go_to(PagePosition(page, max(box.top, 0.1)))
            middle = there.center().x() - self.viewport().width() / 2
            self.horizontalScrollBar().setValue(round(middle))

    # Zoom and colours

    def set_zoom(self, wanted: str, about: QPointF | None = None) -> None:
        """Set the zoom around the viewport position `about`, else keep the top."""
        if about is None:
            self.zoom = wanted
            self._lay_out(self.place.page)
            return
        page, *point = self._page_point(about)
        self.zoom = wanted
        self._lay_out(self.place.page)
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
        self._lay_out(self.place.page)

    def set_display(self, display: PageDisplay) -> None:
        self.display = display
        self._lay_out(self.place.page)

    def refresh(self) -> None:
        """Repaint and request images after a change of highlights, selection or colours."""
        self.viewport().update()
        self._request_timer.start()
        self.refreshed.emit()

    def selection_rect(self) -> QRect:
        """The visible part of the selected text in the viewport; empty while it is selected with
        the mouse."""
        selection, seen = self.marks.selection, self._seen()
        if self._mouse.is_selecting:
            return QRect()
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
        self._lay_out(self.place.page)

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
        self._mouse.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._mouse.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._mouse.double_click(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that have no action in the menus."""
        key, bar = event.key(), self.verticalScrollBar()
        shift = bool(event.modifiers() & Modifier.ShiftModifier)
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
        elif 0 <= key - Key.Key_1 < len(COLOURS) and self.marks.selection:
            self.colour_requested.emit(key - Key.Key_1)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        # The scale changes when the window moves to another screen.
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._lay_out(self.place.page)
        return super().event(event)

    def _leave(self) -> None:
        if self.marks.selection:
            self.marks.selection = EMPTY
            self.refresh()
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

    def _lay_out(self, place: float = 0.0) -> None:
        room = self.viewport().size()
        sizes, page = self.file.shape.sizes, min(int(place), len(self.file.shape.sizes) - 1)
        columns, dpi = 2 if self.display.two_pages else 1, self.logicalDpiX()
        scale = zoom.scale_of(self.zoom, sizes, page, self.turn, room, dpi, columns)
        wanted = (scale, self.turn, self.devicePixelRatioF(), columns)
        before = self.layout_
        if wanted != (before.scale, before.turn, before.ratio, before.columns):
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
        down.setValue(round(self.layout_.height_of_rows(place)) if place else 0)
        self.refresh()
        self.moved.emit()

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
