"""A section below a button that shows and hides it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QPushButton, QWidget

from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column


class CollapsibleSection(QWidget):
    """Something long below a button that shows it."""

    def __init__(self, title: str, inside: QWidget, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.inside = inside
        self.button = styled(QPushButton(title), "flush")
        self.button.setCheckable(True)
        self.button.setFont(scaled(self.font(), 1.08, QFont.Weight.DemiBold))
        self.button.toggled.connect(self._toggle)
        button = (self.button, 0, Qt.AlignmentFlag.AlignLeft)
        column(button, inside, parent=self, margins=0, spacing=8)
        appearance.changed.connect(self._paint)
        self._toggle(False)

    def _toggle(self, shown: bool) -> None:
        self.inside.setVisible(shown)
        self._paint(self._appearance.theme)

    def _paint(self, theme: Theme) -> None:
        name = "unfolded" if self.button.isChecked() else "folded"
        self.button.setIcon(icon(name, theme.accent))
