"""The titles of papers beside their points, when one is so near that there is room for them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPointF, QRectF, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from sciread_app.domain.paper import PaperId
from sciread_app.domain.tex import readable
from sciread_app.language import tr
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.map.ink import Seen
from sciread_app.ui.map.labels import HALO, Lettering, Placed
from sciread_app.ui.map.points import Points
from sciread_app.ui.papers import CardSource
from sciread_app.ui.theme import Theme, scaled
from sciread_app.ui.values import Card

FEW = 80  # points in sight that may have their titles beside them
SHOWN = 44  # characters of a title
GAP = 3.0  # pixels between point and title
PAUSE_MS = 120  # so that nothing is read while one moves
KEPT = 2_000


class Titles(QObject):
    came = Signal()

    def __init__(self, source: CardSource, jobs: Jobs, font: QFont) -> None:
        super().__init__()
        self._source = source
        self._jobs = jobs
        self._font = scaled(font, 0.88)
        self._metrics = QFontMetricsF(self._font)
        self._known: dict[int, str] = {}
        self._wanted: list[int] = []
        self._soon = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._soon.timeout.connect(self._read)

    def forget(self) -> None:
        """The library has changed."""
        self._known.clear()

    def want(self, papers: Sequence[int]) -> None:
        """These are in sight."""
        self._wanted = [paper for paper in papers if paper not in self._known]
        if self._wanted:
            self._soon.start()

    def beside(
        self,
        points: Points,
        seen: Seen,
        radius: float,
        frame: QRectF,
        taken: Sequence[QRectF],
    ) -> list[Placed]:
        """Titles for the points in sight, if they are few; those not known yet come later."""
        if len(seen.numbers) > FEW:
            return []
        papers = points.ids[seen.numbers].tolist()
        self.want(papers)
        at = [QPointF(x, y) for x, y in seen.pixels.tolist()]
        return self.place(papers, at, radius, frame, taken)

    def place(
        self,
        papers: Sequence[int],
        at: Sequence[QPointF],
        radius: float,
        frame: QRectF,
        taken: Sequence[QRectF],
    ) -> list[Placed]:
        """Where titles go that are known and have room in the frame, beside points and others."""
        found: list[Placed] = []
        full = [*taken, *(_around(point, radius) for point in at)]
        for paper, point in zip(papers, at, strict=True):
            title = self._known.get(paper)
            if not title:
                continue
            width, height = (
                self._metrics.horizontalAdvance(title) + 2 * HALO,
                self._metrics.height(),
            )
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
        self, painter: QPainter, letters: Lettering, titles: Sequence[Placed], theme: Theme
    ) -> None:
        for title in titles:
            letters.paint(painter, title, self._font, theme, ringed=False)

    def _read(self) -> None:
        papers = [PaperId(paper) for paper in self._wanted]
        self._jobs.run(
            tr("Reading titles"),
            lambda task: self._source.cards(papers),
            self._keep,
            lane=Lane.light,
            instead_of=f"map titles {id(self)}",  # two maps may lie side by side
        )

    def _keep(self, cards: Sequence[Card]) -> None:
        if len(self._known) > KEPT:
            self._known.clear()
        for card in cards:
            title = readable(card.paper.title)
            short = f"{title[:SHOWN].rstrip()}…" if len(title) > SHOWN else title
            self._known[card.paper.id or 0] = short
        self.came.emit()


def _around(point: QPointF, radius: float) -> QRectF:
    return QRectF(point.x() - radius, point.y() - radius, 2 * radius, 2 * radius)
