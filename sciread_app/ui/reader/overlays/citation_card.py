"""The card at a citation under the mouse: the cited paper, or its reference."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFont
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.services.library.reader import CitedPaper
from sciread_app.ui.formatting import authors, shortened
from sciread_app.ui.reader.overlays.overlay import Overlay
from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row

WIDTH = 400  # pixels
LONGEST = 500  # characters of a reference


class CitationCard(Overlay):
    """Names the cited paper and offers to read it or show it in the library. A paper that is not in
    the library is shown as its reference, and can be added if that has an identifier."""

    open_requested = Signal(object)  # CitedPaper with a paper
    add_requested = Signal(str)  # an identifier, as text
    mouse_entered = Signal()  # by the mouse
    mouse_left = Signal()

    def __init__(self, parent: QWidget, pages: QWidget) -> None:
        super().__init__(parent, pages)
        self._cited: CitedPaper | None = None
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.title = self._label()
        self.title.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.authors = self._label()
        self.place = styled(self._label(), "quiet")
        self.text = self._label()
        self.missing = styled(QLabel(tr("Not in the library")), "quiet")
        self.open = styled(QPushButton(), "flush")
        self.open.clicked.connect(lambda: self.open_requested.emit(self._cited))
        self.add = styled(QPushButton(tr("Add to library")), "flush")
        self.add.clicked.connect(self._add)
        parts = (self.title, self.authors, self.place, self.text, self.missing)
        buttons = row(self.open, self.add, 1, margins=0, spacing=0)
        self._lines = column(*parts, buttons, parent=self, margins=(12, 10, 12, 8), spacing=3)

    def show_cited(self, cited: CitedPaper) -> None:
        """Fill in the paper, or else the reference. `show_beside` then shows the card."""
        self._cited = cited
        paper = cited.paper
        if paper:
            self.title.setText(readable(paper.title))
            self.authors.setText(authors(paper))
            year = str(paper.year) if paper.year else ""
            self.place.setText(" · ".join(filter(None, (readable(paper.venue), year))))
            self.open.setText(tr("Read PDF") if cited.path else tr("Show in library"))
        else:
            self.text.setText(shortened(cited.text, LONGEST))
        for label in (self.title, self.authors, self.place):
            label.setVisible(paper is not None and bool(label.text()))
        self.text.setVisible(paper is None)
        self.missing.setVisible(paper is None)
        self.open.setVisible(paper is not None)
        self.add.setVisible(paper is None and cited.identifier is not None)
        self.setAccessibleName(self.title.text() if paper else cited.text)
        self._lines.activate()
        self.setFixedSize(WIDTH, self._lines.totalHeightForWidth(WIDTH))

    def take_focus(self) -> None:
        """Focus the button for the paper, or the card itself if it has none."""
        buttons = (button for button in (self.open, self.add) if not button.isHidden())
        next(buttons, self).setFocus(Qt.FocusReason.OtherFocusReason)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.mouse_entered.emit()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.mouse_left.emit()

    def _add(self) -> None:
        if self._cited and (name := self._cited.identifier):
            self.add_requested.emit(f"{name.kind}:{name.value}")

    def _label(self) -> QLabel:
        return QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
