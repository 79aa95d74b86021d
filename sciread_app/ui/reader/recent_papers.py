"""The reader without an open file: the papers read last."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QWidget

from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.services.library.reader import RecentPaper
from sciread_app.ui.formatting import authors, when
from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.widgets.focus import holds_focus
from sciread_app.ui.widgets.layout.boxes import column, remove_widgets, row
from sciread_app.ui.widgets.text.labels import ElidedLabel

WIDTH = 640  # pixels, at most


class RecentPapers(QScrollArea):
    """A button for each paper; those whose files are missing can be removed from the list."""

    selected = Signal(object)  # RecentPaper, to open
    removed = Signal(object)  # RecentPaper, to leave out of the list from now on

    def __init__(self) -> None:
        super().__init__(widgetResizable=True)
        self.setAccessibleName(tr("Recently read papers"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        title = QLabel(tr("Recently read"))
        title.setFont(scaled(self.font(), 1.35, QFont.Weight.DemiBold))
        self._rows = column(margins=0, spacing=8)
        self._recent: list[_Recent] = []
        self.library = QPushButton(tr("Go to library"))
        middle = QWidget()
        middle.setMaximumWidth(WIDTH)
        foot = row(self.library, 1, margins=(0, 8, 0, 0))
        column(title, self._rows, foot, 1, parent=middle, margins=(12, 24, 12, 16), spacing=12)
        sheet = styled(QWidget(), "column")
        row(1, (middle, 100), 1, parent=sheet, margins=0)
        self.setWidget(sheet)

    def show_papers(self, papers: Sequence[RecentPaper]) -> None:
        """List these papers, in their order, and keep the focus in the list."""
        focused = holds_focus(self)
        remove_widgets(self._rows)
        self._recent = [_Recent(recent) for recent in papers]
        for recent, one in zip(papers, self._recent, strict=True):
            use = self.removed if recent.missing else self.selected
            one.usable_button.clicked.connect(lambda _=False, use=use, r=recent: use.emit(r))
            self._rows.addWidget(one)
        if focused:
            self.take_focus()

    def buttons(self) -> list[QPushButton]:
        """The buttons that can be pressed, from top to bottom."""
        return [*(one.usable_button for one in self._recent), self.library]

    def take_focus(self) -> None:
        self.buttons()[0].setFocus(Qt.FocusReason.OtherFocusReason)


class _Recent(QWidget):
    def __init__(self, recent: RecentPaper) -> None:
        super().__init__()
        now, paper = datetime.now(), recent.paper
        title, names = readable(paper.title), authors(paper)
        page = tr("Page {page}", page=recent.page + 1)
        if recent.pages:
            page = tr("Page {page} of {count}", page=recent.page + 1, count=recent.pages)
        place = f"{page} · {when(recent.at, now)}"
        if recent.missing:
            place = tr("The file {file} is missing.", file=recent.path)
        button = _Button(title, names, place)
        self.usable_button: QPushButton = button
        parts = row((button, 1), parent=self, margins=0, spacing=8)
        if recent.missing:
            button.setEnabled(False)
            self.usable_button = QPushButton(tr("Remove from list"))
            self.usable_button.setAccessibleDescription(title)
            parts.addWidget(self.usable_button)


class _Button(QPushButton):
    """A large button with a title and two lines."""

    def __init__(self, title: str, names: str, place: str) -> None:
        super().__init__()
        self.setObjectName("method")
        self.setAccessibleName(title)
        self.setAccessibleDescription(f"{names}. {place}")
        heading = ElidedLabel(title)
        heading.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        lines = (heading, ElidedLabel(names), styled(ElidedLabel(place), "quiet"))
        self._lines = column(*lines, parent=self, margins=(16, 10, 16, 10), spacing=2)
        for label in lines:
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def sizeHint(self) -> QSize:
        return self._lines.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._lines.minimumSize()
