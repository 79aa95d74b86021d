"""The bar above a list of papers that need attention: how many lack metadata, to look up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton

from sciread_app.domain.library_tree import LibraryTree
from sciread_app.language import tr, trn
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout

USUALLY_MISSING = ("abstract", "authors", "year")  # of the fields that can be looked up


class _Lacking(NamedTuple):
    count: Callable[[LibraryTree], int]
    text: Callable[[int], str]


_LACKING: Mapping[str, _Lacking] = {
    "abstract": _Lacking(
        lambda tree: tree.without_abstract,
        lambda n: trn(
            "Look up abstract of {n:,} paper in the library…",
            "Look up abstracts of {n:,} papers in the library…",
            n,
        ),
    ),
    "doi": _Lacking(
        lambda tree: tree.without_doi,
        lambda n: trn(
            "Look up DOI of {n:,} paper in the library…",
            "Look up DOIs of {n:,} papers in the library…",
            n,
        ),
    ),
}
# The lists above which the bar is shown, with the fields that it offers there.
_SHOWN = {"has:problems": ("abstract", "doi"), "-has:abstract": ("abstract",)}


class LookUpBar(QFrame):
    """Each button stands for the papers of the library that lack a field, but the last, which
    accepts the uncertain values of the selected papers."""

    look_up_requested = Signal(str)  # the field: "abstract" or "doi"
    accept_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.hide()
        flow = FlowLayout(8)
        self.setLayout(flow)
        self.buttons = {field: QPushButton() for field in _LACKING}
        for field, button in self.buttons.items():
            flow.addWidget(button)
            button.clicked.connect(lambda _, field=field: self.look_up_requested.emit(field))
        self.accept = QPushButton(tr("Accept uncertain values"))
        self.accept.setToolTip(tr("Accept the uncertain values of the selected papers"))
        self.accept.clicked.connect(lambda: self.accept_requested.emit())
        flow.addWidget(self.accept)

    def show_counts(self, scope: str, tree: LibraryTree) -> None:
        """Show the counts that concern the list with this scope, a clause of the query language."""
        fields = _SHOWN.get(scope, ())
        for field, button in self.buttons.items():
            count = _LACKING[field].count(tree)
            button.setText(_LACKING[field].text(count))
            button.setVisible(field in fields and count > 0)
        self.accept.setVisible(scope == "has:problems" and tree.problems > 0)
        shown = (*self.buttons.values(), self.accept)
        self.setVisible(any(not button.isHidden() for button in shown))
