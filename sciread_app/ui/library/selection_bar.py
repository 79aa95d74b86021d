"""The bar below the list with the number of selected papers and the actions on them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QPushButton, QToolButton, QWidget

from sciread_app.language import tr, trn
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.layout.boxes import row
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout

# The action, and its short text here
BUTTONS = (
    ("tag", tr("Tag")),
    ("collect", tr("Add to collection")),
    ("read", tr("Mark as read")),
    ("edit", tr("Edit")),
    ("export", tr("Export")),
    ("trash", tr("Move to Trash")),
)
IN_TRASH = (
    ("untrash", tr("Restore")),
    ("delete", tr("Delete permanently")),
    ("empty", tr("Empty Trash")),
)


class PaperSelectionBar(QFrame):
    """Its buttons trigger actions of the menus under shorter texts."""

    cleared = Signal()

    def __init__(
        self, actions: Mapping[str, QAction], stars: QMenu, appearance: Appearance
    ) -> None:
        super().__init__()
        self.setObjectName("chosenbar")
        self.setAccessibleName(tr("Actions for the selected papers"))
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
        self.clear.setAccessibleName(tr("Clear selection"))
        self.clear.setToolTip(tr("Clear selection"))
        self.clear.clicked.connect(self.cleared)
        self._lay_out()
        appearance.follow(self._paint)

    def show_count(self, count: int, *, in_trash: bool) -> None:
        """Show the number of selected papers. The bar is hidden for a single one, which is only
        being read; in the trash it is shown for that, too, to explain the trash."""
        self.count.setText(
            trn("{n:,} selected", "{n:,} selected", count) if count > 1 else tr("Trash")
        )
        for button in self.buttons.values():
            button.setVisible(not in_trash)
        for button in self.in_trash.values():
            button.setVisible(in_trash)
        self.clear.setVisible(count > 1)
        self.setVisible(count > 1 or (in_trash and count > 0))

    def _lay_out(self) -> None:
        flow = FlowLayout(0)
        for button in (*self.buttons.values(), *self.in_trash.values()):
            flow.addWidget(button)
        middle = QWidget()
        middle.setLayout(flow)
        row(self.count, (middle, 1), self.clear, parent=self, margins=(14, 4, 6, 4), spacing=8)

    def _paint(self, theme: Theme) -> None:
        self.clear.setIcon(icon("close", theme.quiet))


def _button(text: str) -> QPushButton:
    button = styled(QPushButton(text), "link")
    button.setAccessibleName(text)
    return button


def _tie(button: QPushButton, action: QAction) -> None:
    """Let the button trigger the action. (A default action would replace the button's text.)"""
    keys = action.shortcut().toString()
    text = action.text().replace("&", "").rstrip("…")
    button.setToolTip(f"{text} ({keys})" if keys else text)
    button.clicked.connect(lambda: action.trigger())
