"""The bar below the list when several papers are chosen: how many, and what can be done to them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from sciread_app.ui.flow import Flow
from sciread_app.ui.icons import icon
from sciread_app.ui.theme import Appearance, Theme, scaled, styled

# The action, its short name here, and its picture; those of the trash come last.
BUTTONS = (
    ("tag", "Tag", "tag"),
    ("collect", "Collect", "collection"),
    ("read", "Read", "read"),
    ("edit", "Edit", "edit"),
    ("export", "Export", "export"),
    ("trash", "Trash", "trash"),
)
IN_TRASH = (
    ("untrash", "Bring back", "back"),
    ("delete", "Delete for good", "remove"),
    ("empty", "Empty the trash", "trash"),
)


class ChosenBar(QFrame):
    """Its buttons are actions of the menus under short names."""

    cleared = Signal()

    def __init__(
        self, actions: Mapping[str, QAction], stars: QMenu, appearance: Appearance
    ) -> None:
        super().__init__()
        self.setObjectName("chosenbar")
        self.setAccessibleName("What can be done to the chosen papers")
        self.hide()
        self._pictures: list[tuple[QToolButton, str]] = []
        self.count = QLabel()
        self.count.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.buttons = {name: self._button(text, picture) for name, text, picture in BUTTONS}
        self.buttons["rate"] = self._button("Rate", "star")
        self.buttons["rate"].setMenu(stars)
        self.buttons["rate"].setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.in_trash = {name: self._button(text, picture) for name, text, picture in IN_TRASH}
        for name, button in (self.buttons | self.in_trash).items():
            if name in actions:
                _tie(button, actions[name])
        self.clear = self._button("", "close")
        self.clear.setAccessibleName("Choose one only")
        self.clear.setToolTip("Choose one only")
        self.clear.clicked.connect(self.cleared)
        self._lay_out()
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)

    def show_count(self, count: int, *, in_trash: bool) -> None:
        """One that is chosen is only read, and a bar for it would be in the way; but in the trash
        it says what the trash is for."""
        self.count.setText(f"{count:,} chosen" if count > 1 else "Trash")
        for button in self.buttons.values():
            button.setVisible(not in_trash)
        for button in self.in_trash.values():
            button.setVisible(in_trash)
        self.clear.setVisible(count > 1)
        self.setVisible(count > 1 or in_trash)

    def _lay_out(self) -> None:
        flow = Flow(0)
        first = [self.buttons[name] for name in ("tag", "collect", "rate")]
        rest = [one for one in self.buttons.values() if one not in first]
        for button in (*first, *rest, *self.in_trash.values()):
            flow.addWidget(button)
        middle = QWidget()
        middle.setLayout(flow)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 4, 6, 4)
        row.setSpacing(8)
        row.addWidget(self.count)
        row.addWidget(middle, 1)
        row.addWidget(self.clear)

    def _button(self, text: str, picture: str) -> QToolButton:
        button = styled(QToolButton(), "link")
        button.setText(text)
        button.setAccessibleName(text)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if text:
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._pictures.append((button, picture))
        return button

    def _paint(self, theme: Theme) -> None:
        for button, picture in self._pictures:
            button.setIcon(icon(picture, theme.accent))


def _tie(button: QToolButton, action: QAction) -> None:
    """The button does what the action does. (A default action would lend it its name.)"""
    keys = action.shortcut().toString()
    text = action.text().replace("&", "").rstrip("…")
    button.setToolTip(f"{text} ({keys})" if keys else text)
    button.clicked.connect(lambda: action.trigger())
