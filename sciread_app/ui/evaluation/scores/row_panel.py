"""Details of one metric: bars of the models, data, and how to read it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from sciread_app.language import tr, trn
from sciread_app.services.evaluation.leaderboard import ScoreRow
from sciread_app.services.evaluation.model_comparison import FEW
from sciread_app.ui.evaluation.charts.bar_chart import BarChart, differences
from sciread_app.ui.evaluation.view_models import EvaluationResults, about, data_words, how_read
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.widgets.layout.sections import scrolling
from sciread_app.ui.widgets.text.labels import plain_label
from trainer.contract.evaluations import NO_QUALITY


class RowPanel(QFrame):
    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.title = plain_label(font=scaled(self.font(), 1.25, QFont.Weight.DemiBold))
        self.below = styled(plain_label(), "quiet")
        self.bars = BarChart(appearance)
        self.facts = styled(plain_label(), "quiet")
        self.read = styled(plain_label(font=scaled(self.font(), 0.92)), "faint")
        inner = styled(QWidget(), "column")
        column = QVBoxLayout(inner)
        column.setContentsMargins(14, 12, 14, 14)
        column.setSpacing(6)
        for widget in (self.title, self.below):
            column.addWidget(widget)
        column.addSpacing(6)
        column.addWidget(self.bars)
        column.addSpacing(4)
        column.addWidget(self.facts)
        column.addWidget(self.read)
        column.addStretch()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 1, 1, 1)
        scroll = scrolling(inner)
        scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # contains no widget that takes the focus
        scroll.setAccessibleName(tr("About this number"))
        outer.addWidget(scroll)

    def show_row(self, row: ScoreRow, found: EvaluationResults, models: Sequence[str]) -> None:
        shown = [model for model in models if model in row.cells]
        self.title.setText(row.result.title)
        parts = filter(None, (row.metric.title, how_read(row.metric)))
        self.below.setText(" · ".join(parts))
        self.bars.show_row(row, found, shown)
        self.facts.setText("\n".join(_facts(row, found, shown)))
        self.read.setText("\n\n".join(_reading(row, found, shown)))

    def texts(self) -> list[QWidget]:
        return [self.title, self.below, self.facts, self.read]


def _facts(row: ScoreRow, found: EvaluationResults, models: Sequence[str]) -> list[str]:
    """Sample size and data."""
    sentences = []
    if row.n is not None:
        sentences.append(trn("n = {n:,} item", "n = {n:,} items", row.n))
        has_quality = row.result.evaluation not in NO_QUALITY
        if has_quality and row.n < FEW and len(models) > 1:
            sentences.append(tr("Too few papers to tell which model is better."))
    else:
        sentences.append(
            tr("Models differ in how many items they are measured by: no one is best.")
        )
    sentences.append(data_words(row, found.called))
    if row.apart:
        sentences.append(tr("Not with the other numbers of this task: {why}.", why=row.apart))
    return sentences


def _reading(row: ScoreRow, found: EvaluationResults, models: Sequence[str]) -> list[str]:
    """The meaning of the metric, and its caveats."""
    sentences = [about(row), row.metric.about]
    if any(cell.score.low is not None for cell in row.cells.values()):
        sentences.append(
            tr(
                "Intervals hold 95 % of what other items of the same kind would give. Two that "
                "overlap may differ all the same: “Compare” says which differences are real."
            )
        )
    sentences += _left_out(row, found, models)
    papers = [number for model in models for number in row.cells[model].papers]
    for where in dict.fromkeys(number.where for number in papers):
        number = next(number for number in papers if number.where == where)
        sentences.append(f"◇ {where}" + (f": {differ}" if (differ := differences(number)) else ""))
    return [one for one in sentences if one]


def _left_out(row: ScoreRow, found: EvaluationResults, models: Sequence[str]) -> list[str]:
    """Excluded items, once where they are the same for all models."""
    names_by_text: dict[str, list[str]] = {}
    for model in models:
        kept = next(kept for kept in row.board.reports if kept.model == model)
        result = kept.report.result(row.result.task)
        if result is None:
            continue
        parts = [f"{count:,} {why}" for why, count in result.excluded.items()]
        if text := "; ".join([*parts, *result.notes]):
            names_by_text.setdefault(text, []).append(found.names[model])
    every = len(models)
    return [
        tr("Left out: {what}.", what=text)
        if len(names) == every
        else tr("{names}: {what}.", names=", ".join(names), what=text)
        for text, names in names_by_text.items()
    ]
