"""The pane next to the map: highlighted papers and the details of the current one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QWidget

from sciread_app.domain.paper import Paper, PaperId
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.map.selection_panel import SelectionPanel
from sciread_app.ui.map.view_models import MapServices
from sciread_app.ui.paper.details_panel import DetailsPanel
from sciread_app.ui.style.theme import Appearance


class SidePane(QSplitter):
    """A pane that is hidden while it is empty."""

    # DetailsPanel; created with the first current paper, since that is slow
    details_made = Signal(object)

    def __init__(self, desk: MapServices, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__(Qt.Orientation.Vertical, childrenCollapsible=False, handleWidth=10)
        self._parts = (desk, jobs, appearance)
        self.selection = SelectionPanel(desk, jobs, appearance)
        self.addWidget(self.selection)
        self.details: DetailsPanel | None = None
        self.selection.hide()
        self.hide()

    @property
    def picked(self) -> Paper | None:
        """The paper shown in the details."""
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
                self._set_tab_order(self.details)
                self.details_made.emit(self.details)
            self.details.show_paper(paper)
            self.details.show()
        self._fit()

    def has_focus(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    def show_selection(self, shown: bool) -> None:
        self.selection.setVisible(shown)
        self._fit()

    def _set_tab_order(self, details: DetailsPanel) -> None:
        """Lazily created widgets land at the end of the tab order; move them after the list."""
        before: QWidget = self.selection.list
        for stop in details.findChildren(QWidget):
            if stop.focusPolicy() & Qt.FocusPolicy.TabFocus:
                self.setTabOrder(before, stop)
                before = stop

    def _fit(self) -> None:
        details = self.details is not None and not self.details.isHidden()
        self.setVisible(details or not self.selection.isHidden())
        if details and not self.selection.isHidden():
            self.setSizes([self.height() // 2] * 2)
