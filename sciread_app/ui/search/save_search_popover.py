"""A popover that asks for the name of a saved search."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.query_state import SearchRequest
from sciread_app.ui.search.scope_bar import filter_text
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.dialogs.window_placement import move_below

WIDTH = 380
LONGEST = 60  # characters of a suggested name


class SavePopover(QFrame):
    """A popover with a name field. Enter saves, Esc closes."""

    named = Signal(str)

    def __init__(self, suggestion: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popover")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(tr("Save this search"))
        self.name = styled(QLineEdit(suggestion), "field")
        self.name.setAccessibleName(tr("Name of the search"))
        self.name.selectAll()
        self.save = styled(QPushButton(tr("Save")), "primary")
        row = QHBoxLayout()
        row.addWidget(self.name, 1)
        row.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 12)
        column.addWidget(QLabel(tr("Save this search as")))
        column.addLayout(row)
        self.setFixedWidth(WIDTH)
        self.setFocusProxy(self.name)
        self.save.clicked.connect(self._report)
        self.name.returnPressed.connect(self._report)
        self.name.textChanged.connect(lambda text: self.save.setEnabled(bool(text.strip())))

    def open_below(self, widget: QWidget) -> None:
        move_below(self, widget)
        self.show()
        self.name.setFocus(Qt.FocusReason.PopupFocusReason)

    def _report(self) -> None:
        if name := self.name.text().strip():
            self.named.emit(name)
            self.close()


def suggested_name(request: SearchRequest) -> str:
    """The labels of the request in a few words."""
    parts = [
        request.typed,
        *(chip.label for chip in request.scope),
        *(filter_text(one) for one in request.filters),
    ]
    name = ", ".join(filter(None, parts)) or tr("Papers like these")
    return name if len(name) <= LONGEST else f"{name[:LONGEST].rstrip()}…"
