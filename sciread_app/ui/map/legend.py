"""The legend of the map: colors by category. A click isolates a category."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QIcon, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton

from sciread_app.language import tr, trn
from sciread_app.ui.map.canvas.point_renderer import sprite
from sciread_app.ui.map.color_scheme import ColorScheme
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled, tabular
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.row_table import RIGHT

SWATCH = 6.0  # radius
_GAP, _EDGE = 12, 7  # pixels before and after a count
NARROW = 720  # pixels of the map, below which names are shortened
NAME_SHARE, NAME_WIDTH = 0.24, (110, 250)  # widths of names: share of the map's, least and most


class Legend(QFrame):
    """A click on an entry isolates its category, a second click or Esc clears that; with Ctrl, a
    click adds or removes a category."""

    isolated_changed = Signal(object)  # numbers of the isolated categories; empty: none

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAccessibleName(tr("Legend"))
        self._appearance = appearance
        self._name = ""
        self.scheme: ColorScheme | None = None
        self.entries: list[LegendEntry] = []  # by number of the category
        self._isolated: set[int] = set()
        self._map_width = NARROW
        self._title = styled(QLabel(), "quiet")
        self.all_button = styled(QPushButton(tr("Show all")), "link")
        self.all_button.setToolTip(tr("Show all categories (Esc)"))
        self.all_button.clicked.connect(self.clear)
        head = row((self._title, 1), self.all_button, margins=(_EDGE, 0, 0, 0))
        self._column = column(head, parent=self, margins=(6, 6, 6, 8), spacing=0)
        self._small = scaled(self.font(), 0.92)
        appearance.changed.connect(self._paint)

    def show_scheme(self, title: str, scheme: ColorScheme) -> None:
        """Show the categories of a color scheme, none of them isolated."""
        self._name = title
        self.scheme, self._isolated = scheme, set()
        for entry in self.entries:
            self._column.removeWidget(entry)
            entry.hide()
            entry.deleteLater()
        self.entries = [self._entry(number, name) for number, name in enumerate(scheme.names)]
        for number in _largest_first(scheme):
            self._column.addWidget(self.entries[number])
        self.all_button.setEnabled(False)
        self._paint(self._appearance.theme)
        self.fit(self._map_width)
        self.show_counts(scheme.counts)

    def show_counts(self, counts: Sequence[int]) -> None:
        """Show the number of papers of each category, without categories that have none."""
        for number, (entry, count) in enumerate(zip(self.entries, counts, strict=True)):
            entry.show_count(count)
            entry.setVisible(count > 0 or number in self._isolated)
        self.adjustSize()

    @property
    def full_height(self) -> int:
        """The height in pixels with all categories."""
        hidden = (entry for entry in self.entries if entry.isHidden())
        return self.height() + sum(entry.sizeHint().height() for entry in hidden)

    def fit(self, width: int) -> None:
        """Shorten the names for a map of this width, in pixels."""
        self._map_width = width
        narrow, scheme = width < NARROW, self.scheme
        # Translators: {title} is "Year"
        ordered = tr("{title}, oldest to newest", title=self._name)
        self._title.setText(ordered if scheme and scheme.ordered and not narrow else self._name)
        least, most = NAME_WIDTH
        for entry in self.entries:
            share = min(max(int(width * NAME_SHARE), least), most)
            entry.shorten(share, first=bool(scheme and scheme.phrased and narrow))
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

    def _entry(self, number: int, name: str) -> LegendEntry:
        entry = LegendEntry(name, self._small)
        entry.clicked.connect(partial(self._click, number))
        return entry

    def _click(self, number: int) -> None:
        held = QApplication.keyboardModifiers()
        self.isolate(number, add=bool(held & Qt.KeyboardModifier.ControlModifier))

    def _paint(self, theme: Theme) -> None:
        if self.scheme:
            ratio = self.devicePixelRatioF()
            for kind, colour in enumerate(self.scheme.colours(theme)):
                hollow = kind in self.scheme.hollow
                self.entries[kind].setIcon(QIcon(sprite(colour, theme, SWATCH, ratio, hollow)))


class LegendEntry(QPushButton):
    """The name of a category, and at the right edge the number of its papers."""

    def __init__(self, name: str, font: QFont) -> None:
        super().__init__()
        self._name, self._count = name, ""
        styled(self, "entry").setFont(font)
        self.setToolTip(tr("{name}. Click to show only this; Ctrl+click to add", name=name))
        self.setIconSize(QSize(16, 16))
        self.setCheckable(True)

    def shorten(self, most: int, *, first: bool) -> None:
        """Elide the name, or only its `first` phrase, to a width in pixels."""
        name = self._name.partition(", ")[0] if first else self._name
        shown = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, most)
        self.setText(shown.replace("&", "&&"))

    def show_count(self, count: int) -> None:
        self._count = f"{count:,}"
        self.setAccessibleName(
            trn("{name}, {n:,} paper", "{name}, {n:,} papers", count, name=self._name)
        )
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        widest = QFontMetrics(tabular(self.font())).horizontalAdvance(self._count)
        return super().sizeHint() + QSize(_GAP + widest, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setFont(tabular(self.font()))
        painter.setPen(self.palette().buttonText().color())
        painter.drawText(self.rect().adjusted(0, 0, -_EDGE, 0), int(RIGHT), self._count)


def _largest_first(scheme: ColorScheme) -> list[int]:
    """The order of categories: by size, unless they form a sequence; the rest is the last."""
    numbers = range(len(scheme.names))
    if scheme.ordered:
        return list(numbers)
    return sorted(numbers, key=lambda number: (number == scheme.rest, -scheme.counts[number]))
