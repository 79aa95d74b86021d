"""The legend of the map: colours by category. Unticked categories are hidden."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QIcon
from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QPushButton

from sciread_app.language import tr, trn
from sciread_app.ui.map.canvas.point_renderer import sprite
from sciread_app.ui.map.color_scheme import ColorScheme
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row

SWATCH = 6.0  # radius
NAME_WIDTH = 170


class Legend(QFrame):
    visibility_changed = Signal(object)  # numbers of the hidden categories

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAccessibleName(tr("Legend"))
        self._appearance = appearance
        self._scheme: ColorScheme | None = None
        self.boxes: list[QCheckBox] = []
        self._title = styled(QLabel(), "quiet")
        self.all_button = styled(QPushButton(tr("Show all")), "link")
        self.all_button.clicked.connect(self.show_all)
        head = row((self._title, 1), self.all_button)
        self._column = column(head, parent=self, margins=(12, 6, 12, 10), spacing=3)
        self._small = scaled(self.font(), 0.92)
        appearance.changed.connect(self._paint)

    def show_scheme(self, title: str, scheme: ColorScheme) -> None:
        # Translators: {title} is "Year"
        ordered = tr("{title}, oldest to newest", title=title)
        self._title.setText(ordered if scheme.ordered else title)
        self._scheme = scheme
        for box in self.boxes:
            self._column.removeWidget(box)
            box.hide()
            box.deleteLater()
        self.boxes = [
            self._box(name, count) for name, count in zip(scheme.names, scheme.counts, strict=True)
        ]
        for box in self.boxes:
            self._column.addWidget(box)
            box.show()  # at once, so that sizeHint includes it
        self.all_button.setEnabled(False)
        self._paint(self._appearance.theme)
        self.adjustSize()

    def show_all(self) -> None:
        for box in self.boxes:
            box.setChecked(True)

    @property
    def hidden_categories(self) -> list[int]:
        return [kind for kind, box in enumerate(self.boxes) if not box.isChecked()]

    def _box(self, name: str, count: int) -> QCheckBox:
        room = QFontMetrics(self._small)
        shown = room.elidedText(name, Qt.TextElideMode.ElideRight, NAME_WIDTH)
        box = QCheckBox(f"{shown}  {count:,}".replace("&", "&&"))
        box.setFont(self._small)
        box.setAccessibleName(trn("{name}, {n:,} paper", "{name}, {n:,} papers", count, name=name))
        box.setToolTip(name)
        box.setIconSize(QSize(16, 16))
        box.setChecked(True)
        box.toggled.connect(self._toggled)
        return box

    def _toggled(self) -> None:
        hidden = self.hidden_categories
        self.all_button.setEnabled(bool(hidden))
        self.visibility_changed.emit(hidden)

    def _paint(self, theme: Theme) -> None:
        if self._scheme:
            ratio = self.devicePixelRatioF()
            for kind, colour in enumerate(self._scheme.colours(theme)):
                hollow = kind in self._scheme.hollow
                self.boxes[kind].setIcon(QIcon(sprite(colour, theme, SWATCH, ratio, hollow)))
