"""The legend of the map: colours by category. A click isolates a category."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QIcon, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton

from sciread_app.language import tr, trn
from sciread_app.ui.map.canvas.point_renderer import sprite
from sciread_app.ui.map.color_scheme import ColorScheme
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row

SWATCH = 6.0  # radius
NAME_WIDTH, NARROW_NAME_WIDTH = 250, 140


class Legend(QFrame):
    """A click on an entry isolates its category, a second click or Esc clears that; with Ctrl, a
    click adds or removes a category."""

    isolated_changed = Signal(object)  # numbers of the isolated categories; empty: none

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAccessibleName(tr("Legend"))
        self._appearance = appearance
        self._scheme: ColorScheme | None = None
        self.entries: list[QPushButton] = []  # by number of the category
        self._isolated: set[int] = set()
        self._narrow = False
        self._title = styled(QLabel(), "quiet")
        self.all_button = styled(QPushButton(tr("Show all")), "link")
        self.all_button.setToolTip(tr("Show all categories (Esc)"))
        self.all_button.clicked.connect(self.clear)
        head = row((self._title, 1), self.all_button)
        self._column = column(head, parent=self, margins=(6, 6, 6, 8), spacing=0)
        self._small = scaled(self.font(), 0.92)
        appearance.changed.connect(self._paint)

    def show_scheme(self, title: str, scheme: ColorScheme) -> None:
        # Translators: {title} is "Year"
        ordered = tr("{title}, oldest to newest", title=title)
        self._title.setText(ordered if scheme.ordered else title)
        self._scheme, self._isolated = scheme, set()
        for entry in self.entries:
            self._column.removeWidget(entry)
            entry.hide()
            entry.deleteLater()
        self.entries = [
            self._entry(number, name, count)
            for number, (name, count) in enumerate(zip(scheme.names, scheme.counts, strict=True))
        ]
        for number in _largest_first(scheme):
            self._column.addWidget(self.entries[number])
            self.entries[number].show()  # at once, so that sizeHint includes it
        self.all_button.setEnabled(False)
        self._paint(self._appearance.theme)
        self.adjustSize()

    def set_narrow(self, narrow: bool) -> None:
        """Shorten the names, for a narrow map."""
        self._narrow = narrow
        if self._scheme:
            for entry, name, count in zip(
                self.entries, self._scheme.names, self._scheme.counts, strict=True
            ):
                entry.setText(self._label(name, count))
        self.adjustSize()

    @property
    def isolated(self) -> list[int]:
        return sorted(self._isolated)

    def isolate(self, number: int, *, add: bool = False) -> None:
        """Isolate a category, or clear that; `add`: together with the isolated ones."""
        if add:
            self._show_isolated(self._isolated ^ {number})
        else:
            self._show_isolated(set() if self._isolated == {number} else {number})

    def clear(self) -> None:
        """End the isolation."""
        if self._isolated:
            self._show_isolated(set())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._isolated:
            self.clear()
        else:
            super().keyPressEvent(event)

    def _show_isolated(self, numbers: set[int]) -> None:
        self._isolated = numbers
        for number, entry in enumerate(self.entries):
            entry.setChecked(number in numbers)
        self.all_button.setEnabled(bool(numbers))
        self.isolated_changed.emit(sorted(numbers))

    def _entry(self, number: int, name: str, count: int) -> QPushButton:
        entry = styled(QPushButton(self._label(name, count)), "entry")
        entry.setFont(self._small)
        entry.setAccessibleName(
            trn("{name}, {n:,} paper", "{name}, {n:,} papers", count, name=name)
        )
        entry.setToolTip(tr("{name}. Click to show only this; Ctrl+click to add", name=name))
        entry.setIconSize(QSize(16, 16))
        entry.setCheckable(True)
        entry.clicked.connect(partial(self._click, number))
        return entry

    def _label(self, name: str, count: int) -> str:
        most = NARROW_NAME_WIDTH if self._narrow else NAME_WIDTH
        room = QFontMetrics(self._small)
        shown = room.elidedText(name, Qt.TextElideMode.ElideRight, most)
        return f"{shown}  {count:,}".replace("&", "&&")

    def _click(self, number: int) -> None:
        held = QApplication.keyboardModifiers()
        self.isolate(number, add=bool(held & Qt.KeyboardModifier.ControlModifier))

    def _paint(self, theme: Theme) -> None:
        if self._scheme:
            ratio = self.devicePixelRatioF()
            for kind, colour in enumerate(self._scheme.colours(theme)):
                hollow = kind in self._scheme.hollow
                self.entries[kind].setIcon(QIcon(sprite(colour, theme, SWATCH, ratio, hollow)))


def _largest_first(scheme: ColorScheme) -> list[int]:
    """The order of categories: by size, unless they form a sequence; the rest is the last."""
    numbers = range(len(scheme.names))
    if scheme.ordered:
        return list(numbers)
    return sorted(numbers, key=lambda number: (number == scheme.rest, -scheme.counts[number]))
