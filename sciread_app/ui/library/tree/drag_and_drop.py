"""Dragging papers and collections: their MIME data, and drags that start in the list of papers."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QDrag, QMouseEvent, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from sciread_app.domain.paper import PaperId
from sciread_app.language import trn
from sciread_app.ui.paper_list.paper_list import PaperList

PAPERS = "application/x-sciread-papers"
PATHS = "application/x-sciread-collections"


def pack_papers(ids: Iterable[int]) -> QMimeData:
    data = QMimeData()
    data.setData(PAPERS, array("q", ids).tobytes())
    return data


def papers_in(data: QMimeData) -> list[PaperId]:
    ids = array("q")
    ids.frombytes(data.data(PAPERS).data())
    return [PaperId(i) for i in ids]


def pack_paths(paths: Sequence[str]) -> QMimeData:
    data = QMimeData()
    data.setData(PATHS, json.dumps(paths).encode())
    return data


def paths_in(data: QMimeData) -> list[str]:
    return [str(path) for path in json.loads(bytes(data.data(PATHS).data()) or b"[]")]


class PaperDrag(QObject):
    """Starts drags in place of the view's own implementation, which creates an object for each
    selected row."""

    def __init__(self, hits: PaperList) -> None:
        super().__init__(hits)
        self._hits = hits
        self._from: QPoint | None = None
        hits.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QMouseEvent):
            return False
        place = event.position().toPoint()
        if event.type() is QEvent.Type.MouseButtonPress:
            on_paper = self._hits.indexAt(place).isValid()
            left = event.button() is Qt.MouseButton.LeftButton
            self._from = place if on_paper and left else None
        elif event.type() is QEvent.Type.MouseButtonRelease:
            self._from = None
        elif self._from is not None and event.type() is QEvent.Type.MouseMove:
            if (place - self._from).manhattanLength() >= QApplication.startDragDistance():
                self._from = None
                self._start()
            return True  # nor does the view change the selection while the mouse moves
        return False

    def _start(self) -> None:
        chosen = self._hits.selected()
        if chosen:
            drag = QDrag(self._hits)
            drag.setMimeData(pack_papers(chosen))
            drag.setPixmap(self._picture(trn("{n:,} paper", "{n:,} papers", len(chosen))))
            drag.setHotSpot(QPoint(-12, -8))
            drag.exec(Qt.DropAction.CopyAction)

    def _picture(self, text: str) -> QPixmap:
        """The drag pixmap: the number of papers."""
        palette, metrics = self._hits.palette(), self._hits.fontMetrics()
        box = QRect(0, 0, metrics.horizontalAdvance(text) + 24, metrics.height() + 12)
        scale = self._hits.devicePixelRatioF()
        picture = QPixmap(box.size() * scale)
        picture.setDevicePixelRatio(scale)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.highlight().color()))
        painter.drawRoundedRect(box, 8, 8)
        painter.setPen(palette.highlightedText().color())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        painter.end()
        return picture
