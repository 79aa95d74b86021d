"""A file that is open: its pages, the bar over them, what is beside them, the search in them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QContextMenuEvent, QDesktopServices, QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QMenu, QSplitter, QVBoxLayout, QWidget

from sciread_app.domain.reading import Colour, Highlight, Link, ReadingPlace, Spot
from sciread_app.errors import SciReadError
from sciread_app.language import tr
from sciread_app.services.reading import CannotShow, Marked, Why, readable
from sciread_app.tasks import Task
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.reader.canvas import PagesView
from sciread_app.ui.reader.choice import NOTHING, At, Choice
from sciread_app.ui.reader.finding import Finding
from sciread_app.ui.reader.highlights_panel import swatch
from sciread_app.ui.reader.history import History
from sciread_app.ui.reader.pictures import Pictures
from sciread_app.ui.reader.side import THUMBNAIL, SidePanel
from sciread_app.ui.reader.toolbar import Toolbar
from sciread_app.ui.reader.values import WORDS, Files, OpenedFile
from sciread_app.ui.theme import Appearance

T = TypeVar("T")

REST_MS = 700  # without scrolling, until the place is remembered
SIDE_WIDTH = 262
CHANGED = tr("The file has changed since it was opened.")
WEB = ("http", "https", "mailto")


class Book(QWidget):
    edited = Signal()  # what is marked in it
    lost = Signal(object)  # CannotShow
    export_wanted = Signal()
    dark_chosen = Signal(bool)

    def __init__(self, file: OpenedFile, files: Files, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._file, self._files, self._jobs = file, files, jobs
        self._history = History()
        self.marked = Marked()
        self.pictures = Pictures(file, jobs, round(THUMBNAIL * self.devicePixelRatioF()))
        self.view = PagesView(file, self.pictures, appearance)
        self.side = SidePanel(self.view, appearance)
        self.toolbar = Toolbar(appearance)
        self.finding = Finding(file, self.view, jobs, appearance)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self.remember)
        self._lay_out()
        self._connect()
        self._moved()

    # What the menus do.

    def back(self) -> None:
        self._return(self._history.back(self.view.place))

    def forward(self) -> None:
        self._return(self._history.forward(self.view.place))

    def toggle_side(self) -> None:
        self.side.setVisible(not self.side.isVisible())
        self.toolbar.check("panel", self.side.isVisible())

    def show_side(self, part: int) -> None:
        self.side.show()
        self.toolbar.check("panel", True)
        self.side.show_part(part)

    def set_dark(self, dark: bool) -> None:
        self.toolbar.check("dark", dark)
        self.view.set_dark(dark)

    def go_to_page_line(self) -> None:
        self.toolbar.page.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.toolbar.page.selectAll()

    def find_words(self) -> None:
        words = self._chosen_on_one_page()
        self.finding.begin(words if 0 < len(words) < 100 else "")

    def find_step(self, step: int) -> None:
        """To the next match (1) or the one before (-1), from the one that is looked at."""
        self.finding.step(step)

    def copy(self) -> None:
        choice = self.view.marks.choice
        if choice:
            self._work(
                tr("Copying text"),
                lambda task: self._file.text(choice.start, choice.end, task),
                QGuiApplication.clipboard().setText,
            )

    def choose_all(self) -> None:
        last = len(self._file.shape.sizes) - 1
        self.view.marks.choice = Choice(At(0, 0), At(last, 10**9))
        self.view.refresh()

    def highlight(self, colour: Colour) -> None:
        """Mark what is chosen; where nothing is, colour the highlight that is looked at anew."""
        choice, file = self.view.marks.choice, self._file
        picked = next((one for one in self.marked.here if one.id == self.view.marks.picked), None)
        if choice:
            self._work(
                tr("Highlighting"),
                lambda task: self._files.highlight(passages(file, choice, colour, task)),
                self._highlighted,
            )
        elif picked:
            self.recolour(picked, colour)

    def recolour(self, highlight: Highlight, colour: Colour) -> None:
        self._edit(tr("Colouring"), lambda task: self._files.recolour(highlight, colour))

    def annotate(self, highlight: Highlight, note: str) -> None:
        self._edit(tr("Keeping a note"), lambda task: self._files.annotate(highlight, note))

    def remove(self, highlight: Highlight) -> None:
        self._edit(tr("Removing a highlight"), lambda task: self._files.remove(highlight))

    def write_note(self) -> None:
        """On the highlight that is looked at, or on a new one of what is chosen."""
        if self.view.marks.choice:
            self.highlight(Colour.yellow)
        self.show_side(2)
        self.side.highlights.write_note()

    # What others tell it.

    def load_marks(self, choose: int = 0) -> None:
        self._work(
            tr("Looking up highlights"),
            lambda task: self._files.marked(self._file, task),
            lambda marked: self._show_marked(marked, choose),
        )

    def remember(self) -> None:
        """Where it is read."""
        place, sha256 = self.view.place, self._file.shape.sha256
        self._work(tr("Remembering a page"), lambda task: self._files.remember(sha256, place))

    def keep_now(self) -> None:
        """Where it is read, and the note that is being written, before this returns."""
        self._rest.stop()
        with suppress(SciReadError):  # of a library that cannot be written others have told
            if unsaved := self.side.highlights.take_note():
                self._files.annotate(*unsaved)
            self._files.remember(self._file.shape.sha256, self.view.place)

    def rest(self) -> None:
        """Nobody has looked at it for a while: it gives back what it takes of the memory."""
        self.pictures.rest()
        self._work(tr("Closing a file for a while"), lambda task: self._file.rest())

    def look_again(self) -> None:
        """Somebody looks at it again."""

        def done(changed: bool) -> None:
            if changed:
                self.lost.emit(CannotShow(Why.changed, CHANGED))

        self.view.refresh()
        self._work(
            tr("Looking whether a file has changed"), lambda _: self._file.is_changed(), done
        )

    def close_file(self) -> None:
        self._rest.stop()
        self.side.highlights.keep_note()
        self.remember()
        self.finding.search.stop()
        self.pictures.close()
        self._file.close()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.BackButton:
            self.back()
        elif event.button() is Qt.MouseButton.ForwardButton:
            self.forward()
        else:
            super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.view.viewport().rect().contains(self.view.mapFromGlobal(event.globalPos())):
            self._menu().popup(event.globalPos())

    def _connect(self) -> None:
        view, side, panel = self.view, self.side, self.side.highlights
        view.moved.connect(self._moved)
        view.followed.connect(self._follow)
        view.picked.connect(self._picked)
        view.colour_wanted.connect(lambda n: self.highlight(list(Colour)[n]))
        view.copy_wanted.connect(self.copy)
        view.left.connect(self.finding.end)
        side.gone_to.connect(self.jump)
        panel.chosen.connect(self._chosen_in_list)
        panel.recoloured.connect(self.recolour)
        panel.annotated.connect(self.annotate)
        panel.removed.connect(self.remove)
        panel.export_wanted.connect(self.export_wanted)
        self.toolbar.pressed.connect(self._pressed)
        self.toolbar.page_wanted.connect(lambda page: self.jump(Spot(page)))
        self.toolbar.zoom_wanted.connect(view.set_zoom)
        self.pictures.lost.connect(self.lost)

    def _pressed(self, key: str) -> None:
        view = self.view
        {
            "panel": self.toggle_side,
            "back": self.back,
            "forward": self.forward,
            "smaller": view.zoom_out,
            "larger": view.zoom_in,
            "rotate": view.rotate,
            "dark": lambda: self.dark_chosen.emit(not view.dark),
            "find": self.find_words,
        }[key]()

    def jump(self, spot: Spot) -> None:
        """Go there, so that one can go back."""
        self._history.leave(self.view.place)
        self.view.go_to(spot)
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self._moved()

    def _return(self, place: ReadingPlace | None) -> None:
        if place:
            self.view.restore(place)
            self._moved()

    def _follow(self, link: Link) -> None:
        if link.spot:
            self.jump(link.spot)
        elif QUrl(link.address).scheme().lower() in WEB:
            QDesktopServices.openUrl(QUrl(link.address))

    def _moved(self) -> None:
        count = len(self._file.shape.sizes)
        self.toolbar.show_page(self.view.page, count)
        self.view.setAccessibleDescription(
            tr("Page {page} of {count}", page=self.view.page + 1, count=count)
        )
        self.toolbar.show_zoom(self.view.zoom, self.view.factor)
        self.toolbar.enable("back", self._history.can_go_back)
        self.toolbar.enable("forward", self._history.can_go_forward)
        self.side.show_page(self.view.page)
        self._rest.start()

    # Highlights.

    def _highlighted(self, kept: list[Highlight]) -> None:
        self.view.marks.choice = NOTHING
        if kept:
            self.load_marks(kept[-1].id)
            self.edited.emit()

    def _edit(self, title: str, work: Callable[[Task], None]) -> None:
        def done(_: None) -> None:
            self.load_marks()
            self.edited.emit()

        self._work(title, work, done)

    def _show_marked(self, marked: Marked, choose: int) -> None:
        self.marked = marked
        self.view.marks.show_highlights(marked.here)
        self.side.highlights.show_marked(marked, choose)
        self.view.refresh()

    def _picked(self, highlight: Highlight | None) -> None:
        if highlight:
            self.show_side(2)
        self.side.highlights.choose(highlight.id if highlight else 0)

    def _chosen_in_list(self, highlight: Highlight | None) -> None:
        self.view.marks.picked = highlight.id if highlight else 0
        self.view.refresh()

    def _chosen_on_one_page(self) -> str:
        choice = self.view.marks.choice
        known = self.pictures.text(choice.start.page)
        if not choice or len(choice.pages) > 1 or known is None:
            return ""
        start, end = choice.on_page(choice.start.page, len(known.letters.text))
        return " ".join(readable(known.letters.text[start:end]).split())

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chosen = bool(self.view.marks.choice)
        menu.addAction(tr("Copy"), self.copy).setEnabled(chosen)
        menu.addSeparator()
        for number, colour in enumerate(Colour, start=1):
            text = tr("Highlight: {colour}", colour=WORDS[colour])
            action = menu.addAction(swatch(colour), f"{text}\t{number}")
            action.triggered.connect(lambda _=False, colour=colour: self.highlight(colour))
            action.setEnabled(chosen or bool(self.view.marks.picked))
        menu.addAction(tr("Highlight with a note"), self.write_note).setEnabled(chosen)
        return menu

    def _work(
        self, title: str, work: Callable[[Task], T], done: Callable[[T], None] = lambda _: None
    ) -> None:
        self._jobs.run(title, work, done, lane=Lane.light)

    def restore(self, place: ReadingPlace) -> None:
        # Only once it has its size: until then, its width says nothing of its pages.
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
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.toolbar)
        column.addWidget(self.finding.bar)
        column.addWidget(split, 1)


def passages(file: OpenedFile, choice: Choice, colour: Colour, task: Task) -> list[Highlight]:
    """What is chosen, in whole words, as highlights that are not kept yet: one a page."""
    found = []
    for page in choice.pages:
        letters = file.page_text(page, task).letters
        start, end = letters.whole_words(*choice.on_page(page, len(letters.text)))
        boxes, text = letters.boxes(start, end), readable(letters.text[start:end])
        if boxes and text:
            where = (file.paper, file.shape.sha256, str(file.path), page)
            found.append(Highlight(*where, boxes, text, colour))
    return found
