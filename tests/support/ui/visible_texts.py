"""Collection of every text that the window shows or passes to screen readers."""

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

ROWS = 10  # the number of rows per list that are read
ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
)


class SeenTexts:
    """The texts of the window with the place of their first occurrence.

    Texts that are painted by hand are recorded in QPainter.drawText.
    """

    def __init__(self, app: QApplication) -> None:
        self.places: dict[str, str] = {}
        self._app = app
        self._place = ""
        draw = QPainter.drawText

        def note(painter: QPainter, *given: Any) -> Any:
            self.note(one for one in given if isinstance(one, str))
            return draw(painter, *given)

        setattr(QPainter, "drawText", note)  # noqa: B010  mypy does not know its overloads

    def look(self, place: str, *, behind: bool = False) -> None:
        """Record all visible texts; with `behind`, also those of hidden widgets."""
        self._place = place
        for top in self._app.topLevelWidgets():
            if top.isVisible():
                top.grab()
        for widget in self._app.allWidgets():
            if behind or widget.isVisible():
                self.note(_of(widget))

    def note(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.places.setdefault(text, self._place)


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
    yield str(action.property("unavailable_reason") or "")


def _of_model(model: QAbstractItemModel, inside: QModelIndex) -> Iterator[str]:
    # A QAbstractListModel has no public columnCount.
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
