"""The button that selects how dense the list of papers is."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

from sciread_app.language import tr
from sciread_app.ui.paper_list.density import DENSITIES, Density
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme
from sciread_app.ui.widgets.rounded_popup import rounded


class DensityButton(QToolButton):
    """A menu of the densities. The page applies the selected one, also when it is restored."""

    chosen = Signal(object)  # Density

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("link")
        self.setAccessibleName(tr("Density of the list"))
        self.setToolTip(tr("Show the list as cards or as a table"))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.density = Density.comfortable
        menu = rounded(QMenu(self))
        group = QActionGroup(menu)
        self._actions = {
            density: menu.addAction(name, partial(self.choose, density))
            for density, name in DENSITIES.items()
        }
        for action in self._actions.values():
            action.setCheckable(True)
            group.addAction(action)
        self.setMenu(menu)
        self._actions[self.density].setChecked(True)
        appearance.follow(self._paint)

    def choose(self, density: Density) -> None:
        self.density = density
        self._actions[density].setChecked(True)
        self.chosen.emit(density)

    def restore(self, saved: object) -> None:
        known = {density.value: density for density in Density}
        if isinstance(saved, str) and saved in known:
            self.choose(known[saved])

    def _paint(self, theme: Theme) -> None:
        self.setIcon(icon("density", theme.accent))
