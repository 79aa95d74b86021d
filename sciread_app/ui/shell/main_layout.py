"""The layout of the main window: navigation bar, pages with a message bar, and status bar."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFrame,
    QLineEdit,
    QScrollArea,
    QStackedWidget,
    QTreeView,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.shell.job_history import JobHistory
from sciread_app.ui.shell.job_panel import JobPanel
from sciread_app.ui.shell.navigation import Navigation
from sciread_app.ui.shell.status_bar import StatusBar
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.widgets.dialogs.window_placement import clear_place, overlaps
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.messages.empty_state import EmptyState
from sciread_app.ui.widgets.messages.message_bar import MessageBar

MARGIN, MESSAGES_WIDTH = 12, 480  # pixels from the edges of the page, at most
AROUND_MOUSE = 24
LEAST_PAGE = 200  # pixels, width and height
LAID_OUT_MS = 40  # after a change of the page, until its controls are in their places
CONTROLS = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox)


class _PageStack(QStackedWidget):
    """A stack that is as large as its current page needs, not as the largest."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(lambda _: self.updateGeometry())

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return page.minimumSizeHint() if page else QSize()

    def heightForWidth(self, width: int) -> int:
        page = self.currentWidget()
        return page.heightForWidth(width) if page and page.hasHeightForWidth() else -1


class _PageArea(QScrollArea):
    """Scrolls a page that needs more room than a small screen has, so that none of it is cut."""

    def __init__(self, pages: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(pages)
        self.viewport().setAutoFillBackground(False)
        pages.setAutoFillBackground(False)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_PAGE, LEAST_PAGE)

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()


class MainLayout(QWidget):
    """The parts of the window, in tab order. The message bar floats over the page, where it covers
    as few controls as possible."""

    def __init__(self, jobs: JobRunner, history: JobHistory, appearance: Appearance) -> None:
        super().__init__()
        self.messages = MessageBar(appearance)
        self.loading_page = EmptyState(appearance)
        self.loading_page.show_message("papers", tr("Opening the library"))
        self.pages = _PageStack()
        self.pages.addWidget(self.loading_page)
        self.area = _PageArea(self.pages)
        self.job_panel = JobPanel(history, appearance)
        self.status_bar = StatusBar(jobs)
        self.navigation = Navigation(appearance, self)
        bar, tabs = self.navigation.bar, self.navigation.tabs
        bar.enable_places(False)
        bar.activity.clicked.connect(self.job_panel.toggle)
        self.job_panel.toggled.connect(bar.activity.setChecked)
        for changed in (history.added, history.changed):
            changed.connect(lambda _: bar.activity.show_count(len(history.going())))
        # This is the tab order, which is circular: navigation bar, tabs, message bar, page, task
        # panel, status bar.
        for part in (self.job_panel, self.status_bar, bar, tabs, self.messages, self.area):
            part.setParent(self)
        # The bar keeps its height when the task panel opens, so that its button stays in place.
        beside = column(tabs, (self.area, 1), self.job_panel, spacing=0)
        across = row(bar, (beside, 1), spacing=0)
        self._parts = column((across, 1), self.status_bar, parent=self, margins=0, spacing=0)
        self.messages.changed.connect(self._show_messages)
        self.pages.currentChanged.connect(lambda _: self._show_page())
        self.area.installEventFilter(self)
        self.pages.installEventFilter(self)
        self._laid_out = QTimer(self, singleShot=True, interval=LAID_OUT_MS)
        self._laid_out.timeout.connect(self._uncover)

    def show_above(self, bar: QWidget) -> None:
        """Show a bar above the navigation bar and the pages."""
        self._parts.insertWidget(0, bar)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self.messages.isVisible():
            if watched is self.pages and event.type() == QEvent.Type.LayoutRequest:
                self._laid_out.start()
            elif watched is self.area and event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
                self._place_messages([])
        return super().eventFilter(watched, event)

    def _show_page(self) -> None:
        if self.messages.isVisible():
            self._place_messages(self._in_use())

    def _show_messages(self, new: bool) -> None:
        """Place a new message. One shown because another was closed stays in the same place."""
        if new:
            self._place_messages(self._in_use())
        else:
            before, area = self.messages.geometry(), self._messages_area()
            room = min(before.bottom(), area.bottom()) + 1 - area.top()
            place = QRect(QPoint(), self.messages.fit(QSize(before.width(), room)))
            place.moveBottomRight(before.bottomRight())
            self.messages.setGeometry(place)

    def _place_messages(self, keep_clear: Sequence[QRect]) -> None:
        """Place the message bar where it covers nothing of `keep_clear` and few controls."""
        area = self._messages_area()
        size = self.messages.fit(QSize(min(MESSAGES_WIDTH, area.width()), area.height()))
        controls, trees = self._visible(CONTROLS), self._visible((QTreeView,))
        self.messages.setGeometry(clear_place(size, area, keep_clear, controls, trees))
        self.messages.raise_()

    def _uncover(self) -> None:
        """Move the message bar off controls that appeared under it, unless it has the mouse or the
        focus."""
        messages, used = self.messages, QApplication.focusWidget()
        if (
            not messages.isVisible()
            or messages.underMouse()
            or (used and messages.isAncestorOf(used))
        ):
            return
        controls = self._visible(CONTROLS)
        place = clear_place(messages.size(), self._messages_area(), self._in_use(), controls)
        if overlaps(place, controls) < overlaps(messages.geometry(), controls):
            messages.setGeometry(place)

    def _messages_area(self) -> QRect:
        return self.area.geometry().marginsRemoved(QMargins(MARGIN, MARGIN, MARGIN, MARGIN))

    def _visible(self, kinds: tuple[type[QWidget], ...]) -> list[QRect]:
        """Return the places of the visible widgets of these kinds on the page."""
        page = self.pages.currentWidget()
        return [
            self._place_of(one)
            for one in (page.findChildren(QWidget) if page else ())
            if isinstance(one, kinds) and one.isVisible()
        ]

    def _in_use(self) -> list[QRect]:
        """The control that has the focus, and what is under the mouse."""
        mouse = QRect(0, 0, AROUND_MOUSE, AROUND_MOUSE)
        mouse.moveCenter(self.mapFromGlobal(QCursor.pos()))
        focus = QApplication.focusWidget()
        used = isinstance(focus, (*CONTROLS, QTreeView)) and self.isAncestorOf(focus)
        return [mouse, self._place_of(focus)] if focus and used else [mouse]

    def _place_of(self, widget: QWidget) -> QRect:
        return QRect(widget.mapTo(self, QPoint()), widget.size())
