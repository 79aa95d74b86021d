"""An open document: its pages, toolbar, side panel, find bar and list of highlights."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import TypeVar

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDesktopServices,
    QGuiApplication,
    QImage,
    QMouseEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QMenu, QSplitter, QWidget

from sciread_app.domain.annotations.annotations import (
    Box,
    Colour,
    Highlight,
    Link,
    PagePosition,
    ReadingPosition,
)
from sciread_app.errors import SciReadError
from sciread_app.formats.pdf.rendering.document import LARGEST
from sciread_app.language import tr
from sciread_app.services.library.reader import (
    CannotShow,
    FailureReason,
    FileHighlights,
    OpenFile,
    ReaderService,
    readable,
)
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppEvents
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.reader.citation_preview import CitationPreview
from sciread_app.ui.reader.find_bar import FileSearch
from sciread_app.ui.reader.highlight_colours import HIGHLIGHT_IN, NAMES, swatch
from sciread_app.ui.reader.overlays.highlight_editor import HighlightEditor
from sciread_app.ui.reader.overlays.overlay import Overlay
from sciread_app.ui.reader.overlays.selection_bar import SelectionBar
from sciread_app.ui.reader.pages.display import PageDisplay
from sciread_app.ui.reader.pages.image_cache import PageImageCache
from sciread_app.ui.reader.pages.layout import region
from sciread_app.ui.reader.pages.page_view import PageView
from sciread_app.ui.reader.pages.text_selection import TextPosition, TextSelection
from sciread_app.ui.reader.pages.zoom import POINTS
from sciread_app.ui.reader.side.highlights_panel import HighlightsPanel
from sciread_app.ui.reader.side.side_panel import THUMBNAIL, SidePanel
from sciread_app.ui.reader.toolbar import Toolbar
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.rounded_popup import context_menu

T = TypeVar("T")

REST_MS = 700  # without scrolling, until the reading position is saved
SIDE_WIDTH = 262
CHANGED = tr("The file has changed since it was opened.")
WEB = ("http", "https", "mailto")
MAX_PLACES = 200  # of the history
IMAGE_DPI = 300  # of a copied area
MAX_QUERY = 300  # characters of selected text that the library is searched for


class NavigationHistory:
    """The places to go back and forward to in a document. Works like a browser's: jumping after
    going back clears the forward list."""

    def __init__(self) -> None:
        self.behind: list[ReadingPosition] = []
        self.ahead: list[ReadingPosition] = []

    def leave(self, place: ReadingPosition) -> None:
        """Record the place before a jump."""
        if not self.behind or self.behind[-1] != place:
            self.behind = [*self.behind[-MAX_PLACES:], place]
        self.ahead = []

    def back(self, here: ReadingPosition) -> ReadingPosition | None:
        if not self.behind:
            return None
        self.ahead.append(here)
        return self.behind.pop()

    def forward(self, here: ReadingPosition) -> ReadingPosition | None:
        if not self.ahead:
            return None
        self.behind.append(here)
        return self.ahead.pop()


class DocumentView(QWidget):
    """Shows one open file, and edits its highlights in the background, also after it was closed.
    What concerns more than this file, such as a copy with citation or another display of the pages,
    is requested by signals."""

    removal_requested = Signal(object)  # Highlight
    citation_requested = Signal(str, str)  # selected text, and its page or pages
    copied = Signal(str)  # the message: text or an image is on the clipboard
    search_requested = Signal(str)  # in the library
    file_lost = Signal(object)  # CannotShow
    display_selected = Signal(object)  # PageDisplay
    pane_toggled = Signal()

    def __init__(
        self,
        file: OpenFile,
        files: ReaderService,
        jobs: JobRunner,
        appearance: Appearance,
        events: AppEvents,
    ) -> None:
        super().__init__()
        self._events = events
        self._closed = False
        self.paper = file.paper
        self.file, self._files, self._jobs = file, files, jobs
        self._history = NavigationHistory()
        self.marked = FileHighlights()
        self.pictures = PageImageCache(file, jobs, round(THUMBNAIL * self.devicePixelRatioF()))
        self.view = PageView(file, self.pictures, appearance)
        self.side = SidePanel(self.view, appearance)
        # The page shows it in its pane, which all documents share.
        self.highlights = HighlightsPanel(self.view, appearance)
        self.destroyed.connect(self.highlights.deleteLater)
        self.toolbar = Toolbar(appearance)
        self.finding = FileSearch(file, self.view, jobs, appearance)
        self.selection_bar = SelectionBar(self, self.view, appearance)
        self.editor = HighlightEditor(self, self.view)
        self.citations = CitationPreview(self, self.view, file, files, jobs)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self.remember)
        self._lay_out()
        self._connect()
        self._moved()

    # Actions

    def back(self) -> None:
        self._return(self._history.back(self.view.position))

    def forward(self) -> None:
        self._return(self._history.forward(self.view.position))

    def toggle_side(self) -> None:
        self.side.setVisible(not self.side.isVisible())
        self.toolbar.check("panel", self.side.isVisible())

    def show_side(self, part: int) -> None:
        self.side.show()
        self.toolbar.check("panel", True)
        self.side.show_part(part)

    def set_display(self, display: PageDisplay) -> None:
        self.toolbar.check("dark", display.dark)
        self.toolbar.check("two_pages", display.two_pages)
        self.view.set_display(display)

    def toggle_dark(self) -> None:
        display = self.view.display
        self.display_selected.emit(display._replace(dark=not display.dark))

    def toggle_two_pages(self) -> None:
        display = self.view.display
        self.display_selected.emit(display._replace(two_pages=not display.two_pages))

    def toggle_cover(self) -> None:
        """Show page 1 alone, in two-page mode, or with page 2 again."""
        display = self.view.display
        cover = not display.skipped
        self.display_selected.emit(display._replace(two_pages=True, cover=cover))

    def go_to_page_line(self) -> None:
        self.toolbar.page.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.toolbar.page.selectAll()

    def start_find(self) -> None:
        words = self._selected_text()
        self.finding.begin(words if 0 < len(words) < 100 else "")

    def copy(self) -> None:
        self.copy_image()
        self._read_selection(self._copy_text)

    def cite(self) -> None:
        """Copy the selected text with a citation of the paper and the page."""
        pages = self.view.marks.selection.pages
        if pages:
            first, last = pages[0] + 1, pages[-1] + 1
            cited = f"{first}" if first == last else f"{first}-{last}"
            self._read_selection(lambda text: self.citation_requested.emit(text, cited))

    def search_library(self) -> None:
        """Search the library for the selected text."""
        self._read_selection(
            lambda text: self.search_requested.emit(" ".join(text.split())[:MAX_QUERY])
        )

    def select_area(self, on: bool = True) -> None:
        """Let the mouse select an area of a page, or no longer."""
        self.view.area_tool.switch(on)
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_cited(self) -> None:
        """Show the cited paper of the first citation in sight, or of the next one."""
        self.citations.show_next()

    def copy_image(self) -> None:
        """Copy the selected area as an image."""
        if area := self.view.marks.area:
            self._copy_image(*area)

    def choose_all(self) -> None:
        last = len(self.file.shape.sizes) - 1
        self.view.clear_selection()
        self.view.marks.selection = TextSelection(TextPosition(0, 0), TextPosition(last, 10**9))
        self.view.refresh()

    def highlight(self, colour: Colour, *, and_edit: bool = False) -> None:
        """Highlight the selected text or area; without a selection, recolor the current highlight.

        With `and_edit`, open the note of the new highlight.
        """
        selection, file, area = self.view.marks.selection, self.file, self.view.marks.area
        if area:
            where = (file.paper, file.shape.sha256, str(file.path), area.page)
            self._highlight(
                lambda task: self._files.highlight([Highlight(*where, (area.box,), "", colour)]),
                and_edit=and_edit,
            )
        elif selection:
            self._highlight(
                lambda task: self._files.highlight(passages(file, selection, colour, task)),
                and_edit=and_edit,
            )
        elif picked := self._picked():
            self.recolour(picked, colour)

    def recolour(self, highlight: Highlight, colour: Colour) -> None:
        self._edit(
            tr("Changing the color of a highlight"),
            lambda task: self._files.recolour(highlight, colour),
        )

    def resize_area(self, highlight: Highlight, box: Box) -> None:
        self._edit(tr("Resizing an area"), lambda task: self._files.resize(highlight, box))

    def annotate(self, highlight: Highlight, note: str) -> None:
        self._edit(tr("Saving a note"), lambda task: self._files.annotate(highlight, note))

    def write_note(self) -> None:
        """Edit the note of the current highlight, or of a new one on the selection."""
        if self.view.marks.selection or self.view.marks.area:
            self.highlight(Colour.yellow, and_edit=True)
        elif picked := self._picked():
            self.view.show_box(picked.page, picked.boxes[0])
            self._open_editor(picked)
            self.editor.note.setFocus(Qt.FocusReason.OtherFocusReason)

    # Called by the tab

    def load_marks(self, choose: int = 0, *, and_edit: bool = False) -> None:
        """Load the highlights and select the one with id `choose`, else the previous one."""

        def show(marked: FileHighlights) -> None:
            self._show_marked(marked, choose)
            if and_edit:
                self.write_note()

        self._work(tr("Loading highlights"), lambda task: self._files.marked(self.file, task), show)

    def remember(self) -> None:
        """Save the reading position."""
        place, sha256 = self.view.position, self.file.shape.sha256
        self._work(
            tr("Saving the reading position"), lambda task: self._files.remember(sha256, place)
        )

    def save_now(self) -> None:
        """Save the reading position and the unsaved note before returning."""
        self._rest.stop()
        with suppress(SciReadError):  # a library that cannot be written is reported elsewhere
            if unsaved := self.editor.take_unsaved():
                self._files.annotate(*unsaved)
            self._files.remember(self.file.shape.sha256, self.view.position)

    def rest(self) -> None:
        """Release memory after some time in the background."""
        self.pictures.rest()
        self._work(tr("Unloading a file"), lambda task: self.file.rest())

    def check_for_changes(self) -> None:
        """Reload if the file has changed, when the tab is shown again."""

        def done(changed: bool) -> None:
            if changed:
                self.file_lost.emit(CannotShow(FailureReason.changed, CHANGED))

        self.view.refresh()
        self._work(tr("Checking a file for changes"), lambda _: self.file.is_changed(), done)

    def close_file(self) -> None:
        self._closed = True
        self._rest.stop()
        self.editor.save()
        self.remember()
        self.finding.stop()
        self.citations.stop()
        self.pictures.close()
        self.file.close()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.BackButton:
            self.back()
        elif event.button() is Qt.MouseButton.ForwardButton:
            self.forward()
        else:
            super().mousePressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # From the pages, Tab leads to what is over them. Qt forgets an order set before showing.
        order = [self.view, *self.selection_bar.tab_stops(), *self.editor.tab_stops()]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        viewport = self.view.viewport()
        at = viewport.mapFromGlobal(event.globalPos())
        if not viewport.rect().contains(at):
            return
        selected = self.view.marks.selection or self.view.marks.area
        if event.reason() is QContextMenuEvent.Reason.Mouse and not selected:
            clicked = self.view.highlight_at(at)
            self.highlights.choose(clicked.id if clicked else 0)
        self._menu().popup(event.globalPos())

    def _connect(self) -> None:
        view, side, panel = self.view, self.side, self.highlights
        view.view_changed.connect(self._moved)
        view.mouse.link_clicked.connect(self._follow)
        view.mouse.highlight_clicked.connect(self._click_highlight)
        view.refreshed.connect(self._place_overlays)
        self.pictures.loaded.connect(lambda _: self._place_overlays())
        view.colour_requested.connect(lambda n: self.highlight(list(Colour)[n]))
        view.copy_requested.connect(self.copy)
        view.escaped.connect(self._leave_top)
        side.navigated.connect(self.jump)
        panel.selected.connect(self._select_highlight)
        panel.opened.connect(self._go_to_highlight)
        self.editor.recoloured.connect(self.recolour)
        self.editor.annotated.connect(self.annotate)
        self.editor.copied.connect(self._copy_highlight)
        self.editor.removed.connect(self.removal_requested)
        self.editor.escaped.connect(lambda: self._open_editor(None))
        self.selection_bar.colour_requested.connect(self.highlight)
        self.selection_bar.pressed.connect(self._bar_pressed)
        self.selection_bar.escaped.connect(view.clear_selection)
        view.area_tool.resized.connect(self.resize_area)
        view.area_tool.switched.connect(lambda on: self.toolbar.check("area", on))
        self.toolbar.pressed.connect(self._pressed)
        self.toolbar.page_requested.connect(lambda page: self.jump(PagePosition(page)))
        self.toolbar.zoom_requested.connect(view.set_zoom)
        self.toolbar.escaped.connect(self._leave_toolbar)
        self.pictures.file_lost.connect(self.file_lost)

    def _pressed(self, key: str) -> None:
        view = self.view
        {
            "panel": self.toggle_side,
            "back": self.back,
            "forward": self.forward,
            "smaller": view.zoom_out,
            "larger": view.zoom_in,
            "rotate": view.rotate,
            "dark": self.toggle_dark,
            "area": lambda: self.select_area(not view.area_tool.is_on),
            "two_pages": self.toggle_two_pages,
            "find": self.start_find,
            "pane": self.pane_toggled.emit,
        }[key]()

    def _leave_toolbar(self) -> None:
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self._moved()

    def jump(self, spot: PagePosition) -> None:
        """Go to a position and add the present one to the history."""
        self._history.leave(self.view.position)
        self.view.go_to(spot)
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self._moved()

    def _return(self, place: ReadingPosition | None) -> None:
        if place:
            self.view.restore(place)
            self._moved()

    def _follow(self, link: Link) -> None:
        if link.spot:
            self.jump(link.spot)
        elif QUrl(link.address).scheme().lower() in WEB:
            QDesktopServices.openUrl(QUrl(link.address))

    def _moved(self) -> None:
        count = len(self.file.shape.sizes)
        self.toolbar.show_page(self.view.page, count)
        self.view.setAccessibleDescription(
            tr("Page {page} of {count}", page=self.view.page + 1, count=count)
        )
        self.toolbar.show_zoom(self.view.zoom, self.view.factor)
        self.toolbar.enable("back", bool(self._history.behind))
        self.toolbar.enable("forward", bool(self._history.ahead))
        self.side.thumbnails.show_page(self.view.page)
        self.side.outline.show_position(self.view.spot)
        self._place_overlays()
        self._rest.start()

    # Highlights

    def _highlight(self, work: Callable[[Task], list[Highlight]], *, and_edit: bool) -> None:
        def done(kept: list[Highlight]) -> None:
            self.view.clear_selection()
            if kept:
                self.load_marks(kept[-1].id, and_edit=and_edit)

        self._work(tr("Adding a highlight"), work, done, edits=True)

    def _edit(self, title: str, work: Callable[[Task], None]) -> None:
        self._work(title, work, lambda _: self.load_marks(), edits=True)

    def _show_marked(self, marked: FileHighlights, choose: int) -> None:
        self.marked = marked
        self.view.marks.show_highlights(marked.here)
        self.highlights.show_marked(marked, choose)
        if edited := self.editor.highlight:
            every = (*marked.here, *marked.lost)
            self.editor.edit(next((one for one in every if one.id == edited.id), None))
        self.view.refresh()

    def _picked(self) -> Highlight | None:
        """The current highlight."""
        picked = self.view.marks.selected_highlight
        return next((one for one in self.marked.here if one.id == picked), None)

    def _click_highlight(self, highlight: Highlight | None) -> None:
        self.highlights.choose(highlight.id if highlight else 0)
        self._open_editor(highlight)

    def _go_to_highlight(self, highlight: Highlight) -> None:
        """Scroll to a highlight of the list, unless this file lacks it, and open it."""
        if highlight in self.marked.here:
            self.jump(highlight.spot)
        self._open_editor(highlight)

    def _select_highlight(self, highlight: Highlight | None) -> None:
        self.view.marks.selected_highlight = highlight.id if highlight else 0
        if self.editor.highlight and (not highlight or highlight.id != self.editor.highlight.id):
            self._open_editor(None)
        self.view.refresh()

    def _open_editor(self, highlight: Highlight | None) -> None:
        self.editor.edit(highlight)
        self._place_overlays()

    def _leave_top(self) -> None:
        """Close what is over the pages, else the find bar."""
        if self.citations.card.isVisible():
            self.citations.hide()
        elif self.editor.isVisible():
            self._open_editor(None)
        else:
            self.finding.end()

    def _place_overlays(self) -> None:
        """Show the bar at the selection, or else the editor at its highlight; hide them where that
        is out of sight. The editor of a highlight that the file lacks is at the upper edge."""
        view, edited = self.view, self.editor.highlight
        corner = view.viewport().mapTo(self, QPoint())
        area = QRect(corner, view.viewport().size())
        selected = view.selection_rect()
        self.selection_bar.offer(area=view.marks.area is not None)
        self._place(self.selection_bar, selected.translated(corner), area)
        if edited is None or view.marks.selection or view.marks.area:
            self.editor.hide()
        elif edited in self.marked.lost:
            self._place(self.editor, QRect(area.topRight(), QSize(1, 1)), area)
        else:
            self._place(self.editor, view.highlight_rect(edited).translated(corner), area)

    def _place(self, overlay: Overlay, target: QRect, area: QRect) -> None:
        if target.isEmpty():
            overlay.hide()
        else:
            overlay.show_beside(target, area)

    def _bar_pressed(self, key: str) -> None:
        {
            "note": self.write_note,
            "copy": self.copy,
            "cite": self.cite,
            "search": self.search_library,
            "image": self.copy_image,
        }[key]()

    def _copy_highlight(self, highlight: Highlight) -> None:
        if highlight.is_area:
            self._copy_image(highlight.page, highlight.boxes[0])
        else:
            self._copy_text(highlight.text)

    def _copy_text(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copied.emit(tr("Text copied"))

    def _copy_image(self, page: int, box: Box) -> None:
        """Copy an area of a page as an image, as sharp as a print."""
        size, turn = self.file.shape.sizes[page], self.view.turn
        largest = (LARGEST / ((box.right - box.left + 1) * (box.bottom - box.top + 1))) ** 0.5
        part = region(size, page, box, min(IMAGE_DPI / POINTS, 0.9 * largest), turn)

        def work(task: Task) -> QImage:
            data = self.file.draw(part, task)
            kind = QImage.Format.Format_RGB32
            return QImage(data, part.width, part.height, 4 * part.width, kind).copy()

        def done(image: QImage) -> None:
            QGuiApplication.clipboard().setImage(image)
            self.copied.emit(tr("Image copied"))

        self._work(tr("Copying an image"), work, done)

    def _read_selection(self, use: Callable[[str], None]) -> None:
        """Call `use` with the selected text, if there is any."""
        if selection := self.view.marks.selection:
            self._work(
                tr("Copying text"),
                lambda task: self.file.text(selection.start, selection.end, task),
                use,
            )

    def _selected_text(self) -> str:
        selection = self.view.marks.selection
        known = self.pictures.text(selection.start.page)
        if not selection or len(selection.pages) > 1 or known is None:
            return ""
        start, end = selection.on_page(selection.start.page, len(known.letters.text))
        return " ".join(readable(known.letters.text[start:end]).split())

    def _menu(self) -> QMenu:
        """The actions for the selection, else for the current highlight, else for the file."""
        menu = context_menu(self)
        area, picked = self.view.marks.area is not None, self._picked()
        if self.view.marks.selection or area:
            menu.addAction(tr("Copy image") if area else tr("Copy"), self.copy)
            if not area:
                menu.addAction(tr("Copy with citation"), self.cite)
                menu.addAction(tr("Search the library"), self.search_library)
            menu.addSeparator()
            for number, colour in enumerate(Colour, start=1):
                highlight = partial(self.highlight, colour)
                menu.addAction(swatch(colour), f"{HIGHLIGHT_IN[colour]}\t{number}", highlight)
            menu.addAction(tr("Highlight and add note"), self.write_note)
        elif picked:
            copy = tr("Copy image") if picked.is_area else tr("Copy text")
            menu.addAction(copy, partial(self._copy_highlight, picked))
            menu.addAction(tr("Edit note"), self.write_note)
            menu.addSeparator()
            for colour in Colour:
                action = menu.addAction(
                    swatch(colour), NAMES[colour], partial(self.recolour, picked, colour)
                )
                action.setEnabled(colour is not picked.colour)
            menu.addSeparator()
            menu.addAction(tr("Delete highlight"), partial(self.removal_requested.emit, picked))
        else:
            menu.addAction(tr("Select all text"), self.choose_all)
            menu.addAction(tr("Select area"), self.select_area)
            menu.addAction(tr("Find in file"), self.start_find)
        return menu

    def _work(
        self,
        title: str,
        work: Callable[[Task], T],
        done: Callable[[T], None] = lambda _: None,
        *,
        edits: bool = False,
    ) -> None:
        """Run `work`, which `edits` highlights, and pass its result to `done` unless the file was
        closed meanwhile, when the widgets may be gone."""
        events = self._events

        def end(result: T) -> None:
            if not self._closed:
                done(result)
            if edits:
                events.edited.emit()

        self._jobs.run(title, work, end)

    def restore(self, place: ReadingPosition) -> None:
        # Lay out first: before, its width is not the final one.
        self._column.activate()
        self.view.restore(place)

    def _lay_out(self) -> None:
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.side)
        split.addWidget(self.view)
        split.setStretchFactor(1, 1)
        split.setSizes([SIDE_WIDTH, 1000])
        split.setCollapsible(1, False)
        self.side.setMinimumWidth(SIDE_WIDTH - 20)
        self.toolbar.check("panel", True)
        parts = (self.toolbar, self.finding.bar, (split, 1))
        self._column = column(*parts, parent=self, margins=0, spacing=0)


def passages(
    file: OpenFile, selection: TextSelection, colour: Colour, task: Task
) -> list[Highlight]:
    """The selected text, extended to whole words, as unsaved highlights, one per page."""
    found = []
    for page in selection.pages:
        letters = file.page_text(page, task).letters
        start, end = letters.whole_words(*selection.on_page(page, len(letters.text)))
        boxes, text = letters.boxes(start, end), readable(letters.text[start:end])
        if boxes and text:
            where = (file.paper, file.shape.sha256, str(file.path), page)
            found.append(Highlight(*where, boxes, text, colour))
    return found
