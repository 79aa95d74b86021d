"""The bar below the list when several papers are chosen: how many, and what can be done to them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QWidget

from sciread_app.language import tr, trc, trn
from sciread_app.ui.flow import Flow
from sciread_app.ui.icons import icon
from sciread_app.ui.theme import Appearance, Theme, scaled, styled

# The action, and its short name here.
BUTTONS = (
    ("tag", tr("Tag")),
    ("collect", tr("Collect")),
    ("read", trc("mark as read", "Read")),
    ("edit", tr("Edit")),
    ("export", tr("Export")),
    ("trash", trc("move there", "Trash")),
)
IN_TRASH = (
    ("untrash", tr("Bring back")),
    ("delete", tr("Delete for good")),
    ("empty", tr("Empty the trash")),
)


class ChosenBar(QFrame):
    """Its buttons are actions of the menus under short names."""

    cleared = Signal()

    def __init__(
        self, actions: Mapping[str, QAction], stars: QMenu, appearance: Appearance
    ) -> None:
        super().__init__()
        self.setObjectName("chosenbar")
        self.setAccessibleName(tr("What can be done to the chosen papers"))
        self.hide()
        self.count = QLabel()
        self.count.setFont(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.buttons = {name: _button(text) for name, text in BUTTONS}
        self.buttons["rate"] = _button(tr("Rate"))
        self.buttons["rate"].setMenu(stars)
        self.in_trash = {name: _button(text) for name, text in IN_TRASH}
        for name, button in (self.buttons | self.in_trash).items():
            if name in actions:
                _tie(button, actions[name])
        self.clear = styled(QToolButton(), "link")
        self.clear.setAccessibleName(tr("Choose one only"))
        self.clear.setToolTip(tr("Choose one only"))
        self.clear.clicked.connect(self.cleared)
        self._lay_out()
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)

    def show_count(self, count: int, *, in_trash: bool) -> None:
        """One that is chosen is only read, and a bar for it would be in the way; but in the trash
        it says what the trash is for."""
        self.count.setText(trn("{n:,} chosen", "{n:,} chosen", count) if count > 1 else tr("Trash"))
        for button in self.buttons.values():
            button.setVisible(not in_trash)
        for button in self.in_trash.values():
            button.setVisible(in_trash)
        self.clear.setVisible(count > 1)
        self.setVisible(count > 1 or in_trash)

    def _lay_out(self) -> None:
        flow = Flow(0)
        for button in (*self.buttons.values(), *self.in_trash.values()):
            flow.addWidget(button)
        middle = QWidget()
        middle.setLayout(flow)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 4, 6, 4)
        row.setSpacing(8)
        row.addWidget(self.count)
        row.addWidget(middle, 1)
        row.addWidget(self.clear)

    def _paint(self, theme: Theme) -> None:
        self.clear.setIcon(icon("close", theme.quiet))


def _button(text: str) -> QPushButton:
    button = styled(QPushButton(text), "link")
    button.setAccessibleName(text)
    return button


def _tie(button: QPushButton, action: QAction) -> None:
    """The button does what the action does. (A default action would lend it its name.)"""
    keys = action.shortcut().toString()
    text = action.text().replace("&", "").rstrip("…")
    button.setToolTip(f"{text} ({keys})" if keys else text)
    button.clicked.connect(lambda: action.trigger())
