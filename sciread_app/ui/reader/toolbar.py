"""The toolbar of the reader: page, zoom, and buttons, some of which fold into a menu."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QIntValidator, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QToolButton,
)

from sciread_app.language import tr
from sciread_app.ui.reader.pages import zoom
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled
from sciread_app.ui.widgets.rounded_popup import rounded

SPACING = 2
GAP_BEFORE_PAGE, GAP_AFTER_PAGE = 6, 4
ZOOMS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)

# Icon, tooltip and shortcut of each button
_BUTTONS = {
    "panel": ("panel", tr("Reader sidebar"), "F9"),
    "back": ("back", tr("Back"), "Alt+Left"),
    "forward": ("forward", tr("Forward"), "Alt+Right"),
    "smaller": ("minus", tr("Zoom out"), "Ctrl+-"),
    "larger": ("plus", tr("Zoom in"), "Ctrl++"),
    "area": ("area", tr("Select area: drag on a page, or hold Ctrl and drag"), ""),
    "two_pages": ("two-pages", tr("Two pages"), ""),
    "rotate": ("rotate", tr("Rotate"), "Ctrl+R"),
    "dark": ("moon", tr("Dark pages"), "Ctrl+D"),
    "find": ("search", tr("Find in file"), "Ctrl+F"),
    "pane": ("panel-right", tr("Details and highlights"), "Ctrl+I"),
}
CHECKABLE = frozenset(("panel", "area", "two_pages", "dark", "pane"))
TOOLS = ("area", "two_pages", "rotate", "dark")
# The tools in the order in which they fold into a menu where the toolbar is narrow.
FOLDED = ("rotate", "two_pages", "area", "dark")


class Toolbar(QFrame):
    """Shows page and zoom, and requests changes by signals; the state of its buttons is set from
    outside."""

    pressed = Signal(str)  # the key of a button
    page_requested = Signal(int)  # from 0
    zoom_requested = Signal(str)
    escaped = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._buttons = {key: self._button(key) for key in _BUTTONS}
        self.more = styled(QToolButton(), "link")
        self.more.setAccessibleName(tr("More"))
        self.more.setToolTip(tr("More tools"))
        self.more.setIconSize(QSize(18, 18))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = rounded(QMenu(self))
        self._actions = {key: self._action(key, menu) for key in TOOLS}
        self.more.setMenu(menu)
        self.page = styled(QLineEdit(), "field")
        self.page.setAccessibleName(tr("Page"))
        self.page.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.page.setFixedWidth(self.page.fontMetrics().horizontalAdvance("0000") + 18)
        self.page.returnPressed.connect(self._page_typed)
        self.pages = styled(QLabel(), "quiet")
        self.zoom = styled(QToolButton(), "plain")
        self.zoom.setAccessibleName(tr("Zoom"))
        self.zoom.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.zoom.setMenu(self._zoom_menu())
        self._lay_out()
        appearance.follow(self._paint)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.page.setModified(False)  # what was typed is dropped
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def show_page(self, page: int, count: int) -> None:
        if not self.page.hasFocus() or not self.page.isModified():
            self.page.setText(str(page + 1))
        self.page.setValidator(QIntValidator(1, count, self.page))
        # Translators: follows the field with the current page: 3 of 12
        self.pages.setText(tr("of {count:,}", count=count))
        self._fold(self.width())

    def show_zoom(self, fit: str, factor: float) -> None:
        names = {zoom.WIDTH: tr("Fit width"), zoom.PAGE: tr("Fit page")}
        self.zoom.setText(names.get(fit) or f"{factor:.0%}")
        for action in self.zoom.menu().actions():
            action.setChecked(action.text() == self.zoom.text())

    def check(self, key: str, on: bool) -> None:
        self._buttons[key].setChecked(on)
        if key in self._actions:
            self._actions[key].setChecked(on)

    def enable(self, key: str, on: bool) -> None:
        self._buttons[key].setEnabled(on)
        if key in self._actions:
            self._actions[key].setEnabled(on)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._width(len(FOLDED)), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold(event.size().width())

    def _fold(self, width: int) -> None:
        """Show the buttons that fit, and the others in the menu."""
        counts = range(len(FOLDED))
        folded = next((n for n in counts if self._width(n) <= width), len(FOLDED))
        for key in FOLDED:
            is_folded = key in FOLDED[:folded]
            self._buttons[key].setVisible(not is_folded)
            self._actions[key].setVisible(is_folded)
        self.more.setVisible(folded > 0)

    def _width(self, folded: int) -> int:
        """The smallest width with so many folded buttons."""
        buttons = [button for key, button in self._buttons.items() if key not in FOLDED[:folded]]
        shown = [*buttons, self.page, self.pages, self.zoom, *([self.more] if folded else [])]
        margins = self.contentsMargins() + self._row.contentsMargins()
        width = sum(widget.sizeHint().width() for widget in shown if widget is not self.page)
        gaps = SPACING * (len(shown) + 3) + GAP_BEFORE_PAGE + GAP_AFTER_PAGE
        return width + self.page.width() + gaps + margins.left() + margins.right()

    def _page_typed(self) -> None:
        self.page.setModified(False)
        self.page_requested.emit(int(self.page.text()) - 1)

    def _zoom_menu(self) -> QMenu:
        menu = rounded(QMenu(self))
        choices = [(tr("Fit width"), zoom.WIDTH), (tr("Fit page"), zoom.PAGE)]
        choices += [(f"{factor:.0%}", str(factor)) for factor in ZOOMS]
        for name, fit in choices:
            action = menu.addAction(name)
            action.setCheckable(True)
            action.triggered.connect(lambda _=False, fit=fit: self.zoom_requested.emit(fit))
        return menu

    def _button(self, key: str) -> QToolButton:
        _, name, keys = _BUTTONS[key]
        button = styled(QToolButton(), "link")
        button.setCheckable(key in CHECKABLE)
        button.setToolTip(f"{name} ({keys})" if keys else name)
        button.setAccessibleName(name)
        button.setIconSize(QSize(18, 18))
        button.clicked.connect(lambda: self.pressed.emit(key))
        return button

    def _action(self, key: str, menu: QMenu) -> QAction:
        _, name, keys = _BUTTONS[key]
        # The shortcut is an action's of the reader: this text only shows it.
        name = name.partition(":")[0]
        action = menu.addAction(f"{name}\t{keys}" if keys else name)
        action.setCheckable(key in CHECKABLE)
        action.triggered.connect(lambda: self.pressed.emit(key))
        return action

    def _lay_out(self) -> None:
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(SPACING)
        for key in ("panel", "back", "forward"):
            row.addWidget(self._buttons[key])
        row.addSpacing(GAP_BEFORE_PAGE)
        row.addWidget(self.page)
        row.addSpacing(GAP_AFTER_PAGE)
        row.addWidget(self.pages)
        row.addStretch(1)
        row.addWidget(self._buttons["smaller"])
        row.addWidget(self.zoom)
        row.addWidget(self._buttons["larger"])
        row.addStretch(1)
        for key in TOOLS:
            row.addWidget(self._buttons[key])
        row.addWidget(self.more)
        for key in ("find", "pane"):
            row.addWidget(self._buttons[key])

    def _paint(self, theme: Theme) -> None:
        for key, button in self._buttons.items():
            button.setIcon(icon(_BUTTONS[key][0], theme.text))
        self.more.setIcon(icon("more", theme.text))
