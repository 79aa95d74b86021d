"""The button that shows the sort order of the list and offers others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

from sciread_app.domain.paper import Order
from sciread_app.language import tr
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme
from sciread_app.ui.widgets.rounded_popup import rounded

ORDERS = {
    # Translators: these are orders of a list, by relevance first
    Order.relevance: tr("Best match"),
    Order.added: tr("Recently added"),
    Order.year: tr("Newest published"),
    Order.oldest: tr("Oldest published"),
    Order.title: tr("Title"),
    Order.author: tr("First author"),
    # Translators: the journal or conference
    Order.venue: tr("Venue"),
    Order.rating: tr("Rating"),
    Order.unread: tr("Unread first"),
    Order.last_read: tr("Recently read"),
    Order.citations: tr("Most cited"),
}
_REVERSED = {
    Order.earliest_added: tr("Oldest added"),
    Order.title_descending: tr("Title, Z to A"),
    Order.author_descending: tr("First author, Z to A"),
    Order.venue_descending: tr("Venue, Z to A"),
    Order.lowest_rating: tr("Lowest rating"),
    Order.read: tr("Read first"),
    Order.earliest_read: tr("Read longest ago"),
    Order.fewest_citations: tr("Least cited"),
}


class SortButton(QToolButton):
    """Keeps two orders, one for browsing and one for search results; see `show_for`."""

    selected = Signal(object)  # Order, by the user

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("link")
        self.setAccessibleName(tr("Sort order"))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._kept = {False: Order.added, True: Order.relevance}
        self._ranked = False
        menu = rounded(QMenu(self))
        self._group = QActionGroup(menu)
        for order, name in ORDERS.items():
            action = menu.addAction(name, partial(self._choose, order))
            action.setCheckable(True)
            action.setData(order)
            self._group.addAction(action)
        menu.addSeparator()
        self._reversed = menu.addAction(tr("Reverse order"), self._reverse)
        self._reversed.setCheckable(True)
        self.setMenu(menu)
        appearance.follow(self._paint)
        self.show_for(False)

    def order(self, ranked: bool) -> Order:
        return self._kept[ranked]

    def show_for(self, ranked: bool) -> None:
        """Switch between search results, which are `ranked`, and the browsed library, which is
        not."""
        self._ranked = ranked
        order = self._kept[ranked]
        name = ORDERS.get(order) or _REVERSED[order]
        self.setText(name)
        self.setToolTip(tr("Sort order: {order}", order=name))
        listed = order if order in ORDERS else order.reverse
        for action in self._group.actions():
            action.setChecked(action.data() is listed)
            if action.data() is Order.relevance:
                action.setVisible(ranked)
        self._reversed.setChecked(order is not listed)
        self._reversed.setEnabled(order.reverse is not order)

    def choose(self, order: Order) -> None:
        """Set the order; relevance applies only to ranked results."""
        if order is not Order.relevance or self._ranked:
            self._kept[self._ranked] = order
            self.show_for(self._ranked)

    def save(self) -> Sequence[str]:
        return [self._kept[ranked].value for ranked in (False, True)]

    def restore(self, saved: object) -> None:
        known = {order.value: order for order in Order}
        if isinstance(saved, list) and len(saved) == 2 and all(one in known for one in saved):
            listed, found = (known[one] for one in saved)
            if listed is not Order.relevance:
                self._kept = {False: listed, True: found}
                self.show_for(self._ranked)

    def _choose(self, order: Order) -> None:
        self.choose(order)
        self.selected.emit(order)

    def _reverse(self) -> None:
        self._choose(self._kept[self._ranked].reverse)

    def _paint(self, theme: Theme) -> None:
        self.setIcon(icon("sort", theme.accent))
