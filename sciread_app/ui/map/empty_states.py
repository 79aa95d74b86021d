"""Empty states of the map, and the line above the map while it is updated."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QStackedWidget, QWidget

from sciread_app.language import tr, trn
from sciread_app.services.map.map_service import FEWEST, MapLayout
from sciread_app.ui.map.view_models import MapStatus
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.messages.empty_state import EmptyState

BAR = 220  # pixels


class MapEmptyStates(QWidget):
    """Shows the map, or why there is none and what to do. A line above reports progress, offers to
    resume a stopped layout, or to redraw an outdated map."""

    draw_requested = Signal()
    redraw_requested = Signal()
    cancel_requested = Signal()
    add_requested = Signal()
    fetch_requested = Signal()

    def __init__(self, appearance: Appearance, view: QWidget) -> None:
        super().__init__()
        self._status: MapStatus | None = None
        self._has_map = False
        self._busy = False
        self._unfinished = False  # it was stopped and can be resumed
        self.empty = EmptyState(appearance)
        self.empty.show_message("map", tr("Loading the map"))
        self.line = styled(QLabel(textFormat=Qt.TextFormat.PlainText), "quiet")
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedSize(BAR, 6)
        self.bar.setAccessibleName(tr("Drawing the map"))
        self.button = styled(QPushButton(), "link")
        self.button.clicked.connect(self._press)
        self._stack = QStackedWidget()
        frame = styled(QFrame(), "panel")
        column(view, parent=frame, margins=1)
        self._stack.addWidget(frame)
        self._stack.addWidget(self.empty)
        self._stack.setCurrentIndex(1)
        self._head = QWidget()
        parts = (self.line, (self.bar, 0, Qt.AlignmentFlag.AlignVCenter), self.button, 0)
        row(*parts, parent=self._head, margins=(4, 0, 4, 6), spacing=12)
        self._head.hide()
        column(self._head, (self._stack, 1), parent=self, margins=0, spacing=0)

    @property
    def shows_map(self) -> bool:
        return self._stack.currentIndex() == 0

    def show_status(self, status: MapStatus, has_map: bool) -> None:
        self._status, self._has_map = status, has_map
        self._stack.setCurrentIndex(0 if has_map else 1)
        if not self._busy:
            self._update_text()

    def show_progress(self, done: int, total: int, note: str) -> None:
        """Show the progress of the layout; an older map remains usable."""
        self._busy = True
        text = note or tr("Drawing the map")
        self.line.setText(f"{text}…")
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        self.bar.show()
        self.button.setText(tr("Stop"))
        self.button.show()
        self._head.show()
        if not self._has_map:
            self.empty.show_message(
                "map",
                tr("Drawing the map"),
                tr("Papers on similar topics are placed close together."),
            )

    def show_stopped(self) -> None:
        self._busy = False
        self._update_text()
        self._unfinished = True
        self.line.setText(tr("Drawing the map was stopped. Resume to continue."))
        self.button.setText(tr("Resume"))
        self.bar.hide()
        self.button.show()
        self._head.show()

    def show_done(self) -> None:
        self._busy = False
        self._update_text()

    def _update_text(self) -> None:
        status = self._status
        self._unfinished = False
        self.bar.hide()
        drawing = status.drawing if status else None
        self._head.setVisible(bool(drawing and drawing.outgrown and self._has_map))
        self.line.setText(_outdated_text(drawing) if drawing else "")
        self.button.setText(tr("Redraw"))
        if status is not None and not self._has_map:
            self._show_empty(status)

    def _show_empty(self, status: MapStatus) -> None:
        if not status.by_meaning:
            text = tr("The map needs a search model to place papers on similar topics together.")
            self.empty.show_message("map", tr("No search model"), text)
        elif status.papers < FEWEST:
            self.empty.show_message(
                "map",
                trn("A map needs at least {n} paper", "A map needs at least {n} papers", FEWEST),
                _too_few(status.papers),
                (
                    (tr("Import files…"), self.add_requested.emit),
                    (tr("Fetch papers…"), self.fetch_requested.emit),
                ),
            )
        elif status.with_vector < FEWEST:
            text = trn(
                "{n:,} of {papers:,} papers is indexed. The map is drawn once enough papers "
                "are indexed.",
                "{n:,} of {papers:,} papers are indexed. The map is drawn once enough papers "
                "are indexed.",
                status.with_vector,
                papers=status.papers,
            )
            self.empty.show_message("map", tr("Indexing your papers"), text)
        else:
            text = tr("Papers on similar topics are placed close together.")
            actions = ((tr("Draw map"), self.draw_requested.emit),)
            self.empty.show_message("map", tr("No map yet"), text, actions)

    def _press(self) -> None:
        if self._busy:
            self.cancel_requested.emit()
        elif self._unfinished:
            self.draw_requested.emit()
        else:
            self.redraw_requested.emit()


def _outdated_text(drawing: MapLayout) -> str:
    """The number of papers added since the last layout, and of those that fit nowhere."""
    papers = len(drawing.ids)
    text = trn(
        "{later:,} of {n:,} paper was added after the map was drawn.",
        "{later:,} of {n:,} papers were added after the map was drawn.",
        papers,
        later=drawing.later,
    )
    if not drawing.ungrouped:
        return text
    unplaced = trn("{n:,} paper fits no group.", "{n:,} papers fit no group.", drawing.ungrouped)
    return f"{text} {unplaced}"


def _too_few(papers: int) -> str:
    more = tr("Add papers to see similar papers placed close together.")
    if not papers:
        return more
    have = trn("Your library has {n} paper.", "Your library has {n} papers.", papers)
    return f"{have} {more}"
