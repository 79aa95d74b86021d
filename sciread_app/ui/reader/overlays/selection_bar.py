"""The bar at selected text or a selected area: highlight, add a note, copy, or search."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from sciread_app.domain.annotations.annotations import Colour
from sciread_app.language import tr
from sciread_app.ui.reader.highlight_colours import HIGHLIGHT_IN, colour_button
from sciread_app.ui.reader.overlays.overlay import Overlay
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled
from sciread_app.ui.widgets.layout.boxes import row

# Icon and tooltip of each button after the colors; those of text and those of an area
_BUTTONS = {
    "note": ("edit", tr("Highlight and add note (Ctrl+M)")),
    "copy": ("copy", tr("Copy (Ctrl+C)")),
    "cite": ("citations", tr("Copy with citation (Ctrl+Shift+C)")),
    "search": ("search", tr("Search the library for the selected text")),
    "image": ("copy", tr("Copy image (Ctrl+C)")),
}
_OF_TEXT, _OF_AREA = ("copy", "cite", "search"), ("image",)


class SelectionBar(Overlay):
    """Buttons for the colors and for other actions on the selection, which they only request."""

    colour_requested = Signal(object)  # Colour
    pressed = Signal(str)  # the key of a button

    def __init__(self, parent: QWidget, pages: QWidget, appearance: Appearance) -> None:
        super().__init__(parent, pages)
        self._buttons = {key: self._button(key) for key in _BUTTONS}
        colours = [self._colour(n, colour) for n, colour in enumerate(Colour, start=1)]
        row(*colours, *self._buttons.values(), parent=self, margins=3, spacing=0)
        self.offer(area=False)
        appearance.follow(self._paint)

    def offer(self, *, area: bool) -> None:
        """Offer what can be done with an area, or else with text."""
        self.setAccessibleName(tr("Selected area") if area else tr("Selected text"))
        for key in _OF_TEXT:
            self._buttons[key].setVisible(not area)
        for key in _OF_AREA:
            self._buttons[key].setVisible(area)

    def tab_stops(self) -> list[QToolButton]:
        return self.findChildren(QToolButton)

    def _colour(self, number: int, colour: Colour) -> QToolButton:
        button = colour_button(colour, f"{HIGHLIGHT_IN[colour]} ({number})")
        button.clicked.connect(lambda: self.colour_requested.emit(colour))
        return button

    def _button(self, key: str) -> QToolButton:
        button = styled(QToolButton(), "link")
        button.setToolTip(_BUTTONS[key][1])
        button.setAccessibleName(_BUTTONS[key][1])
        button.setIconSize(QSize(18, 18))
        button.clicked.connect(lambda: self.pressed.emit(key))
        return button

    def _paint(self, theme: Theme) -> None:
        for key, button in self._buttons.items():
            button.setIcon(icon(_BUTTONS[key][0], theme.text))
