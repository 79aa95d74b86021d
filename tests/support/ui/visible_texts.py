"""Every text that the window shows to anybody, or says to who cannot see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from PySide6 import QtGui
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction, QPainter, QTextDocumentFragment
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

ROWS = 10  # of a list that are looked at
ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
)


class SeenTexts:
    """Each with the place where it was met first. What is painted by hand is met on its way to
    the painter."""

    def __init__(self, app: QApplication) -> None:
        self.met: dict[str, str] = {}
        self._app = app
        self._place = ""
        draw = QPainter.drawText

        def note(painter: QPainter, *given: Any) -> Any:
            self.note(one for one in given if isinstance(one, str))
            return draw(painter, *given)

        setattr(QPainter, "drawText", note)  # noqa: B010  as mypy knows nothing of its overloads

    def look(self, place: str, *, behind: bool = False) -> None:
        """With `behind`, at what is hidden just now, too: it was shown, or will be."""
        self._place = place
        for top in self._app.topLevelWidgets():
            if top.isVisible():
                top.grab()
        for widget in self._app.allWidgets():
            if behind or widget.isVisible():
                self.note(_of(widget))

    def note(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.met.setdefault(text, self._place)


def _of(widget: QWidget) -> Iterator[str]:
    yield from (widget.windowTitle(), widget.toolTip(), widget.statusTip(), widget.whatsThis())
    yield from (widget.accessibleName(), widget.accessibleDescription())
    for action in widget.actions():
        yield from _of_action(action)
    match widget:
        case QLabel() | QAbstractButton():
            yield _plain(widget.text())
        case QLineEdit():
            yield from (widget.placeholderText(), widget.text())
        case QTextEdit() | QPlainTextEdit():
            yield from (widget.placeholderText(), widget.toPlainText())
        case QGroupBox() | QMenu():
            yield widget.title()
        case QTabBar():
            for number in range(widget.count()):
                yield from (widget.tabText(number), widget.tabToolTip(number))
        case QAbstractSpinBox():
            yield from (widget.text(), widget.specialValueText())
        case QComboBox():
            yield from (widget.itemText(number) for number in range(widget.count()))
        case QAbstractItemView() if widget.model():
            yield from _of_model(widget.model(), QModelIndex())


def _of_action(action: QAction) -> Iterator[str]:
    yield from (action.text(), action.toolTip(), action.statusTip(), action.whatsThis())
    yield str(action.property("why_not") or "")


def _of_model(model: QAbstractItemModel, inside: QModelIndex) -> Iterator[str]:
    # A list does not say how many columns it has.
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(inside)
    for column in range(columns):
        yield str(model.headerData(column, Qt.Orientation.Horizontal) or "")
        for row in range(min(ROWS, model.rowCount(inside))):
            index = model.index(row, column, inside)
            yield from (str(index.data(role) or "") for role in ROLES)
            yield from _of_model(model, index)


def _plain(text: str) -> str:
    rich = QtGui.Qt.mightBeRichText(text)
    return QTextDocumentFragment.fromHtml(text).toPlainText() if rich else text
