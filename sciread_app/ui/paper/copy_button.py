"""The button that copies papers in the format used last, and the menu of all formats."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QToolButton

from sciread_app.domain.clipboard_formats import (
    STYLES,
    Copied,
    CopyAs,
    CopyWhat,
    Style,
    copy_groups,
)
from sciread_app.language import tr
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Theme, styled
from sciread_app.ui.widgets.rounded_popup import rounded

GROUPS = copy_groups([Style(key, title) for key, title in STYLES.items()])
NAMES = {what: name for group in GROUPS for what, name in group}
OTHER_STYLE = tr("Other citation style…")
FEEDBACK_MS = 1500


class CopyButton(QToolButton):
    """Requests a copy in the format shown, or in another one from its menu, and reports the result
    in place of its text for a moment."""

    copy_requested = Signal(object)  # CopyWhat
    other_requested = Signal()  # a citation style that is not in the menu

    def __init__(self) -> None:
        super().__init__()
        styled(self, "plain")
        self.what: CopyWhat = CopyAs.bibtex
        self._name = NAMES[self.what]
        self._short = False
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMenu(rounded(QMenu(self)))
        fill(self.menu(), self.copy_requested.emit, self.other_requested.emit)
        self.clicked.connect(lambda: self.copy_requested.emit(self.what))
        self._back = QTimer(self, singleShot=True, interval=FEEDBACK_MS)
        self._back.timeout.connect(self.show_format)
        self.show_format()

    def choose(self, what: CopyWhat, name: str) -> None:
        """Set the format that the button copies; `name` is its display name."""
        self.what, self._name = what, name
        if not self._back.isActive():
            self.show_format()

    def set_short(self, short: bool) -> None:
        """Show only the name of the format, for a narrow panel."""
        if short != self._short:
            self._short = short
            if not self._back.isActive():
                self.show_format()

    def show_busy(self) -> None:
        self._back.stop()
        self.setText(tr("Copying…"))

    def show_done(self, text: str) -> None:
        self.setText(text)
        self._back.start()

    def paint(self, theme: Theme) -> None:
        self.setIcon(icon("copy", theme.text))

    def show_format(self) -> None:
        """Show what the button copies, in place of the state of the last copy."""
        # Translators: what is copied is such as BibTeX, DOI, or APA, in the text
        copies = tr("Copy {what}", what=self._name)
        self.setText(self._name if self._short else copies)
        self.setAccessibleName(copies)
        self.setToolTip(tr("{copies} (Ctrl+Shift+C). The arrow shows more formats.", copies=copies))


def fill(menu: QMenu, do: Callable[[CopyWhat], object], choose_style: Callable[[], object]) -> None:
    """Fill a menu with all formats that papers can be copied in."""
    for group in GROUPS:
        if not menu.isEmpty():
            menu.addSeparator()
        for what, name in group:
            menu.addAction(name, partial(do, what))
    menu.addSeparator()
    menu.addAction(OTHER_STYLE, choose_style)


def put_on_clipboard(copied: Copied) -> None:
    data = QMimeData()
    data.setText(copied.text)
    if copied.html:
        data.setHtml(copied.html)
    QGuiApplication.clipboard().setMimeData(data)
