"""A dialog that adds one paper by its identifier or its title."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QDialog, QWidget

from sciread_app.domain.paper import PaperId
from sciread_app.language import tr
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.search.welcome_page import LookupForm, paint_icons
from sciread_app.ui.style.theme import Theme
from sciread_app.ui.widgets.layout.boxes import column

if TYPE_CHECKING:
    from sciread_app.ui.paper.gateway import PaperGateway

WIDTH = 520  # pixels


class LookupDialog(QDialog):
    """Stays open until the paper is found, and shows why it was not."""

    loaded = Signal(object)  # PaperId, of the paper that was added

    def __init__(self, about: PaperGateway, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Add by identifier"))
        self.form = LookupForm(about, context)
        self.form.loaded.connect(self._close)
        column(self.form, parent=self)
        self.setMinimumWidth(WIDTH)
        context.appearance.follow(self._paint)

    def ask(self, identifier: str = "") -> None:
        """Open the dialog, and look up this identifier at once if there is one."""
        self.open()
        self.form.line.setFocus()
        if identifier:
            self.form.line.setText(identifier)
            self.form.look_up()
        self.form.line.selectAll()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        layout = self.layout()
        if layout and event.type() == QEvent.Type.LayoutRequest:
            # A window does not grow by itself with a wrapped text, such as that of an error.
            self.resize(self.width(), layout.totalHeightForWidth(self.width()))
        return handled

    def _close(self, paper: PaperId) -> None:
        self.accept()
        self.loaded.emit(paper)

    def _paint(self, theme: Theme) -> None:
        paint_icons(self, theme)
