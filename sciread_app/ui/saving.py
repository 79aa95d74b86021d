"""Giving a search a name under which it is kept."""

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
from sciread_app.ui.placing import put_below
from sciread_app.ui.request import Request
from sciread_app.ui.scope import words_for
from sciread_app.ui.theme import styled

WIDTH = 380
LONGEST = 60  # characters of a name that is suggested


class SavePopover(QFrame):
    """Enter saves, Esc leaves it."""

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
        put_below(self, widget)
        self.show()
        self.name.setFocus(Qt.FocusReason.PopupFocusReason)

    def _report(self) -> None:
        if name := self.name.text().strip():
            self.named.emit(name)
            self.close()


def suggested_name(request: Request) -> str:
    """What stands on the page, in a few words."""
    parts = [
        request.typed,
        *(chip.label for chip in request.scope),
        *(words_for(one) for one in request.filters),
    ]
    name = ", ".join(filter(None, parts)) or tr("Papers like these")
    return name if len(name) <= LONGEST else f"{name[:LONGEST].rstrip()}…"
