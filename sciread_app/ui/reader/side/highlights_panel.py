"""The list of highlights of a document."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from sciread_app.domain.annotations.annotations import COLOURS, Colour, Highlight, PageRegion
from sciread_app.domain.text.folding import fold_accents
from sciread_app.language import tr
from sciread_app.services.library.reader import FileHighlights
from sciread_app.ui.formatting import shortened
from sciread_app.ui.reader.highlight_colours import WORDS, colour_button
from sciread_app.ui.reader.pages.layout import region
from sciread_app.ui.reader.pages.page_view import PageView
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.painting import paint_box
from sciread_app.ui.widgets.row_table import Index

HOW = tr("Select text or an area, then choose a color or press 1–5 to highlight it.")
LOST = tr("Not found in this version of the file")
HIGHLIGHT = Qt.ItemDataRole.UserRole
PAD, BAR, GAP = 8, 4, 10  # pixels: margin, width of the colored bar, space after it
PASSAGE, NOTE = 260, 400  # maximum numbers of characters
PICTURE = (200, 140)  # pixels, at most, of the picture of an area

_WRAP = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft)


class HighlightsPanel(QFrame):
    """Lists the highlights of a file by page, with filters by words and color. Highlights that this
    version of the file lacks come last, below a heading."""

    selected = Signal(object)  # Highlight | None
    opened = Signal(object)  # Highlight: clicked, or Enter was pressed

    def __init__(self, view: PageView, appearance: Appearance) -> None:
        super().__init__()
        self._view = view
        self._shown: Highlight | None = None
        self.list = styled(QListWidget(), "results")
        self.list.setItemDelegate(HighlightDelegate(self.list, view, appearance))
        # Items are measured as they become visible: thousands at once would block the window.
        self.list.setLayoutMode(QListView.LayoutMode.Batched)
        self.list.setBatchSize(40)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setWordWrap(True)  # else rows keep their heights when only the width changes
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setAccessibleName(tr("Highlights and notes"))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.currentItemChanged.connect(lambda item, _: self._choose(item))
        self.list.itemClicked.connect(self._open)
        self.list.itemActivated.connect(self._open)
        self._request_timer = QTimer(self, singleShot=True, interval=40)
        self._request_timer.timeout.connect(self._request_pictures)
        self.list.verticalScrollBar().valueChanged.connect(lambda _: self._request_timer.start())
        self.list.verticalScrollBar().rangeChanged.connect(lambda *_: self._request_timer.start())
        view.refreshed.connect(self._request_timer.start)
        view.pictures.loaded.connect(lambda _: self.list.viewport().update())
        self.export = styled(QPushButton(tr("Export as Markdown…")), "link")
        self.copy = styled(QPushButton(tr("Save a copy with annotations…")), "link")
        self.filter = styled(QLineEdit(placeholderText=tr("Filter highlights")), "field")
        self.filter.setAccessibleName(tr("Filter highlights"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(lambda _: self._filter())
        self.colours = {colour: self._colour_filter(colour) for colour in Colour}
        self.nothing_found = styled(QLabel(tr("No matching highlights"), wordWrap=True), "faint")
        self.nothing_found.hide()
        full = QWidget()
        left = Qt.AlignmentFlag.AlignLeft
        links = ((self.export, 0, left), (self.copy, 0, left))
        filters = column(
            self.filter, row(*self.colours.values(), 1), margins=(8, 4, 8, 4), spacing=2
        )
        column(
            filters, self.nothing_found, (self.list, 1), *links, parent=full, margins=0, spacing=0
        )
        nothing = styled(QLabel(HOW, wordWrap=True, margin=2 * PAD), "faint")
        nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._parts = QStackedWidget()
        self._parts.addWidget(nothing)
        self._parts.addWidget(full)
        column(self._parts, parent=self, margins=0)

    def show_marked(self, marked: FileHighlights, choose: int = 0) -> None:
        """Show these highlights and select the one with id `choose`, else the previous one."""
        wanted = choose or (self._shown.id if self._shown else 0)
        self.list.blockSignals(True)
        self.list.clear()
        for highlight in marked.here:
            self._add(highlight)
        if marked.lost:
            heading = QListWidgetItem(LOST)
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(heading)
            for highlight in marked.lost:
                self._add(highlight)
        self._shown = None
        self.list.blockSignals(False)
        self._parts.setCurrentIndex(1 if self.list.count() else 0)
        used = {highlight.colour for highlight in (*marked.here, *marked.lost)}
        for colour, button in self.colours.items():
            button.setEnabled(colour in used)
            button.setChecked(button.isChecked() and colour in used)
        self._filter()
        self.choose(wanted)

    def choose(self, id: int) -> None:
        """Select the highlight with this id, or none."""
        if item := self._item(id):
            if item.isHidden():
                self._clear_filter()
            self.list.setCurrentItem(item)
        else:
            self.list.setCurrentRow(-1)
            self._choose(None)

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._request_timer.start()

    def _request_pictures(self) -> None:
        """Request the pictures of the visible areas."""
        seen, wants = self.list.viewport().rect(), []
        if self.list.isVisible():
            first = self.list.indexAt(seen.topLeft() + QPoint(4, 4)).row()
            for item in map(self.list.item, range(max(first, 0), self.list.count())):
                if self.list.visualItemRect(item).top() > seen.bottom():
                    break
                highlight = item.data(HIGHLIGHT)
                if highlight and highlight.is_area and not item.isHidden():
                    wants.append(picture_of(highlight, self._view))
        self._view.pictures.request("pictures", [want for want in wants if want])

    def _add(self, highlight: Highlight) -> None:
        # For screen readers: the delegate paints the same content.
        item = QListWidgetItem(_accessible_text(highlight))
        item.setData(HIGHLIGHT, highlight)
        self.list.addItem(item)

    def _colour_filter(self, colour: Colour) -> QToolButton:
        button = colour_button(colour, tr("Show only {colour}", colour=WORDS[colour]))
        button.setCheckable(True)
        button.toggled.connect(lambda _: self._filter())
        return button

    def _filter(self) -> None:
        """Hide the highlights that lack a word of the filter, or that have another color."""
        words = fold_accents(self.filter.text()).split()
        colours = {colour for colour, button in self.colours.items() if button.isChecked()}
        shown = 0
        for item in map(self.list.item, range(self.list.count())):
            highlight = item.data(HIGHLIGHT)
            if highlight is None:  # the heading
                item.setHidden(bool(words or colours))
                continue
            text = fold_accents(f"{highlight.text} {highlight.note}") if words else ""
            matches = all(word in text for word in words)
            item.setHidden(not matches or (bool(colours) and highlight.colour not in colours))
            shown += not item.isHidden()
        self.nothing_found.setVisible(not shown)

    def _clear_filter(self) -> None:
        self.filter.clear()
        for button in self.colours.values():
            button.setChecked(False)

    def _choose(self, item: QListWidgetItem | None) -> None:
        highlight = item.data(HIGHLIGHT) if item else None
        if highlight != self._shown:
            self._shown = highlight
            self.selected.emit(highlight)

    def _open(self, item: QListWidgetItem) -> None:
        if highlight := item.data(HIGHLIGHT):
            self.opened.emit(highlight)

    def _item(self, id: int) -> QListWidgetItem | None:
        items = (self.list.item(number) for number in range(self.list.count()))
        return next((i for i in items if i.data(HIGHLIGHT) and i.data(HIGHLIGHT).id == id), None)


class HighlightDelegate(QStyledItemDelegate):
    """Paints a bar in the highlight's color, the page, the passage or the picture of the area, and
    the note."""

    def __init__(self, parent: QAbstractScrollArea, view: PageView, appearance: Appearance) -> None:
        super().__init__(parent)
        self._appearance, self._view = appearance, view
        self._list = parent

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = self._list.viewport().width() - 4
        parts = self._parts(index, option.font, width - BAR - GAP - 2 * PAD)
        picture = self._picture_size(index.data(HIGHLIGHT)).height()
        height = sum(rect.height() for _, _, rect in parts) + (picture + GAP if picture else 0)
        return QSize(width, height + 2 * PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = self._appearance.theme
        whole: QRect = option.rect.adjusted(2, 1, -2, -1)
        highlight = index.data(HIGHLIGHT)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected and highlight:
            paint_box(painter, whole, 7, theme.selected)
        inner = whole.adjusted(PAD, PAD - 1, -PAD, -PAD)
        if highlight:
            bar = inner.adjusted(0, 2, BAR - inner.width(), 0)
            paint_box(painter, bar, 2, COLOURS[highlight.colour])
            inner.setLeft(inner.left() + BAR + GAP)
        for number, (text, font, rect) in enumerate(self._parts(index, option.font, inner.width())):
            painter.setFont(font)
            is_lesser = number == 0 or number == 2
            painter.setPen(QColor(theme.quiet if is_lesser else theme.text))
            painter.drawText(rect.translated(inner.topLeft()), _WRAP, text)
            inner.setBottom(max(inner.bottom(), rect.translated(inner.topLeft()).bottom()))
        if highlight and highlight.is_area:
            self._paint_area(painter, highlight, inner)
        painter.restore()

    def _paint_area(self, painter: QPainter, highlight: Highlight, inner: QRect) -> None:
        """Paint the picture at the lower edge, or its frame until it is rendered."""
        frame = QRect(QPoint(), self._picture_size(highlight))
        frame.moveBottomLeft(inner.bottomLeft())
        part = picture_of(highlight, self._view)
        if part and (image := self._view.pictures.picture(part)):
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(frame, image)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QColor(self._appearance.theme.border))
        painter.drawRect(frame.adjusted(0, 0, -1, -1))

    def _picture_size(self, highlight: Highlight | None) -> QSize:
        part = picture_of(highlight, self._view) if highlight and highlight.is_area else None
        ratio = self._view.devicePixelRatioF()
        return QSize(round(part.width / ratio), round(part.height / ratio)) if part else QSize()

    def _parts(self, index: Index, font: QFont, width: int) -> list[tuple[str, QFont, QRect]]:
        """The texts and their rectangles in a column of this width."""
        highlight = index.data(HIGHLIGHT)
        parts, top = [], 0
        for text, own in _texts(highlight, index, font):
            room = QRect(0, 0, max(width, 40), 10_000)
            height = QFontMetrics(own).boundingRect(room, _WRAP, text).height()
            parts.append((text, own, QRect(0, top, max(width, 40), height)))
            top += height + 2
        return parts


def picture_of(area: Highlight, view: PageView) -> PageRegion | None:
    """The region of the page to draw for an area; None if the file does not have it."""
    sizes = view.file.shape.sizes
    if area.sha256 != view.file.shape.sha256 or area.page >= len(sizes):
        return None
    box, (across, down) = area.boxes[0], PICTURE
    width, height = box.right - box.left, box.bottom - box.top
    if view.turn % 2:
        width, height = height, width
    scale = min(across / width, down / height, 2.0) * view.devicePixelRatioF()
    return region(sizes[area.page], area.page, box, scale, view.turn, view.display.dark)


def _texts(highlight: Highlight | None, index: Index, font: QFont) -> list[tuple[str, QFont]]:
    if highlight is None:
        return [(str(index.data()), scaled(font, 0.92, QFont.Weight.DemiBold))]
    slanted = scaled(font, 0.95)
    slanted.setItalic(True)
    page = tr("Page {page}", page=highlight.page + 1)
    if highlight.is_area:
        page = tr("Area on page {page}", page=highlight.page + 1)
    texts = [
        (page, scaled(font, 0.86)),
        (_one_line(highlight.text, PASSAGE), font),
        (_one_line(highlight.note, NOTE), slanted),
    ]
    return [(text, own) for text, own in texts if text]


def _accessible_text(highlight: Highlight) -> str:
    page, colour = highlight.page + 1, WORDS[highlight.colour]
    passage = tr("area") if highlight.is_area else _one_line(highlight.text, PASSAGE)
    note = highlight.note
    if not note:
        return tr("Page {page}, {colour}: {passage}", page=page, colour=colour, passage=passage)
    return tr(
        "Page {page}, {colour}: {passage}. {note}",
        page=page,
        colour=colour,
        passage=passage,
        note=note,
    )


def _one_line(text: str, longest: int) -> str:
    return shortened(" ".join(text[: 4 * longest].split()), longest)  # it may hold whole pages
