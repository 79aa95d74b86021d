"""The navigation bar at the left edge of the window: a button for each item, one with the menu of
ways to add papers, and one for the background tasks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QMenu, QToolButton, QVBoxLayout, QWidget

from sciread_app.language import tr, trc, trn
from sciread_app.ui.page import NavigationGroup, NavigationItem
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, scaled
from sciread_app.ui.widgets.count_badge import paint_count

WIDTH, HEIGHT = 68, 58  # pixels of a button
LEAST, GAP, TOP = 30, 4, 12  # pixels: a button without its name, between buttons, above the first
LINE = 9  # pixels: the line between two groups, with the space around it
AROUND_BUTTONS = TOP + LINE + GAP + 8
COUNT_EDGE, COUNT_HEIGHT = 5, 22  # pixels: right of a count, and from the top to below it
PICTURE, SMALLEST, AROUND = 22, 15, 17  # icon sizes: maximum, beside a name; and the padding
ACTIVITY = NavigationItem(
    # Translators: the list of background tasks
    "activity", tr("Activity"), "activity", "Ctrl+J", tr("Show background tasks"),
    NavigationGroup.window,
)  # fmt: skip


class NavigationBar(QFrame):
    """The list of items. Up and Down select the item."""

    selected = Signal(str)  # the key of an item, selected by the user

    def __init__(self, items: Sequence[NavigationItem], appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setAccessibleName(trc("of the window", "Places"))
        self._buttons: dict[str, NavigationButton] = {}
        self.activity = ActivityButton(ACTIVITY, appearance)
        self._group = QButtonGroup(self, exclusive=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, TOP, 0, 8)
        column.setSpacing(GAP)
        for group, members in groupby(items, key=lambda item: item.group):
            if group is NavigationGroup.tools:
                column.addWidget(_Line(appearance))
            if group is NavigationGroup.window:
                column.addStretch()
                column.addWidget(self.activity)
            for item in members:
                self._buttons[item.key] = button = self._new_button(item, appearance)
                column.addWidget(button)

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()  # as high as its place

    def minimumSizeHint(self) -> QSize:
        return QSize(WIDTH + 8, AROUND_BUTTONS + len(self._every()) * (LEAST + GAP))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shrink the icons or hide their names if there is little room, as at 300 %."""
        room = (self.height() - AROUND_BUTTONS) // len(self._every()) - GAP
        for button in self._every():
            button.fit(min(HEIGHT, max(LEAST, room)))

    def button(self, key: str) -> NavigationButton:
        return self._buttons[key]

    def enable_places(self, enabled: bool) -> None:
        """Enable or disable the items; background tasks are always available."""
        for button in self._buttons.values():
            button.setEnabled(enabled)

    def set_add_menu(self, menu: QMenu) -> None:
        """Set the menu of the button that adds papers."""
        self._add.menu_shown = menu

    def choose(self, key: str) -> None:
        """Check the button of the item with this key."""
        self._group.setExclusive(False)  # for no checked button while papers are added
        for item, button in self._buttons.items():
            button.setChecked(item == key)
        self._group.setExclusive(True)

    def show_busy(self, key: str, busy: bool) -> None:
        """Show whether an item is busy."""
        if busy != self._buttons[key].busy:
            self._buttons[key].show_busy(busy)

    def _new_button(self, item: NavigationItem, appearance: Appearance) -> NavigationButton:
        if item.group is NavigationGroup.add:
            # Not in the group, in which an arrow key presses the button that it reaches.
            self._add = AddButton(item, appearance)
            return self._add
        button = NavigationButton(item, appearance)
        button.clicked.connect(lambda: self.selected.emit(item.key))
        self._group.addButton(button)
        return button

    def _every(self) -> list[NavigationButton]:
        return [*self._buttons.values(), self.activity]


class _Line(QWidget):
    """The line between two groups of items."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.setFixedHeight(LINE)
        appearance.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QColor(self._appearance.theme.border))
        painter.drawLine(12, LINE // 2, self.width() - 12, LINE // 2)


class NavigationButton(QToolButton):
    """The button of an item, with a dot while one of its pages is busy, or a number of new
    papers."""

    def __init__(self, item: NavigationItem, appearance: Appearance) -> None:
        super().__init__()
        self._item = item
        self._appearance = appearance
        self.busy = False
        self.count = 0
        self.setProperty("group", item.group.value)  # for the style sheet
        self.setText(item.title)
        self.setFont(scaled(self.font(), 0.86))
        self._tip = f"{item.what} ({item.keys})"
        self.setToolTip(self._tip)
        self.setAccessibleDescription(item.what)
        self.setCheckable(True)
        self.fit(HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.toggled.connect(self.paint_icon)
        appearance.changed.connect(self.paint_icon)
        self.show_busy(False)
        self.paint_icon()

    def fit(self, height: int) -> None:
        style = Qt.ToolButtonStyle
        picture = min(PICTURE, height - self.fontMetrics().height() - AROUND)
        named = picture >= SMALLEST
        self.setIconSize(QSize(1, 1) * (picture if named else PICTURE))
        self.setFixedSize(WIDTH, height)
        self.setToolButtonStyle(
            style.ToolButtonTextUnderIcon if named else style.ToolButtonIconOnly
        )

    def show_busy(self, busy: bool) -> None:
        self.busy = busy
        self._describe()

    def show_count(self, count: int, explanation: str = "") -> None:
        """Show a number, such as that of new papers, with an explanation as tooltip; 0: none."""
        self.count = count
        self.setToolTip(f"{self._tip}\n{explanation}" if count and explanation else self._tip)
        self._describe()

    def _describe(self) -> None:
        name = self._item.title
        if self.count:
            name = trn("{name}, {n} new", "{name}, {n} new", self.count, name=name)
        self.setAccessibleName(tr("{page}, busy", page=name) if self.busy else name)
        self.update()

    def paint_icon(self) -> None:
        theme: Theme = self._appearance.theme
        adds = self._item.group is NavigationGroup.add
        colour = theme.accent if adds or self.isChecked() else theme.quiet
        self.setIcon(icon(self._item.icon, colour))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.busy and not self.count:
            return
        theme, painter = self._appearance.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.accent))
        if self.count:
            place = QRect(0, 0, self.width() - COUNT_EDGE, COUNT_HEIGHT)
            font = scaled(self.font(), 0.86, QFont.Weight.DemiBold)
            paint_count(painter, place, self.count, font, theme)
        else:
            painter.drawEllipse(QPointF(self.width() - 15.0, 13.0), 4, 4)


class AddButton(NavigationButton):
    """Opens the menu of ways to add papers. It is checked while the page on which papers are added
    is shown."""

    def __init__(self, item: NavigationItem, appearance: Appearance) -> None:
        super().__init__(item, appearance)
        self.menu_shown: QMenu | None = None
        self.clicked.connect(self._show_menu)

    def nextCheckState(self) -> None:
        """Keep the button as it is: a click opens the menu only."""

    def _show_menu(self) -> None:
        if self.menu_shown:
            self.menu_shown.popup(self.mapToGlobal(self.rect().topRight()))


class ActivityButton(NavigationButton):
    """Opens and closes the panel of background tasks, and shows how many are not over."""

    def _describe(self) -> None:
        title = self._item.title
        # Translators: {title} is "Activity"
        tasks = trn("{title}, {n} task", "{title}, {n} tasks", self.count, title=title)
        self.setAccessibleName(tasks if self.count else title)
        self.update()
