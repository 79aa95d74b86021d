"""Shows the paper that a citation under the mouse leads to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRect, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QToolTip, QWidget

from sciread_app.domain.annotations.annotations import Link
from sciread_app.language import tr
from sciread_app.services.library.reader import (
    CitedPaper,
    OpenFile,
    PageFailed,
    ReaderService,
)
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.reader.overlays.citation_card import CitationCard
from sciread_app.ui.reader.pages.page_view import PageView

WAIT_MS = 350  # over a link, until its paper is looked up
LEAVE_MS = 300  # until the card is hidden, in which the mouse can move to it

Hovered = tuple[int, Link]  # the page, and the link on it


class CitationPreview(QObject):
    """Looks up the citation under the mouse in the background, and shows it in a card; by keyboard,
    that of one citation in sight after another.

    Of a link that is no citation, a tooltip names the page.
    """

    def __init__(
        self,
        parent: QWidget,
        view: PageView,
        file: OpenFile,
        files: ReaderService,
        jobs: JobRunner,
    ) -> None:
        super().__init__(parent)
        self._parent, self._view = parent, view
        self._file, self._files, self._jobs = file, files, jobs
        self._hovered: Hovered | None = None
        self._shown: Hovered | None = None
        self._known: dict[Hovered, CitedPaper | None] = {}
        self.card = CitationCard(parent, view)
        self._wait = self._timer(WAIT_MS, self._look_up)
        self._leave = self._timer(LEAVE_MS, self._close)
        view.mouse.link_hovered.connect(self._hover)
        view.view_changed.connect(self.hide)
        view.refreshed.connect(self._give_way)
        view.mouse.link_clicked.connect(lambda _: self.hide())
        self.card.mouse_entered.connect(self._leave.stop)
        self.card.mouse_left.connect(self._leave.start)
        self.card.escaped.connect(self.hide)
        self.card.open_requested.connect(lambda _: self.hide())
        self.card.add_requested.connect(lambda _: self.hide())

    def forget(self) -> None:
        """Look papers up again, since the library has changed."""
        self._known.clear()

    def stop(self) -> None:
        """Stop looking a paper up, before the file is closed."""
        self._wait.stop()
        self._jobs.drop("citation")

    def show_next(self) -> None:
        """Show the first citation in sight, or the one after the card shown, and focus its card."""
        links = [one for one in self._view.visible_links() if one[1].spot]
        start = links.index(self._shown) + 1 if self._shown in links else 0
        self._show_first(links[start:] + links[:start])

    def _show_first(self, links: Sequence[Hovered]) -> None:
        """Show the first of these links that is a citation. A citation that is broken across lines
        has a link in each."""
        self._hovered = None
        for number, link in enumerate(links):
            if link not in self._known:
                self._find(link, partial(self._show_first, links[number:]))
                return
            if self._known[link] and not (self._shown and self._shown[1].spot == link[1].spot):
                self._show(link)
                self.card.take_focus()
                return
        if self._shown is None:
            middle = self._view.viewport().rect().center()
            text = tr("No citations in view link to the bibliography.")
            QToolTip.showText(self._view.viewport().mapToGlobal(middle), text, self._view)

    def hide(self) -> None:
        self._wait.stop()
        self._close()

    def _give_way(self) -> None:
        """Hide the card while something is selected, or it would cover the bar at the selection."""
        if self._view.is_selecting:
            self.hide()

    def _close(self) -> None:
        self._leave.stop()
        self._shown = None
        self.card.hide()

    def _hover(self, page: int, link: Link | None) -> None:
        self._hovered = (page, link) if link and link.spot else None
        self._wait.stop()
        if self._hovered and self._hovered == self._shown:
            self._leave.stop()
            return
        if self._shown:
            self._leave.start()
        if self._hovered:
            self._wait.start()

    def _look_up(self) -> None:
        hovered = self._hovered
        if hovered is None or self._view.is_selecting:
            return
        if hovered in self._known:
            self._show(hovered)
            return

        def show() -> None:
            if self._hovered == hovered and not self._view.is_selecting:
                self._show(hovered)

        self._find(hovered, show)

    def _find(self, hovered: Hovered, then: Callable[[], None]) -> None:
        """Look up the paper that a link cites, in the background."""
        page, link = hovered

        def work(task: Task) -> CitedPaper | None:
            try:
                return self._files.cited(self._file, page, link, task)
            except PageFailed:  # the page that it leads to is damaged
                return None

        def done(cited: CitedPaper | None) -> None:
            self._known[hovered] = cited
            then()

        self._jobs.run(tr("Looking up a citation"), work, done, replaces="citation")

    def _show(self, hovered: Hovered) -> None:
        page, link = hovered
        self.hide()
        cited = self._known[hovered]
        if cited is None:
            assert link.spot
            text = tr("Page {page}", page=link.spot.page + 1)
            QToolTip.showText(QCursor.pos(), text, self._view.viewport())
            return
        self._shown = hovered
        corner = self._view.viewport().mapTo(self._parent, QPoint())
        area = QRect(corner, self._view.viewport().size())
        self.card.show_cited(cited)
        self.card.show_beside(self._view.box_rect(page, link.box).translated(corner), area)

    def _timer(self, interval: int, act: Callable[[], None]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=interval)
        timer.timeout.connect(act)
        return timer
