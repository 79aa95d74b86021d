"""Numbers side by side, each above its caption."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, remove_widgets
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout


class StatTiles(QWidget):
    """Numbers side by side, each above its label. They may change twice a second."""

    def __init__(self) -> None:
        super().__init__()
        self._flow = FlowLayout(10)
        self._tiles: dict[str, tuple[QWidget, QLabel]] = {}  # with its number, by label
        self.setLayout(self._flow)

    def show_tiles(self, tiles: Sequence[tuple[str, str]]) -> None:
        if [caption for _, caption in tiles] != [*self._tiles]:
            self._make(tiles)
        for value, caption in tiles:
            tile, number = self._tiles[caption]
            number.setText(value)
            tile.setAccessibleName(f"{caption}: {value}")

    def _make(self, tiles: Sequence[tuple[str, str]]) -> None:
        self._tiles = {}
        remove_widgets(self._flow)
        for value, caption in tiles:
            self._flow.addWidget(self._tile(value, caption))

    def _tile(self, value: str, caption: str) -> QWidget:
        tile = styled(QFrame(), "note")
        number, text = QLabel(value), styled(QLabel(caption), "faint")
        number.setFont(scaled(self.font(), 1.25, QFont.Weight.DemiBold))
        text.setFont(scaled(self.font(), 0.86))
        for label in (number, text):
            label.setTextFormat(Qt.TextFormat.PlainText)
        column(number, text, parent=tile, margins=(14, 9, 14, 9), spacing=1)
        tile.setMinimumWidth(112)
        self._tiles[caption] = tile, number
        return tile
