"""The bar below the list with the number of selected papers and the actions on them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QFont, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QPushButton, QToolButton

from sciread_app.language import tr, trn
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.layout.boxes import row
from sciread_app.ui.widgets.rounded_popup import rounded

SPACING = 8  # pixels between the count, the buttons and Clear selection

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
    """Its buttons trigger actions of the menus under shorter texts. Those that do not fit, from the
    last one on, are in a menu instead."""

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
        self._offered = self.buttons
        for name, button in (self.buttons | self.in_trash).items():
            if name in actions:
                _tie(button, actions[name])
        self.more = _button(tr("More"))
        self._menu = rounded(QMenu(self))
        self._stars, self._actions = stars, actions
        self.more.setMenu(self._menu)
        self.clear = styled(QToolButton(), "link")
        self.clear.setAccessibleName(tr("Clear selection"))
        self.clear.setToolTip(tr("Clear selection"))
        self._lay_out()
        appearance.follow(self._paint)

    def show_count(self, count: int, *, in_trash: bool) -> None:
        """Show the number of selected papers. The bar is hidden for a single one, which is only
        being read; in the trash it is shown for that, too, to explain the trash."""
        self.count.setText(
            trn("{n:,} selected", "{n:,} selected", count) if count > 1 else tr("Trash")
        )
        self._offered = self.in_trash if in_trash else self.buttons
        for name, button in (self.buttons | self.in_trash).items():
            button.setVisible(name in self._offered)
        self.clear.setVisible(count > 1)
        self._fold(self.width())
        self.setVisible(count > 1 or (in_trash and count > 0))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._width(0), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold(event.size().width())

    def _fold(self, width: int) -> None:
        """Show as many buttons as fit into `width` pixels, and the other actions in the menu."""
        counts = range(len(self._offered), 0, -1)
        shown = next((n for n in counts if self._width(n) <= width), 0)
        self._menu.clear()  # the actions belong to others, and stay
        for number, (name, button) in enumerate(self._offered.items()):
            button.setVisible(number < shown)
            if number >= shown and name == "rate":
                self._menu.addMenu(self._stars)
            elif number >= shown and name in self._actions:
                self._menu.addAction(self._actions[name])
        self.more.setVisible(shown < len(self._offered))

    def _width(self, shown: int) -> int:
        """The width in pixels that the bar needs for so many buttons."""
        parts = [self.count, *list(self._offered.values())[:shown]]
        parts += [self.more] if shown < len(self._offered) else []
        parts += [] if self.clear.isHidden() else [self.clear]
        edges = self.contentsMargins() + self._row.contentsMargins()
        gaps = SPACING * (1 if self.clear.isHidden() else 2) + edges.left() + edges.right()
        return sum(part.sizeHint().width() for part in parts) + gaps

    def _lay_out(self) -> None:
        buttons = row(*self.buttons.values(), *self.in_trash.values(), self.more, 1, spacing=0)
        self._row = row(
            self.count,
            (buttons, 1),
            self.clear,
            parent=self,
            margins=(14, 4, 6, 4),
            spacing=SPACING,
        )

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
