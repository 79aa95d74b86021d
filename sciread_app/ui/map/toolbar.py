"""The toolbar of the map: color scheme, mouse tool, and what is shown."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QLabel, QMenu, QToolButton, QWidget

from sciread_app.language import tr, trn
from sciread_app.ui.map.options import BY, TOOLS, ColorBy, Tool
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout
from sciread_app.ui.widgets.rounded_popup import rounded
from sciread_app.ui.widgets.segmented_control import SegmentedControl


class MapToolbar(QWidget):
    """Menus and buttons that choose the color scheme and the mouse tool; the actions of the menu
    Show keep the other options and are read by the panel."""

    color_by_changed = Signal(object)  # ColorBy
    tool_selected = Signal(object)  # Tool

    def __init__(self) -> None:
        super().__init__()
        self.by = _menu_button()
        colours = QActionGroup(self.by)
        for by in ColorBy:
            action = self.by.menu().addAction(BY[by].name, partial(self.color_by_changed.emit, by))
            action.setCheckable(True)
            colours.addAction(action)
        self.show_by(ColorBy.group)
        choices = [(TOOLS[tool].name, TOOLS[tool].tip) for tool in Tool]
        self.tools = SegmentedControl(tr("Mouse tool"), choices)
        self.tools.selected.connect(lambda number: self.tool_selected.emit(list(Tool)[number]))
        self.options = _menu_button()
        self.options.setText(tr("Show ▾"))
        self.options.setAccessibleName(tr("Show"))
        self.options.menu().setToolTipsVisible(True)
        self.legend = self._option(tr("Legend"), tr("Explain the colors"))
        self.legend.setChecked(True)
        self.years = self._option(tr("Years"), tr("Show the papers of selected years"))
        self.sizes = self._option(
            tr("Size by citations"), tr("Draw papers with more known citations as larger points")
        )
        self.only = self._option(
            tr("Highlighted papers only"), tr("Hide the papers that are not highlighted")
        )
        self.missing = styled(QLabel(), "quiet")
        flow = FlowLayout(8)  # wraps at 300% text size
        self.setLayout(flow)
        for widget in (self.by, self.tools, self.options, self.missing):
            flow.addWidget(widget)
        self.show_highlight(False, 0)

    def show_by(self, by: ColorBy) -> None:
        self.by.setText(BY[by].button)
        self.by.setAccessibleName(BY[by].action)
        self.by.menu().actions()[list(ColorBy).index(by)].setChecked(True)

    def show_highlight(self, shown: bool, missing: int) -> None:
        """`shown`: whether papers are highlighted; `missing`: how many are not on the map."""
        self.only.setEnabled(shown)
        self.missing.setVisible(missing > 0)
        self.missing.setText(
            trn("{n:,} paper is not on the map", "{n:,} papers are not on the map", missing)
        )

    def _option(self, name: str, does: str) -> QAction:
        option = self.options.menu().addAction(name)
        option.setCheckable(True)
        option.setToolTip(does)
        return option


def _menu_button() -> QToolButton:
    button = styled(QToolButton(), "link")
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    button.setMenu(rounded(QMenu(button)))
    return button
