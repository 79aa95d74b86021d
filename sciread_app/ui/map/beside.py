"""What stands beside the map: the papers that stand out, and the one that is picked."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QWidget

from sciread_app.domain.paper import Paper, PaperId
from sciread_app.ui.details import DetailsPanel
from sciread_app.ui.jobs import Jobs
from sciread_app.ui.map.gathered import GatheredPanel
from sciread_app.ui.map.values import MapDesk
from sciread_app.ui.theme import Appearance


class Beside(QSplitter):
    """Not there while there is nothing to show."""

    details_made = Signal(object)  # DetailsPanel, when a paper is first picked: it takes a while

    def __init__(self, desk: MapDesk, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__(Qt.Orientation.Vertical, childrenCollapsible=False, handleWidth=10)
        self._parts = (desk, jobs, appearance)
        self.gathered = GatheredPanel(desk, jobs, appearance)
        self.addWidget(self.gathered)
        self.details: DetailsPanel | None = None
        self.gathered.hide()
        self.hide()

    @property
    def picked(self) -> Paper | None:
        """The paper whose details are shown."""
        if self.details is None or self.details.isHidden() or self.details.details is None:
            return None
        return self.details.details.paper

    def show_paper(self, paper: PaperId | None) -> None:
        if paper is None:
            if self.details:
                self.details.hide()
                self.details.show_paper(None)
        else:
            if self.details is None:
                self.details = DetailsPanel(*self._parts)
                self.addWidget(self.details)
                self._let_tab_lead_into(self.details)
                self.details_made.emit(self.details)
            self.details.show_paper(paper)
            self.details.show()
        self._fit()

    def has_focus(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    def show_gathered(self, shown: bool) -> None:
        self.gathered.setVisible(shown)
        self._fit()

    def _let_tab_lead_into(self, details: DetailsPanel) -> None:
        """What is built late would else be the last that Tab comes to, behind the whole window."""
        before: QWidget = self.gathered.list
        for stop in details.findChildren(QWidget):
            if stop.focusPolicy() & Qt.FocusPolicy.TabFocus:
                self.setTabOrder(before, stop)
                before = stop

    def _fit(self) -> None:
        details = self.details is not None and not self.details.isHidden()
        self.setVisible(details or not self.gathered.isHidden())
        if details and not self.gathered.isHidden():
            self.setSizes([self.height() // 2] * 2)
