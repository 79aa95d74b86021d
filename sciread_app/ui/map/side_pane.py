"""The pane next to the map: highlighted papers and the details of the current one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QLabel,
    QPushButton,
    QSplitter,
    QToolButton,
    QWidget,
)

from sciread_app.domain.paper import Paper, PaperId
from sciread_app.language import tr, trn
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.paper.details_panel import DetailsPanel
from sciread_app.ui.paper_list.paper_list import CardSource, PaperList, PaperModel
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.view_models import ResultList
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout

if TYPE_CHECKING:
    from sciread_app.ui.map.gateway import MapServices


class SelectionPanel(QFrame):
    current_changed = Signal(object)  # PaperId

    def __init__(self, source: CardSource, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAccessibleName(tr("Highlighted papers on the map"))
        self.ids: tuple[PaperId, ...] = ()
        self.title = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.title.setFont(scaled(self.font(), 1.05, QFont.Weight.DemiBold))
        self.count = styled(QLabel(), "quiet")
        self.model = PaperModel(source, jobs, self)
        self.list = PaperList(self.model, appearance)
        self.list.setAccessibleName(tr("Highlighted papers"))
        self.list.current_changed.connect(self._select)
        self.list_button = self._button(
            tr("Open as list"), tr("Show the highlighted papers on the search page")
        )
        self.collect = self._button(
            tr("Add to collection…"), tr("Add the highlighted papers to a collection")
        )
        self.tag = self._button(tr("Tag…"), tr("Tag the highlighted papers"))
        self.similar = self._button(
            tr("Highlight similar"), tr("Add similar papers to the highlight")
        )
        self.only = QCheckBox(tr("Hide other papers"))
        self.close_button = styled(QToolButton(), "link")
        self.close_button.setAccessibleName(tr("Clear highlight"))
        self.close_button.setToolTip(tr("Clear highlight (Esc)"))
        self._lay_out()
        appearance.follow(self._paint)

    def show_papers(self, ids: Sequence[PaperId], title: str, missing: int = 0) -> None:
        """`missing`: number of papers that are not on the map."""
        self.ids = tuple(ids)
        self.title.setText(title)
        counts = [trn("{n:,} paper", "{n:,} papers", len(ids))]
        if missing:
            # Translators: of the papers that were counted just before
            counts.append(trn("{n:,} not on the map yet", "{n:,} not on the map yet", missing))
        self.count.setText(", ".join(counts))
        self.list.show_listing(ResultList(self.ids, len(self.ids)))

    def _select(self, paper: PaperId | None) -> None:
        if paper is not None:
            self.current_changed.emit(paper)

    def _button(self, name: str, tip: str) -> QPushButton:
        button = QPushButton(name)
        button.setToolTip(tip)
        return button

    def _lay_out(self) -> None:
        names = column(self.title, self.count, spacing=1)
        head = row((names, 1), (self.close_button, 0, Qt.AlignmentFlag.AlignTop))
        buttons = FlowLayout(6)
        for button in (self.list_button, self.collect, self.tag, self.similar):
            buttons.addWidget(button)
        parts = (head, buttons, self.only, (self.list, 1))
        column(*parts, parent=self, margins=(14, 12, 8, 8), spacing=9)

    def _paint(self, theme: Theme) -> None:
        self.close_button.setIcon(icon("close", theme.accent))


class SidePane(QSplitter):
    """A pane that is hidden while it is empty."""

    # DetailsPanel; created with the first current paper, since that is slow
    details_made = Signal(object)

    def __init__(self, gateway: MapServices, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__(Qt.Orientation.Vertical, childrenCollapsible=False, handleWidth=10)
        self._parts = (gateway, jobs, appearance)
        self.selection = SelectionPanel(gateway, jobs, appearance)
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
