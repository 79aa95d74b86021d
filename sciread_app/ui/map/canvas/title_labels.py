"""Titles of papers next to their points, shown when zoomed in far enough."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPointF, QRectF, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from sciread_app.domain.paper import PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.ui.formatting import shortened
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.map.canvas.group_labels import LabelRenderer
from sciread_app.ui.map.canvas.label_placement import HALO, Placed
from sciread_app.ui.map.canvas.point_renderer import Viewport
from sciread_app.ui.map.canvas.points import MapPoints
from sciread_app.ui.paper_list.paper_list import CardSource
from sciread_app.ui.style.theme import Theme, scaled
from sciread_app.ui.view_models import Card

MAX_TITLES = 80  # visible points up to which titles are shown
TITLE_LENGTH = 45  # characters of a title
GAP = 3.0  # pixels between point and title
PAUSE_MS = 120  # delay, so that nothing is read while the view moves
CACHE_SIZE = 2_000


class TitleLabels(QObject):
    """Places the titles of visible papers so that they overlap nothing. Titles are loaded after a
    pause, then `loaded` asks for a repaint."""

    loaded = Signal()

    def __init__(self, source: CardSource, jobs: JobRunner, font: QFont) -> None:
        super().__init__()
        self._source = source
        self._jobs = jobs
        self._font = scaled(font, 0.88)
        self._metrics = QFontMetricsF(self._font)
        self._cache: dict[int, str] = {}
        self._requested: list[int] = []
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self._read)

    def clear_cache(self) -> None:
        """Drop all cached titles, because the library has changed."""
        self._cache.clear()

    def labels_for(
        self,
        points: MapPoints,
        visible: Viewport,
        radius: float,
        frame: QRectF,
        occupied: Sequence[QRectF],
    ) -> list[Placed]:
        """Titles for the visible points, if these are few. Unknown titles are loaded and come
        later.
        """
        if len(visible.numbers) > MAX_TITLES:
            return []
        papers = points.ids[visible.numbers].tolist()
        self._requested = [paper for paper in papers if paper not in self._cache]
        if self._requested:
            self._timer.start()
        at = [QPointF(x, y) for x, y in visible.pixels.tolist()]
        return self._place(papers, at, radius, frame, occupied)

    def _place(
        self,
        papers: Sequence[int],
        at: Sequence[QPointF],
        radius: float,
        frame: QRectF,
        occupied: Sequence[QRectF],
    ) -> list[Placed]:
        """Positions of known titles that fit in the frame, clear of points and other labels."""
        found: list[Placed] = []
        full = [*occupied, *(_around(point, radius) for point in at)]
        for paper, point in zip(papers, at, strict=True):
            title = self._cache.get(paper)
            if not title:
                continue
            width = self._metrics.horizontalAdvance(title) + 2 * HALO
            height = self._metrics.height()
            right = QRectF(point.x() + radius + GAP - HALO, 0, width, height + 2)
            left = QRectF(point.x() - radius - GAP + HALO - width, 0, width, height + 2)
            for box in (right, left):
                box.moveTop(point.y() - height / 2 - 1)
                text = box.adjusted(HALO + 1, 2, -HALO - 1, -2)
                if frame.contains(text) and not any(text.intersects(one) for one in full):
                    found.append(Placed(paper, title, box))
                    full.append(text)
                    break
        return found

    def paint(
        self, painter: QPainter, letters: LabelRenderer, titles: Sequence[Placed], theme: Theme
    ) -> None:
        for title in titles:
            letters.paint(painter, title, self._font, theme, ringed=False)

    def _read(self) -> None:
        papers = [PaperId(paper) for paper in self._requested]
        self._jobs.run(
            tr("Loading titles"),
            lambda task: self._source.cards(papers),
            self._keep,
            replaces=f"map titles {id(self)}",  # two maps may be shown side by side
        )

    def _keep(self, cards: Sequence[Card]) -> None:
        if len(self._cache) > CACHE_SIZE:
            self._cache.clear()
        for card in cards:
            title = shortened(readable(card.paper.title), TITLE_LENGTH)
            self._cache[card.paper.id or 0] = title
        self.loaded.emit()


def _around(point: QPointF, radius: float) -> QRectF:
    return QRectF(point.x() - radius, point.y() - radius, 2 * radius, 2 * radius)
