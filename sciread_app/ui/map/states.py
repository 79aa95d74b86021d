"""What stands where the map would be until there is one, and the line above it while it changes."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from sciread_app.language import tr, trn
from sciread_app.services.atlas import FEWEST, Drawing
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.map.values import Survey
from sciread_app.ui.theme import Appearance, styled

BAR = 220  # pixels


class States(QWidget):
    draw_wanted = Signal()
    anew_wanted = Signal()
    cancel_wanted = Signal()
    add_wanted = Signal()
    fetch_wanted = Signal()

    def __init__(self, appearance: Appearance, view: QWidget) -> None:
        super().__init__()
        self._survey: Survey | None = None
        self._has_map = False
        self._busy = False
        self._unfinished = False  # it was stopped, and can be gone on with
        self.empty = EmptyState(appearance)
        self.empty.say("map", tr("Opening the map"))
        self.line = styled(QLabel(), "quiet")
        self.line.setTextFormat(Qt.TextFormat.PlainText)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedSize(BAR, 6)
        self.bar.setAccessibleName(tr("Drawing the map"))
        self.button = styled(QPushButton(), "link")
        self.button.clicked.connect(self._press)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._framed(view))
        self._stack.addWidget(self.empty)
        self._stack.setCurrentIndex(1)
        self._head = QWidget()
        row = QHBoxLayout(self._head)
        row.setContentsMargins(4, 0, 4, 6)
        row.setSpacing(12)
        row.addWidget(self.line)
        row.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.button)
        row.addStretch()
        self._head.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head)
        column.addWidget(self._stack, 1)

    @property
    def shows_map(self) -> bool:
        return self._stack.currentIndex() == 0

    def show_survey(self, survey: Survey, has_map: bool) -> None:
        self._survey, self._has_map = survey, has_map
        self._stack.setCurrentIndex(0 if has_map else 1)
        if not self._busy:
            self._say()

    def show_progress(self, done: int, total: int, note: str) -> None:
        """The map is being drawn; an older one stays to be used."""
        self._busy = True
        doing = note or tr("Drawing the map")
        self.line.setText(f"{doing}…")
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        self.bar.show()
        self.button.setText(tr("Stop"))
        self.button.show()
        self._head.show()
        if not self._has_map:
            self.empty.say(
                "map",
                tr("Drawing the map"),
                tr("Papers that mean about the same come together."),
            )

    def show_stopped(self) -> None:
        self._busy = False
        self._say()
        self._unfinished = True
        self.line.setText(tr("The map was not finished. Started again, it goes on from there."))
        self.button.setText(tr("Go on"))
        self.bar.hide()
        self.button.show()
        self._head.show()

    def show_done(self) -> None:
        self._busy = False
        self._say()

    def _say(self) -> None:
        survey = self._survey
        self._unfinished = False
        self.bar.hide()
        drawing = survey.drawing if survey else None
        self._head.setVisible(bool(drawing and drawing.outgrown and self._has_map))
        self.line.setText(_outgrown(drawing) if drawing else "")
        self.button.setText(tr("Redraw the map"))
        if survey is not None and not self._has_map:
            self._say_empty(survey)

    def _say_empty(self, survey: Survey) -> None:
        if not survey.by_meaning:
            text = tr("The map shows which papers mean about the same, and only a model can tell.")
            self.empty.say("map", tr("There is no model to draw a map with"), text)
        elif survey.papers < FEWEST:
            self.empty.say(
                "map",
                trn("A map needs {n} paper", "A map needs {n} papers", FEWEST),
                _too_few(survey.papers),
                (
                    (tr("Add files…"), self.add_wanted.emit),
                    (tr("Fetch papers…"), self.fetch_wanted.emit),
                ),
            )
        elif survey.with_vector < FEWEST:
            text = trn(
                "{n:,} of {papers:,} papers has been read until now. "
                "The map is drawn as soon as there are more.",
                "{n:,} of {papers:,} papers have been read until now. "
                "The map is drawn as soon as there are more.",
                survey.with_vector,
                papers=survey.papers,
            )
            self.empty.say("map", tr("The model is reading your papers"), text)
        else:
            text = tr("Papers that mean about the same come together.")
            actions = ((tr("Draw the map"), self.draw_wanted.emit),)
            self.empty.say("map", tr("The map is not drawn yet"), text, actions)

    def _press(self) -> None:
        if self._busy:
            self.cancel_wanted.emit()
        elif self._unfinished:
            self.draw_wanted.emit()
        else:
            self.anew_wanted.emit()

    def _framed(self, view: QWidget) -> QFrame:
        frame = QFrame()
        frame.setObjectName("panel")
        column = QVBoxLayout(frame)
        column.setContentsMargins(1, 1, 1, 1)
        column.addWidget(view)
        return frame


def _outgrown(drawing: Drawing) -> str:
    """How much has come since the map was drawn, and how much of it fits nowhere."""
    papers = len(drawing.ids)
    said = trn(
        "{later:,} of {n:,} paper was added after this map was drawn.",
        "{later:,} of {n:,} papers were added after this map was drawn.",
        papers,
        later=drawing.later,
    )
    if not drawing.ungrouped:
        return said
    astray = trn(
        "{n:,} fits none of its groups.", "{n:,} fit none of its groups.", drawing.ungrouped
    )
    return f"{said} {astray}"


def _too_few(papers: int) -> str:
    more = tr("Add more, and papers that mean about the same will lie together.")
    if not papers:
        return more
    have = trn("There is {n} so far.", "There are {n} so far.", papers)
    return f"{have} {more}"
