"""The line above the map: what it is coloured by, what dragging does, and how near one is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton, QWidget

from sciread_app.ui.flow import Flow
from sciread_app.ui.map.choices import By, Tool
from sciread_app.ui.map.view import CLOSER
from sciread_app.ui.segments import Segments
from sciread_app.ui.theme import styled

TIPS = {
    Tool.move: "Drag to move about; hold Shift to draw around papers",
    Tool.box: "Drag a rectangle around papers",
    Tool.lasso: "Draw a line around papers",
}


class MapBar(QWidget):
    by_chosen = Signal(object)  # By
    tool_chosen = Signal(object)  # Tool
    zoomed = Signal(float)
    whole_wanted = Signal()
    found_wanted = Signal()
    legend_toggled = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.by = styled(QToolButton(), "link")
        self.by.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.by.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.by.setMenu(QMenu(self.by))
        for by in By:
            self.by.menu().addAction(by.value, partial(self.by_chosen.emit, by))
        self.show_by(By.group)
        self.tools = Segments("What dragging does", [(t.value, TIPS[t]) for t in Tool])
        self.tools.chosen.connect(lambda number: self.tool_chosen.emit(list(Tool)[number]))
        self.found = QPushButton("Light up search results")
        self.found.setToolTip("Let what was searched for last stand out")
        self.found.clicked.connect(lambda: self.found_wanted.emit())
        self.legend = QPushButton("Hide legend")
        self.legend.setCheckable(True)
        self.legend.setChecked(True)
        self.legend.setToolTip("What the colours mean")
        self.legend.toggled.connect(self._toggle_legend)
        self.out = self._button("−", "Zoom out (−)", lambda: self.zoomed.emit(1 / CLOSER))
        self.closer = self._button("+", "Zoom in (+)", lambda: self.zoomed.emit(CLOSER))
        self.whole = self._button("Whole map", "See the whole map (0)", self.whole_wanted.emit)
        # In as many lines as a narrow window, or one at 300 %, makes of them.
        row = Flow(8)
        self.setLayout(row)
        for widget in (
            *(self.by, self.tools, self.found),
            *(self.legend, self.out, self.closer, self.whole),
        ):
            row.addWidget(widget)

    def show_by(self, by: By) -> None:
        self.by.setText(f"Colour by: {by.value.lower()} ▾")
        self.by.setAccessibleName(f"Colour by {by.value.lower()}")

    def _toggle_legend(self, shown: bool) -> None:
        self.legend.setText("Hide legend" if shown else "Show legend")
        self.legend_toggled.emit(shown)

    def _button(self, name: str, tip: str, do: Callable[[], object]) -> QPushButton:
        button = QPushButton(name)
        button.setToolTip(tip)
        button.setAccessibleName(tip.split(" (")[0])
        button.clicked.connect(lambda: do())
        return button
