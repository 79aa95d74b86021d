"""The dialog of keyboard shortcuts: finds actions by name or keys, runs them, and changes their
shortcuts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QSize, Qt
from PySide6.QtGui import QAction, QFont, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from sciread_app.domain.text.folding import fold_accents
from sciread_app.language import tr, trc
from sciread_app.ui.actions import ActionRegistry
from sciread_app.ui.shell.commands.custom_shortcuts import CustomShortcuts
from sciread_app.ui.shell.commands.menu_bar import native
from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.segmented_control import SegmentedControl

MenuShortcuts = tuple[str, Sequence[tuple[str, QAction]]]  # the title of a menu, names and actions
SIZE = QSize(640, 600)  # at most
ON_PAGE, ALL = range(2)  # segments
_ACTION = Qt.ItemDataRole.UserRole
_WORDS = Qt.ItemDataRole.UserRole + 1  # the text that is filtered


class FixedKeys(NamedTuple):
    """Keys of a part of a page that are not shortcuts of actions."""

    page: str
    title: str
    rows: Sequence[tuple[str, str]]


# Translators: the key with an arrow down
_DOWN = tr("Down")
_ARROWS = tr("Arrow keys")
FIXED = (
    FixedKeys(
        "search",
        tr("Paper list"),
        (
            (tr("Next or previous paper"), tr("J, K, or arrow keys")),
            (tr("Move to details"), tr("Enter")),
            (tr("Show or hide details"), trc("the key", "Space")),
            (tr("More like this, not like this"), tr("+ or -")),
            (tr("Move from search box to list"), _DOWN),
            (tr("Go back"), tr("Esc")),
        ),
    ),
    FixedKeys(
        "search",
        tr("Map"),
        (
            (tr("Move the map"), _ARROWS),
            (tr("Zoom"), tr("+ or -")),
            (tr("Show the whole map"), tr("0 or Home")),
            (tr("Next or previous group"), tr("Tab or Shift+Tab")),
            (tr("List the papers of the group"), tr("Enter")),
        ),
    ),
    FixedKeys(
        "reader",
        tr("Reader"),
        (
            (tr("Scroll by a screen"), tr("Space or Shift+Space")),
            (tr("Next or previous page"), tr("N or P")),
            (tr("Beginning or end of the file"), tr("Home or End")),
            (tr("Extend the selection"), tr("Shift+arrow keys")),
        ),
    ),
    FixedKeys(
        "duplicates",
        tr("Duplicates"),
        (
            (tr("Next or previous pair"), tr("Up or Down")),
            (tr("Select the values of one paper"), tr("Left or Right")),
        ),
    ),
    FixedKeys(
        "foryou",
        tr("Discover"),
        (
            (tr("More like this, dismiss"), tr("+ or -")),
            (tr("Read later"), "L"),
        ),
    ),
)


class ShortcutsDialog(QDialog):
    """Lists the actions by menu. Enter or a double click runs the selected action."""

    def __init__(
        self,
        groups: Sequence[MenuShortcuts],
        shortcuts: CustomShortcuts,
        registry: ActionRegistry,
        page: str,
        parent: QWidget,
    ) -> None:
        """`page` is the key of the page that is shown."""
        super().__init__(parent)
        self.setWindowTitle(tr("Keyboard shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._shortcuts = shortcuts
        self._wanted: QKeySequence | None = None  # keys of another action, to reassign
        self.filter = styled(QLineEdit(placeholderText=tr("Filter actions or keys")), "field")
        self.filter.setAccessibleName(tr("Filter actions or keys"))
        self.filter.setClearButtonEnabled(True)
        self.scope = SegmentedControl(
            tr("Listed actions"),
            (
                (tr("This page"), tr("Shortcuts that can be used on this page")),
                (
                    trc("of the actions", "All"),
                    tr("All actions, including those without a shortcut"),
                ),
            ),
        )
        self.list = self._new_list()
        self.nothing = styled(QLabel(tr("No matching actions")), "quiet")
        self.label = styled(QLabel(wordWrap=True), "quiet")
        self.editor = KeysField()
        self.editor.setMaximumSequenceLength(1)
        self.editor.setClearButtonEnabled(True)
        if box := self.editor.findChild(QLineEdit):
            styled(box, "field")
        self.reassign = QPushButton(tr("Reassign"))
        self.reset = QPushButton(tr("Reset"))
        self.reset_all = QPushButton(tr("Reset all"))
        self.reset_all.setToolTip(tr("Restore the default shortcuts of all actions"))
        for button in (self.reassign, self.reset, self.reset_all):
            button.setAutoDefault(False)
        self._fill(groups, registry, page)
        self._lay_out(parent)
        self._connect()
        self._show_current()

    def open_for(self, scope: int) -> None:
        """Show the shortcuts of the page or all actions."""
        self.scope.choose(scope)
        self._filter()
        self.show()
        self.filter.setFocus(Qt.FocusReason.PopupFocusReason)

    def current(self) -> QAction | None:
        """The selected action, if any."""
        item = self.list.currentItem()
        return item.data(0, _ACTION) if item and not item.isHidden() else None

    def listed(self) -> list[tuple[str, str]]:
        """The names and keys of the rows that are shown."""
        rows = (item for group in self._groups() for item in _rows(group))
        return [(item.text(0), item.text(1)) for item in rows if not item.isHidden()]

    def _new_list(self) -> QTreeWidget:
        found = styled(QTreeWidget(columnCount=2), "outline")
        found.setAccessibleName(tr("Keyboard shortcuts"))
        found.setHeaderLabels([tr("Action"), tr("Shortcut")])
        found.setRootIsDecorated(False)
        found.setItemsExpandable(False)
        found.setUniformRowHeights(True)
        found.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        found.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        found.header().setStretchLastSection(False)
        return found

    def _fill(self, groups: Sequence[MenuShortcuts], registry: ActionRegistry, page: str) -> None:
        for fixed in FIXED:
            group = self._add_group(fixed.title)
            for name, keys in fixed.rows:
                item = self._add_row(group, name, keys)
                item.setData(1, _ACTION, fixed.page == page)
        for title, rows in groups:
            group = self._add_group(title)
            for name, action in rows:
                item = self._add_row(group, name, native(action))
                pages = registry.pages_of_action(action)
                item.setData(0, _ACTION, action)
                item.setData(1, _ACTION, not pages or page in pages)
        self.list.expandAll()

    def _add_group(self, title: str) -> QTreeWidgetItem:
        group = QTreeWidgetItem([title])
        group.setFlags(Qt.ItemFlag.ItemIsEnabled)
        group.setFont(0, scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self.list.addTopLevelItem(group)
        return group

    def _add_row(self, group: QTreeWidgetItem, name: str, keys: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([name, keys])
        item.setData(0, _WORDS, fold_accents(f"{group.text(0)} {name}"))
        group.addChild(item)
        return item

    def _groups(self) -> list[QTreeWidgetItem]:
        tops = (self.list.topLevelItem(n) for n in range(self.list.topLevelItemCount()))
        return [group for group in tops if group]

    def _lay_out(self, parent: QWidget) -> None:
        close = QPushButton(tr("Close"))
        close.setAutoDefault(False)
        close.clicked.connect(self.reject)
        column(
            row((self.filter, 1), self.scope, spacing=10),
            (self.list, 1),
            self.nothing,
            self.label,
            row((self.editor, 1), self.reassign, self.reset, self.reset_all, 1, close, spacing=8),
            parent=self,
            margins=(18, 16, 18, 14),
            spacing=10,
        )
        self.resize(SIZE.boundedTo(parent.size().expandedTo(QSize(420, 320))))

    def _connect(self) -> None:
        self.filter.textChanged.connect(lambda _: self._filter())
        self.filter.returnPressed.connect(self._run)
        self.scope.selected.connect(lambda _: self._filter())
        self.list.currentItemChanged.connect(lambda *_: self._show_current())
        self.list.itemActivated.connect(lambda *_: self._run())
        self.editor.editingFinished.connect(self._take_keys)
        self.reassign.clicked.connect(self._reassign)
        self.reset.clicked.connect(self._reset)
        self.reset_all.clicked.connect(self._shortcuts.reset_all)
        self._shortcuts.changed.connect(self._show_keys)

    def _filter(self) -> None:
        wanted = fold_accents(self.filter.text().strip())
        on_page = self.scope.current == ON_PAGE
        found = []
        for group in self._groups():
            for item in _rows(group):
                here = bool(item.text(1)) and item.data(1, _ACTION) if on_page else True
                item.setHidden(not here or not _matches(wanted, item))
            shown = [item for item in _rows(group) if not item.isHidden()]
            group.setHidden(not shown)
            found += shown
        self.nothing.setVisible(not found)
        first = self.list.indexFromItem(found[0]) if wanted and found else QModelIndex()
        self.list.setCurrentIndex(first)
        self._show_current()

    def _run(self) -> None:
        action = self.current()
        if not action:
            return
        if unavailable_reason := action.property("unavailable_reason"):
            self.label.setText(str(unavailable_reason))
        else:
            self.accept()
            action.trigger()

    def _show_current(self) -> None:
        action = self.current()
        self._wanted = None
        self.reassign.hide()
        self.editor.setEnabled(action is not None)
        self.reset.setEnabled(action is not None and self._shortcuts.is_custom(action))
        self.editor.setKeySequence(action.shortcut() if action else QKeySequence())
        if action:
            name = self._shortcuts.name(action)
            self.label.setText(tr("To change the shortcut of “{name}”, press keys:", name=name))
            self.editor.setAccessibleName(tr("Shortcut of “{name}”", name=name))
        elif self.list.currentItem():
            self.label.setText(tr("These keys cannot be changed."))
        else:
            self.label.setText(tr("Select an action to change its shortcut."))

    def _take_keys(self) -> None:
        action, keys = self.current(), self.editor.keySequence()
        if not action or keys == action.shortcut():
            return
        if unavailable_reason := self._shortcuts.unavailable_reason(action, keys):
            self._show_current()
            self.label.setText(unavailable_reason)
        elif other := self._shortcuts.other(action, keys):
            self._wanted = keys
            self.label.setText(
                tr(
                    "{keys} is already the shortcut of “{other}”.",
                    keys=keys.toString(QKeySequence.SequenceFormat.NativeText),
                    other=self._shortcuts.name(other),
                )
            )
            self.reassign.show()
        else:
            self._shortcuts.set(action, keys)

    def _reassign(self) -> None:
        action, keys = self.current(), self._wanted
        if action and keys:
            self._shortcuts.set(action, keys)
            self.editor.setFocus()

    def _reset(self) -> None:
        if action := self.current():
            self._shortcuts.reset(action)

    def _show_keys(self) -> None:
        for group in self._groups():
            for item in _rows(group):
                if action := item.data(0, _ACTION):
                    item.setText(1, native(action))
        self._show_current()


class KeysField(QKeySequenceEdit):
    """A field for a shortcut, in which Esc closes the dialog as in other fields."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            event.ignore()
        else:
            super().keyPressEvent(event)


def _rows(group: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    rows = (group.child(n) for n in range(group.childCount()))
    return [item for item in rows if item]


def _matches(typed: str, item: QTreeWidgetItem) -> bool:
    """Return whether the keys of a row or the words of its name match a folded text."""
    wanted, keys = re.findall(r"[^\s+]+|\+(?=\s|$)", typed), item.text(1).lower()
    parts = {*keys.split("+"), *keys.split()}
    by_keys = all(word in parts for word in wanted)
    return by_keys or all(word in item.data(0, _WORDS) for word in wanted)
