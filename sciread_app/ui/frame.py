"""How the parts of the window lie: the rail, the pages with a banner above, the foot below."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from sciread_app.language import tr
from sciread_app.ui.banner import Banner
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.foot import Foot
from sciread_app.ui.jobs import Jobs
from sciread_app.ui.rail import Rail
from sciread_app.ui.theme import Appearance


class _Pages(QStackedWidget):
    """What stands around them gets the room that it wants, and they get the rest."""

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()


class Frame(QWidget):
    def __init__(self, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self.banner = Banner(appearance)
        self.wait = EmptyState(appearance)
        self.wait.say("papers", tr("Opening the library"))
        self.pages = _Pages()
        self.pages.addWidget(self.wait)
        self.foot = Foot(jobs)
        self.rail = Rail(appearance)
        self.rail.setEnabled(False)
        # Tab goes in the order in which they come here, and round: from the rail over banner and
        # page, whatever is built on it and when, to the foot.
        for part in (self.foot, self.rail, self.banner, self.pages):
            part.setParent(self)
        banner = QVBoxLayout()
        banner.setContentsMargins(16, 8, 16, 0)
        banner.addWidget(self.banner)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addLayout(banner)
        right.addWidget(self.pages, 1)
        across = QHBoxLayout()
        across.setSpacing(0)
        across.addWidget(self.rail)
        across.addLayout(right, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addLayout(across, 1)
        self._column.addWidget(self.foot)

    def put_above_foot(self, panel: QWidget) -> None:
        self._column.insertWidget(self._column.indexOf(self.foot), panel)
