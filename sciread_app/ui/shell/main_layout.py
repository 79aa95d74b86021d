"""The layout of the main window: navigation bar, pages with a banner, and status bar."""

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

MARGIN, BANNER_WIDTH = 12, 480  # pixels from the edges of the page, at most
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
        self.banner = MessageBar(appearance)
        self.wait = EmptyState(appearance)
        self.wait.show_message("papers", tr("Opening the library"))
        self.pages = _PageStack()
        self.pages.addWidget(self.wait)
        self.area = _PageArea(self.pages)
        self.job_panel = JobPanel(history, appearance)
        self.foot = StatusBar(jobs)
        self.navigation = Navigation(appearance, self)
        rail, tabs = self.navigation.rail, self.navigation.tabs
        rail.enable_places(False)
        rail.activity.clicked.connect(self.job_panel.toggle)
        self.job_panel.toggled.connect(rail.activity.setChecked)
        for changed in (history.added, history.changed):
            changed.connect(lambda _: rail.activity.show_count(len(history.going())))
        # This is the tab order, which is circular: navigation bar, tabs, banner, page, task panel,
        # status bar.
        for part in (self.job_panel, self.foot, rail, tabs, self.banner, self.area):
            part.setParent(self)
        # The bar keeps its height when the task panel opens, so that its button stays in place.
        beside = column(tabs, (self.area, 1), self.job_panel, spacing=0)
        across = row(rail, (beside, 1), spacing=0)
        self._parts = column((across, 1), self.foot, parent=self, margins=0, spacing=0)
        self.banner.changed.connect(self._show_banner)
        self.pages.currentChanged.connect(lambda _: self._show_page())
        self.area.installEventFilter(self)
        self.pages.installEventFilter(self)
        self._laid_out = QTimer(self, singleShot=True, interval=LAID_OUT_MS)
        self._laid_out.timeout.connect(self._uncover)

    def show_above(self, bar: QWidget) -> None:
        """Show a bar above the navigation bar and the pages."""
        self._parts.insertWidget(0, bar)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self.banner.isVisible():
            if watched is self.pages and event.type() == QEvent.Type.LayoutRequest:
                self._laid_out.start()
            elif watched is self.area and event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
                self._place_banner([])
        return super().eventFilter(watched, event)

    def _show_page(self) -> None:
        if self.banner.isVisible():
            self._place_banner(self._in_use())

    def _show_banner(self, new: bool) -> None:
        """Place a new message. One shown because another was closed stays in the same place."""
        if new:
            self._place_banner(self._in_use())
        else:
            before, area = self.banner.geometry(), self._banner_area()
            room = min(before.bottom(), area.bottom()) + 1 - area.top()
            place = QRect(QPoint(), self.banner.fit(QSize(before.width(), room)))
            place.moveBottomRight(before.bottomRight())
            self.banner.setGeometry(place)

    def _place_banner(self, keep_clear: Sequence[QRect]) -> None:
        """Place the banner where it covers nothing of `keep_clear` and few controls of the page."""
        area = self._banner_area()
        size = self.banner.fit(QSize(min(BANNER_WIDTH, area.width()), area.height()))
        controls, trees = self._visible(CONTROLS), self._visible((QTreeView,))
        self.banner.setGeometry(clear_place(size, area, keep_clear, controls, trees))
        self.banner.raise_()

    def _uncover(self) -> None:
        """Move the message bar off controls that appeared under it, unless it has the mouse or the
        focus."""
        banner, used = self.banner, QApplication.focusWidget()
        if not banner.isVisible() or banner.underMouse() or (used and banner.isAncestorOf(used)):
            return
        controls = self._visible(CONTROLS)
        place = clear_place(banner.size(), self._banner_area(), self._in_use(), controls)
        if overlaps(place, controls) < overlaps(banner.geometry(), controls):
            banner.setGeometry(place)

    def _banner_area(self) -> QRect:
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
