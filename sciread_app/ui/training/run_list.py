"""The list of training runs, each with a small loss curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionViewItem

from sciread_app.language import tr
from sciread_app.services.training.runs import TrainingRun
from sciread_app.ui.models.model_list import ROW, ModelDelegate, ModelList, ModelRow
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.training.text import KINDS, STATUS_LABELS, below
from sciread_app.ui.widgets.row_table import Index

_WIDE, _EDGE, _LEAST = 64, 12, 4  # width and margin of a curve in pixels; minimum number of points


class TrainingList(ModelList):
    """Up and Down move between runs; Enter and Right go to the details."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(appearance)
        self.setAccessibleName(tr("Training runs"))
        self._curves: dict[str, Sequence[float]] = {}
        self.setItemDelegate(TrainingDelegate(self._curves, appearance, self))

    def show_trainings(self, trainings: Sequence[TrainingRun], choose: str = "") -> None:
        self._curves.clear()
        self._curves.update({one.name: one.losses for one in trainings})
        self.show_rows([_row(one) for one in trainings], choose)
        self.viewport().update()


def _row(one: TrainingRun) -> ModelRow:
    share = one.step / one.steps if one.status.is_active and one.steps else None
    kind = KINDS.get(one.status, "")
    return ModelRow(one.name, one.name, below(one), STATUS_LABELS[one.status], kind, share)


class TrainingDelegate(ModelDelegate):
    """Paints a run like a model, with a small loss curve at the right once there are enough
    points."""

    def __init__(
        self, curves: Mapping[str, Sequence[float]], appearance: Appearance, parent: TrainingList
    ) -> None:
        super().__init__(appearance, parent)
        self._curves = curves

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        # Two text lines have room for a curve; a little more improves it.
        return super().sizeHint(option, index) + QSize(0, 4)

    def room_beside(self, row: ModelRow) -> int:
        return _WIDE + _EDGE if len(self._curves.get(row.key, ())) >= _LEAST else 0

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        row: ModelRow = index.data(ROW)
        losses = self._curves.get(row.key, ())
        if len(losses) < _LEAST:
            return
        top = option.rect.top() + 10 + QFontMetrics(self._title).height() + 6
        high = QFontMetrics(self._small).height()
        box = QRectF(option.rect.right() - _EDGE - _WIDE, top, _WIDE, high)
        self._paint_curve(painter, box, losses)

    def _paint_curve(self, painter: QPainter, box: QRectF, losses: Sequence[float]) -> None:
        low, high = min(losses), max(losses)
        span = (high - low) or 1.0
        points = [
            QPointF(
                box.left() + box.width() * place / (len(losses) - 1),
                box.bottom() - box.height() * (loss - low) / span,
            )
            for place, loss in enumerate(losses)
        ]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._appearance.theme.accent), 1.4))
        painter.drawPolyline(points)
        painter.restore()
