"""A row of chips that can be removed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.ui.formatting import shortened
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.layout.boxes import remove_widgets
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout

LONGEST = 45  # characters of a label that are shown
CROSS = 11  # pixels of the cross


class ChipLabel(NamedTuple):
    """The label of a chip; `key` identifies the chip when it is removed."""

    key: Hashable
    text: str


class ChipRow(QWidget):
    """Groups of chips, each behind its heading. Delete removes the chip with the focus."""

    removed = Signal(object)  # the key of a chip

    def __init__(self, name: str, appearance: Appearance) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._appearance = appearance
        self.chips: list[QPushButton] = []
        self._flow = FlowLayout(6)
        self.setLayout(self._flow)
        self.hide()
        appearance.changed.connect(self._paint)

    def show_groups(self, groups: Sequence[tuple[str, Sequence[ChipLabel]]]) -> None:
        """Show groups of chips: pairs of a heading, which may be empty, and the labels behind
        it."""
        remove_widgets(self._flow)
        self.chips = []
        for heading, labels in groups:
            if heading and labels:
                self._flow.addWidget(self._heading(heading))
            for label in labels:
                self._flow.addWidget(self._chip(label))
        self.setVisible(bool(self.chips))
        self._paint(self._appearance.theme)
        self._flow.invalidate()
        self.updateGeometry()

    def _heading(self, text: str) -> QLabel:
        heading = styled(QLabel(text), "quiet")
        heading.setFont(scaled(self.font(), 0.92))
        heading.setContentsMargins(4, 4, 0, 4)
        return heading

    def _chip(self, label: ChipLabel) -> QPushButton:
        whole = readable(label.text)
        chip = styled(_Chip(shortened(whole, LONGEST).replace("&", "&&")), "chip")
        chip.setFont(scaled(self.font(), 0.92))
        chip.setToolTip(tr("Remove {name}", name=whole))
        chip.setAccessibleName(tr("{name}, remove", name=whole))
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross is behind the text
        chip.setIconSize(QSize(CROSS, CROSS))
        chip.clicked.connect(lambda: self.removed.emit(label.key))
        self.chips.append(chip)
        return chip

    def _paint(self, theme: Theme) -> None:
        for chip in self.chips:
            chip.setIcon(icon("close", theme.quiet))


class _Chip(QPushButton):
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.click()
        else:
            super().keyPressEvent(event)
