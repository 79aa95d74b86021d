"""The list of highlighted papers, with its actions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
)

from sciread_app.domain.paper import PaperId
from sciread_app.language import tr, trn
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.paper_list.paper_list import CardSource, PaperList, PaperModel
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.view_models import ResultList
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout


class SelectionPanel(QFrame):
    list_requested = Signal()
    collect_requested = Signal()
    tag_requested = Signal()
    similar_requested = Signal()
    only_requested = Signal(bool)  # whether to hide all other papers
    cleared = Signal()
    current_changed = Signal(object)  # PaperId

    def __init__(self, source: CardSource, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAccessibleName(tr("Papers that stand out on the map"))
        self.ids: tuple[PaperId, ...] = ()
        self.title = QLabel(wordWrap=True)
        self.title.setFont(scaled(self.font(), 1.05, QFont.Weight.DemiBold))
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.count = styled(QLabel(), "quiet")
        self.model = PaperModel(source, jobs, self)
        self.list = PaperList(self.model, appearance)
        self.list.setAccessibleName(tr("Papers that stand out"))
        self.list.current_changed.connect(self._select)
        self.list.escaped.connect(self.cleared)
        self.list_button = self._button(tr("Open as list"), tr("Show them on the search page"))
        self.collect = self._button(tr("Add to collection…"), tr("Put them into a collection"))
        self.tag = self._button(tr("Tag…"), tr("Give them a tag"))
        self.similar = self._button(tr("Light up similar"), tr("Let papers like these stand out"))
        self.only = QCheckBox(tr("Only these on the map"))
        self.only.toggled.connect(self.only_requested)
        self.close_button = styled(QToolButton(), "link")
        self.close_button.setAccessibleName(tr("Let nothing stand out"))
        self.close_button.setToolTip(tr("Let nothing stand out (Esc)"))
        self._lay_out()
        for button, signal in (
            (self.list_button, self.list_requested),
            (self.collect, self.collect_requested),
            (self.tag, self.tag_requested),
            (self.similar, self.similar_requested),
            (self.close_button, self.cleared),
        ):
            button.clicked.connect(lambda _=False, signal=signal: signal.emit())
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)

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
        head = QHBoxLayout()
        names = QVBoxLayout()
        names.setSpacing(1)
        names.addWidget(self.title)
        names.addWidget(self.count)
        head.addLayout(names, 1)
        head.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        buttons = FlowLayout(6)
        for button in (self.list_button, self.collect, self.tag, self.similar):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 8, 8)
        column.setSpacing(9)
        column.addLayout(head)
        column.addLayout(buttons)
        column.addWidget(self.only)
        column.addWidget(self.list, 1)

    def _paint(self, theme: Theme) -> None:
        self.close_button.setIcon(icon("close", theme.accent))
