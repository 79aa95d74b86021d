"""The scores view: the table of all scores and details of the selected one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QFont
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QMenu,
    QPushButton,
    QSplitter,
    QWidget,
)

from sciread_app.language import tr, trn
from sciread_app.services.evaluation.leaderboard import ScoreRow
from sciread_app.ui.evaluation.scores.bar_chart import BarChart, differences
from sciread_app.ui.evaluation.scores.score_table import ScoreTable
from sciread_app.ui.evaluation.view_models import EvaluationResults, about, data_words, how_read
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.widgets.form_rows import ComboBox
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.page_stack import PageStack
from sciread_app.ui.widgets.layout.sections import scrolling
from sciread_app.ui.widgets.messages.empty_state import EmptyState
from sciread_app.ui.widgets.rounded_popup import rounded
from sciread_app.ui.widgets.text.labels import plain_label, show_text
from trainer.contract.suites import suite_title

LEGEND = tr(
    "↑ Higher is better, ↓ lower is better. Percentages range from 0 to 100. Bold: "
    "best score of the row, not necessarily by a significant difference. Strips: "
    "95% confidence intervals, on one scale per row."
)
OF_PAPERS = tr(
    "◇ published score (* on different or incomplete data, † with different model weights)."
)


class RowPanel(QFrame):
    """Details of one metric: bars of the models, data, and how to read it."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.title = plain_label(font=scaled(self.font(), 1.25, QFont.Weight.DemiBold))
        self.below = styled(plain_label(), "quiet")
        self.bars = BarChart(appearance)
        self.facts = styled(plain_label(), "quiet")
        self.read = styled(plain_label(font=scaled(self.font(), 0.92)), "faint")
        inner = styled(QWidget(), "column")
        self.below.setContentsMargins(0, 0, 0, 6)
        self.facts.setContentsMargins(0, 4, 0, 0)
        parts = (self.title, self.below, self.bars, self.facts, self.read, 0)
        column(*parts, parent=inner, margins=(14, 12, 14, 14), spacing=6)
        self._inner = inner
        scroll = scrolling(inner, self)
        scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # contains no widget that takes the focus
        scroll.setAccessibleName(tr("Details of the score"))
        column(scroll, parent=self, margins=1)

    def show_row(self, row: ScoreRow, results: EvaluationResults, models: Sequence[str]) -> None:
        self._inner.show()
        shown = [model for model in models if model in row.cells]
        self.title.setText(row.result.title)
        parts = filter(None, (row.metric.title, how_read(row.metric)))
        self.below.setText(" · ".join(parts))
        self.bars.show_row(row, results, shown)
        self.facts.setText("\n".join(_facts(row, results, shown)))
        self.read.setText("\n\n".join(_reading(row, results, shown)))

    def clear(self) -> None:
        self._inner.hide()

    def texts(self) -> list[QWidget]:
        return [self.title, self.below, self.facts, self.read]


class ScoresView(QWidget):
    """Shows all scores, filtered by benchmark, data and models, and details of the selected
    metric."""

    changed = Signal()  # the filtered scores

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._found = EvaluationResults()
        self._hidden: set[str] = set()
        self.suites = ComboBox()
        self.suites.setAccessibleName(tr("Benchmark"))
        self.boards = ComboBox()
        self.boards.setAccessibleName(tr("Data"))
        self.models = QPushButton(tr("Models"))
        self.models.setMenu(rounded(QMenu(self.models)))
        self.table = ScoreTable(appearance)
        self.panel = RowPanel(appearance)
        self.problems = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "notice")
        self.empty = EmptyState(appearance)
        self._build()
        self._connect()

    def show_results(self, results: EvaluationResults) -> None:
        """Offer the benchmarks, data and models of these results, keeping the filters where
        possible."""
        self._found = results
        for box, every, offered in (
            (
                self.suites,
                tr("All benchmarks"),
                [(suite_title(suite), suite) for suite in results.suites],
            ),
            (
                self.boards,
                tr("All data"),
                [(results.called.get(b.key, b.data), b.key) for b in results.boards],
            ),
        ):
            before = box.currentData()
            box.clear()
            box.addItem(every, "")
            for name, key in offered:
                box.addItem(name, key)
            box.setCurrentIndex(max(box.findData(before), 0))
            box.setEnabled(len(offered) > 1)
        self._offer_models()
        self._show()

    @property
    def shown(self) -> EvaluationResults:
        """The scores after filtering."""
        suite, board = str(self.suites.currentData()), str(self.boards.currentData())
        return self._found.only(suite, board, self._hidden)

    @property
    def columns(self) -> list[str]:
        return list(self.shown.names)

    def tab_stops(self) -> list[QWidget]:
        return [self.suites, self.boards, self.models, self.table]

    def invite(self, evaluate: Callable[[], object], *, measuring: bool) -> None:
        """Show the empty state."""
        if measuring:
            self.empty.show_message("wait", tr("Waiting for the first scores"))
        else:
            self.empty.show_message(
                "dashboard",
                tr("No evaluations yet"),
                tr(
                    "Evaluate models on your own papers with published protocols to see which one "
                    "works best for your field."
                ),
                ((tr("Evaluate models…"), evaluate),),
            )

    def _show(self) -> None:
        results = self.shown
        self.table.show_scores(results, self.columns)
        self.legend.setText(f"{LEGEND} {OF_PAPERS}" if self.table.has_papers else LEGEND)
        problems = [problem for board in results.boards for problem in board.problems]
        show_text(self.problems, "\n".join(problems))
        if row := self.table.current:
            self._show_row(row)
        else:
            self.panel.clear()
        self._pages.setCurrentIndex(1 if self._found.boards else 0)
        self.changed.emit()

    def _choose_suite(self) -> None:
        """Change the suite and reset the data, which belong to the previous suite."""
        suite = str(self.suites.currentData())
        board = str(self.boards.currentData())
        if not self._found.only(suite, board).boards:
            self.boards.setCurrentIndex(0)
        self._show()

    def _show_row(self, row: ScoreRow) -> None:
        self.panel.show_row(row, self.shown, self.columns)

    def _offer_models(self) -> None:
        menu = self.models.menu()
        menu.clear()
        for model, name in self._found.names.items():
            action = QAction(name.replace("&", "&&"), menu)
            action.setCheckable(True)
            action.setChecked(model not in self._hidden)
            action.toggled.connect(lambda on, model=model: self._hide(model, not on))
            menu.addAction(action)
        self.models.setEnabled(len(self._found.names) > 1)

    def _hide(self, model: str, hidden: bool) -> None:
        (self._hidden.add if hidden else self._hidden.discard)(model)
        self._show()

    def _build(self) -> None:
        self.legend = styled(QLabel(wordWrap=True), "faint")
        self._pages = PageStack(self)
        column(self._pages, parent=self, margins=0)
        self._pages.addWidget(self.empty)
        split = QSplitter(
            Qt.Orientation.Horizontal, self._pages, childrenCollapsible=False, handleWidth=12
        )
        self._pages.addWidget(split)
        left = QWidget()
        split.addWidget(left)
        split.addWidget(self.panel)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([720, 390])
        filters = row(self.suites, (self.boards, 1), self.models, spacing=8)
        parts = (filters, self.problems, (self.table, 1), self.legend)
        column(*parts, parent=left, margins=0, spacing=8)

    def _connect(self) -> None:
        self.suites.activated.connect(lambda _: self._choose_suite())
        self.boards.activated.connect(lambda _: self._show())
        self.table.selected.connect(self._show_row)


def _facts(row: ScoreRow, results: EvaluationResults, models: Sequence[str]) -> list[str]:
    """Sample size and data."""
    sentences = []
    if row.n is not None:
        sentences.append(trn("n = {n:,} item", "n = {n:,} items", row.n))
        if row.too_few and len(models) > 1:
            sentences.append(tr("Too few papers to determine which model is better."))
    else:
        sentences.append(
            tr("The models have scores for different numbers of items, so none is marked as best.")
        )
    sentences.append(data_words(row, results.called))
    if row.apart:
        sentences.append(
            tr("Not comparable with the other scores of this task: {why}.", why=row.apart)
        )
    return sentences


def _reading(row: ScoreRow, results: EvaluationResults, models: Sequence[str]) -> list[str]:
    """The meaning of the metric, and its caveats."""
    sentences = [about(row), row.metric.about]
    if any(cell.score.low is not None for cell in row.cells.values()):
        sentences.append(
            tr(
                "Intervals are 95% confidence intervals. Models with overlapping intervals can "
                "still differ significantly: see “Significance”."
            )
        )
    sentences += _left_out(row, results, models)
    papers = [number for model in models for number in row.cells[model].papers]
    for where in dict.fromkeys(number.where for number in papers):
        number = next(number for number in papers if number.where == where)
        sentences.append(f"◇ {where}" + (f": {differ}" if (differ := differences(number)) else ""))
    return [one for one in sentences if one]


def _left_out(row: ScoreRow, results: EvaluationResults, models: Sequence[str]) -> list[str]:
    """Excluded items, once where they are the same for all models."""
    names_by_text: dict[str, list[str]] = {}
    for model in models:
        kept = next(kept for kept in row.board.reports if kept.model == model)
        result = kept.report.result(row.result.task)
        if result is None:
            continue
        parts = [f"{count:,} {why}" for why, count in result.excluded.items()]
        if text := "; ".join([*parts, *result.notes]):
            names_by_text.setdefault(text, []).append(results.names[model])
    every = len(models)
    return [
        tr("Excluded: {what}.", what=text)
        if len(names) == every
        else tr("{names}: {what}.", names=", ".join(names), what=text)
        for text, names in names_by_text.items()
    ]
