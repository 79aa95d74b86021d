"""The tags or collections of a paper as chips that can be added and removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCompleter,
    QFrame,
    QLineEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.formatting import shortened
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.tag_colours import shade
from sciread_app.ui.style.theme import Appearance, Theme, styled
from sciread_app.ui.widgets.layout.boxes import row
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout

LONGEST = 200  # characters of a name, at most
SHOWN = 28  # characters of a name that a chip shows


@dataclass(frozen=True)
class ChipKind:
    """The texts for one kind of chip: tags or collections."""

    every: str  # the name of the group
    add: str
    hint: str
    one: Callable[[str], str]  # the tooltip for a name
    take_off: Callable[[str], str]
    icon: str = ""  # of each chip


TAG = ChipKind(
    tr("Tags of the paper"),
    tr("Add tag"),
    tr("Tag name"),
    lambda name: tr("Tag {name}", name=name),
    lambda name: tr("Remove tag {name}", name=name),
)
COLLECTION = ChipKind(
    tr("Collections of the paper"),
    tr("Add to collection"),
    tr("thesis/chapter 2"),
    lambda name: tr("Collection {name}", name=name),
    lambda name: tr("Remove from collection {name}", name=name),
    "collection",
)


class TagChips(QWidget):
    """Shows the names on a paper, and lets the user choose, add and remove one; `chosen`, `added`
    and `removed` pass the name, and change nothing themselves."""

    selected = Signal(str)
    added = Signal(str)
    removed = Signal(str)
    names_requested = Signal()  # the names to choose from are needed

    def __init__(self, kind: ChipKind, appearance: Appearance) -> None:
        super().__init__()
        self._kind = kind
        self._appearance = appearance
        self._names: Sequence[str] = ()
        self._colours: Mapping[str, str] = {}
        self.chips: list[TagChip] = []
        self._known = QStringListModel(self)
        self.setAccessibleName(kind.every)
        self.add = styled(QPushButton(kind.add), "flush")
        self.add.clicked.connect(self.begin)
        self.box = styled(QLineEdit(placeholderText=kind.hint, maxLength=LONGEST), "field")
        self.box.setAccessibleName(kind.add)
        self.box.setFixedWidth(self.fontMetrics().averageCharWidth() * 24)
        self.box.returnPressed.connect(self._end)
        self.box.installEventFilter(self)
        completer = QCompleter(self._known, self.box)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.box.setCompleter(completer)
        self.box.hide()
        self._flow = FlowLayout(5)
        self.setLayout(self._flow)
        for widget in (self.add, self.box):
            self._flow.addWidget(widget)
        appearance.follow(self._paint)

    def show_names(self, names: Sequence[str], colours: Mapping[str, str]) -> None:
        """Show these names with the colors of those that have one."""
        if (names, colours) == (self._names, self._colours):
            return
        self._names, self._colours = names, colours
        for chip in self.chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        for widget in (self.add, self.box):
            self._flow.removeWidget(widget)
        self.chips = [TagChip(name, self._kind, colours.get(name, "")) for name in names]
        for chip in self.chips:
            chip.paint(self._appearance.theme)
            chip.selected.connect(self.selected)
            chip.removed.connect(self.removed)
            self._flow.addWidget(chip)
            chip.show()
        for widget in (self.add, self.box):
            self._flow.addWidget(widget)
        self.updateGeometry()

    def show_known(self, names: Sequence[str]) -> None:
        """Set the names that are offered."""
        self._known.setStringList(list(names))

    @property
    def known(self) -> list[str]:
        return self._known.stringList()

    def begin(self) -> None:
        """Show the field for adding a name."""
        self.names_requested.emit()
        self.add.hide()
        self.box.show()
        self.box.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self._close()
                return True
        elif event.type() == QEvent.Type.FocusOut and not self.box.text():
            self._close(focus=False)
        return False

    def _end(self) -> None:
        name = self.box.text().strip()
        self._close()
        if name:
            self.added.emit(name)

    def _close(self, *, focus: bool = True) -> None:
        self.box.clear()
        self.box.hide()
        self.add.show()
        if focus:
            self.add.setFocus()

    def _paint(self, theme: Theme) -> None:
        self.add.setIcon(icon("add", theme.accent))
        for chip in self.chips:
            chip.paint(theme)


class TagChip(QFrame):
    """A chip. Enter shows the papers with this name, Delete removes it from the paper."""

    selected = Signal(str)
    removed = Signal(str)

    def __init__(self, name: str, kind: ChipKind, colour: str) -> None:
        super().__init__()
        self.setObjectName("paperchip")
        self.name = name
        self._icon, self._colour = kind.icon, colour
        self.button = QPushButton(shortened(name, SHOWN).replace("&", "&&"))
        tip = tr("Click to show matching papers. Press Delete to remove.")
        self.button.setToolTip(f"{name}\n{tip}")
        self.button.setAccessibleName(kind.one(name))
        self.button.clicked.connect(lambda: self.selected.emit(name))
        self.remove = QToolButton()
        self.remove.setAccessibleName(kind.take_off(name))
        self.remove.setToolTip(self.remove.accessibleName())
        side = round(self.fontMetrics().height() * 0.7)
        self.remove.setIconSize(QSize(side, side))
        self.remove.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.remove.clicked.connect(lambda: self.removed.emit(name))
        row(self.button, self.remove, parent=self, margins=(2, 0, 2, 0), spacing=0)

    def paint(self, theme: Theme) -> None:
        look = shade(theme, self._colour)
        self.remove.setIcon(icon("close", look.text))
        if self._icon:
            self.button.setIcon(icon(self._icon, look.text))
        self.setStyleSheet(
            f"QFrame#paperchip {{ background: {look.fill}; border-radius: 7px; }}"
            "QPushButton, QToolButton { background: transparent; border: 1px solid transparent;"
            f" color: {look.text}; padding: 2px 4px; border-radius: 5px; }}"
            f"QPushButton:focus {{ border-color: {theme.accent}; }}"
            f"QToolButton:hover {{ background: {theme.selected}; }}"
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit(self.name)
        else:
            super().keyPressEvent(event)
