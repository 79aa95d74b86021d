"""The bar below the list when several papers are chosen: how many, and what can be done to them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QToolButton

from sciread_app.ui.icons import icon
from sciread_app.ui.theme import Appearance, Theme, scaled, styled


class ChosenBar(QFrame):
    """Its buttons are the actions of the menus under short names."""

    cleared = Signal()

    def __init__(
        self, actions: Sequence[tuple[QAction, str, str]], stars: QMenu, appearance: Appearance
    ) -> None:
        """`actions`: each with its short name and its picture. Those of the trash come later."""
        super().__init__()
        self.setObjectName("chosenbar")
        self.setAccessibleName("What can be done to the chosen papers")
        self.hide()
        self._pictures: list[tuple[QToolButton, str]] = []
        self.count = QLabel()
        self.count.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 5, 6, 5)
        row.setSpacing(2)
        row.addWidget(self.count)
        row.addSpacing(8)
        self.buttons: dict[str, QToolButton] = {}
        for action, name, picture in actions:
            row.addWidget(self._button(name, picture, action))
        rate = self._button("Rate", "star", None)
        rate.setMenu(stars)
        rate.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        row.insertWidget(4, rate)
        row.addStretch()
        self._close = self._button("Clear", "close", None)
        self._close.setToolTip("Choose none (Esc)")
        self._close.clicked.connect(self.cleared)
        row.addWidget(self._close)
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)

    def show_count(self, count: int) -> None:
        """One that is chosen is only read; a bar for each would be in the way."""
        self.count.setText(f"{count:,} chosen")
        self.setVisible(count > 1)

    def _button(self, name: str, picture: str, action: QAction | None) -> QToolButton:
        button = styled(QToolButton(), "link")
        button.setText(name)
        button.setAccessibleName(name)
        if action is not None:
            keys = action.shortcut().toString()
            button.setToolTip(action.text().replace("&", "") + (f" ({keys})" if keys else ""))
            button.clicked.connect(lambda: action.trigger())
        self._pictures.append((button, picture))
        self.buttons[name] = button
        return button

    def _paint(self, theme: Theme) -> None:
        for button, picture in self._pictures:
            button.setIcon(icon(picture, theme.accent))
