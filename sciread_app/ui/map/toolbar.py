"""The toolbar of the map: colour scheme, tool, zoom and highlight."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QCheckBox, QLabel, QMenu, QPushButton, QToolButton, QWidget

from sciread_app.language import tr, trc, trn
from sciread_app.ui.map.canvas.view import ZOOM_STEP
from sciread_app.ui.map.options import BY, TOOLS, ColorBy, Tool
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.layout.boxes import row
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout
from sciread_app.ui.widgets.rounded_popup import rounded
from sciread_app.ui.widgets.segmented_control import SegmentedControl


class MapToolbar(QWidget):
    by_chosen = Signal(object)  # ColorBy
    tool_chosen = Signal(object)  # Tool
    zoomed = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.by = styled(QToolButton(), "link")
        self.by.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.by.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.by.setMenu(rounded(QMenu(self.by)))
        colours = QActionGroup(self.by)
        for by in ColorBy:
            action = self.by.menu().addAction(BY[by].name, partial(self.by_chosen.emit, by))
            action.setCheckable(True)
            colours.addAction(action)
        self.show_by(ColorBy.group)
        choices = [(TOOLS[tool].name, TOOLS[tool].tip) for tool in Tool]
        self.tools = SegmentedControl(tr("Mouse tool"), choices)
        self.tools.chosen.connect(lambda number: self.tool_chosen.emit(list(Tool)[number]))
        self.only = QCheckBox(tr("Hide other papers"))
        self.only.setToolTip(tr("Hide the papers that are not highlighted"))
        self.missing = styled(QLabel(), "quiet")
        self.legend = QPushButton(tr("Hide legend"))
        self.legend.setCheckable(True)
        self.legend.setChecked(True)
        self.legend.setToolTip(tr("Show or hide the legend of the colors"))
        self.legend.toggled.connect(
            lambda shown: self.legend.setText(tr("Hide legend") if shown else tr("Show legend"))
        )
        self.years = QPushButton(tr("Years"))
        self.years.setCheckable(True)
        self.years.setToolTip(tr("Show the papers of selected years"))
        self.sizes = QPushButton(tr("Size by citations"))
        self.sizes.setCheckable(True)
        self.sizes.setToolTip(tr("Draw papers with more known citations as larger points"))
        self.out = self._button("−", tr("Zoom out"), "−")
        self.out.clicked.connect(lambda: self.zoomed.emit(1 / ZOOM_STEP))
        self.closer = self._button("+", tr("Zoom in"), "+")
        self.closer.clicked.connect(lambda: self.zoomed.emit(ZOOM_STEP))
        self.whole = self._button(tr("Fit"), tr("Show the whole map"), trc("the key", "Home"))
        zoom = QWidget()
        row(self.out, self.closer, self.whole, parent=zoom, margins=0, spacing=8)
        # Wraps in a narrow window, or at 300% text size.
        flow = FlowLayout(8)
        self.setLayout(flow)
        for widget in (
            self.by,
            self.tools,
            zoom,
            self.legend,
            self.years,
            self.sizes,
            self.only,
            self.missing,
        ):
            flow.addWidget(widget)
        self.show_highlight(False, 0)

    def show_by(self, by: ColorBy) -> None:
        self.by.setText(BY[by].button)
        self.by.setAccessibleName(BY[by].action)
        self.by.menu().actions()[list(ColorBy).index(by)].setChecked(True)

    def show_highlight(self, shown: bool, missing: int) -> None:
        """`shown`: whether papers are highlighted; `missing`: how many are not on the map."""
        self.only.setVisible(shown)
        self.missing.setVisible(missing > 0)
        self.missing.setText(
            trn("{n:,} paper is not on the map", "{n:,} papers are not on the map", missing)
        )

    def _button(self, name: str, does: str, key: str) -> QPushButton:
        button = QPushButton(name)
        button.setToolTip(f"{does} ({key})")
        button.setAccessibleName(does)
        return button
