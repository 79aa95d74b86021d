"""Is B better than A? In a sentence, with all that it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from sciread_app.language import tr
from sciread_app.services.scores import Board, Kept
from sciread_app.services.verdict import Answer, Verdict
from sciread_app.tasks import Task
from sciread_app.ui.dashboard.evidence import EvidenceTable
from sciread_app.ui.dashboard.pair import Pair
from sciread_app.ui.dashboard.values import Dashboard, Found
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.jobs import Jobs, Lane, Problem
from sciread_app.ui.labels import plain_label
from sciread_app.ui.map.palette import hue
from sciread_app.ui.theme import Appearance, scaled, styled
from trainer.contract.suites import suite_title

HOW = tr(
    "Real is what chance alone would make in less than one of twenty such comparisons as a whole: "
    "a paired bootstrap over the items, p raised for how many differences are looked at (Holm). "
    "What cannot be told from chance is no proof of being alike."
)


class VerdictView(QWidget):
    measure_wanted = Signal()

    def __init__(self, dashboard: Dashboard, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._dashboard = dashboard
        self._jobs = jobs
        self._found = Found()
        self._asked: tuple[str, str, str] | None = None
        self.verdict: Verdict | None = None
        self.pair = Pair()
        self.sentence = plain_label(font=scaled(self.font(), 1.3, QFont.Weight.DemiBold))
        self.support = plain_label()
        self.data = styled(plain_label(font=scaled(self.font(), 0.92)), "quiet")
        self.table = EvidenceTable(appearance)
        self.notes = styled(plain_label(font=scaled(self.font(), 0.92)), "faint")
        self.empty = EmptyState(appearance)
        self.card = VerdictCard(appearance)
        self._build()
        self.pair.changed.connect(self.ask)

    def show_found(self, found: Found) -> None:
        self._found = found
        self.pair.offer(found.names, usual=found.usual_pair)
        self._asked = None

    def ask(self) -> None:
        """Compare the two that are chosen, on what was measured last of both."""
        first, second = self.pair.chosen
        match = self._found.pair(first, second) if first != second else None
        if match is None:
            self._say_nothing(len(self._found.names))
            return
        board, one, other = match
        asked = (first, second, board.key)
        if asked == self._asked and self.verdict:
            return
        self._asked, self.verdict = asked, None
        self.empty.say("wait", tr("Comparing item by item…"), tr("It takes some seconds."))
        self._pages.setCurrentIndex(0)

        def work(task: Task) -> Verdict:
            return self._dashboard.compare(one, other, task)

        self._jobs.run(
            tr("Comparing two models"),
            work,
            lambda verdict: self._show(verdict, board, (one, other)),
            on_failed=self._explain,
            lane=Lane.light,
            instead_of="verdict",
        )

    def stops(self) -> list[QWidget]:
        return [*self.pair.stops(), *self.empty.buttons(), self.table]

    def _show(self, verdict: Verdict, board: Board, sides: tuple[Kept, Kept]) -> None:
        self.verdict = verdict
        numbers = (
            self._found.numbers.get(sides[0].model, 0),
            self._found.numbers.get(sides[1].model, 1),
        )
        self.sentence.setText(verdict.sentence)
        self.support.setText("\n".join(f"•  {one}" for one in verdict.support))
        self.support.setVisible(bool(verdict.support))
        data = self._found.called.get(board.key, board.data)
        self.data.setText(
            tr("Measured with: {suite}. Data: {data}.", suite=suite_title(board.suite), data=data)
        )
        self.card.show_answer(verdict.answer, numbers)
        self.table.show_verdict(verdict, numbers)
        self.notes.setText("\n\n".join(_notes(verdict)))
        self._pages.setCurrentIndex(1)

    def _explain(self, problem: Problem) -> None:
        self.empty.say("similar", problem.message, problem.hint)
        self._pages.setCurrentIndex(0)

    def _say_nothing(self, models: int) -> None:
        self.verdict = None
        if models > 1:
            title = tr("These two were not measured on the same data")
            text = tr(
                "Only numbers of the same suite on the same data can be compared. Measure both "
                "on one of them."
            )
        else:
            title = tr("There are no two models to compare")
            text = tr("Measure two models on the same data: then this says which is better.")
        measure = (tr("Measure models…"), self.measure_wanted.emit)
        self.empty.say("similar", title, text, (measure,))
        self._pages.setCurrentIndex(0)

    def _build(self) -> None:
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(10)
        whole.addWidget(self.pair)
        self._pages = QStackedWidget()
        whole.addWidget(self._pages, 1)
        shown = QWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(shown)
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self.card)
        column.addWidget(self.table, 1)
        column.addWidget(self.notes)
        inner = QVBoxLayout(self.card)
        inner.setContentsMargins(22, 14, 16, 14)
        inner.setSpacing(7)
        for label in (self.sentence, self.support, self.data):
            inner.addWidget(label)


class VerdictCard(QFrame):
    """A panel with a stripe in the colour of who is better."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._appearance = appearance
        self._stripes: Sequence[int | None] = (None,)

    def show_answer(self, answer: Answer, numbers: tuple[int, int]) -> None:
        self._stripes = {
            Answer.yes: (numbers[1],),
            Answer.no: (numbers[0],),
            Answer.both: (numbers[1], numbers[0]),
            Answer.unknown: (None,),
        }[answer]
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        theme = self._appearance.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        high = (self.height() - 24) / len(self._stripes)
        for place, number in enumerate(self._stripes):
            painter.setBrush(QColor(theme.track) if number is None else hue(number, theme))
            painter.drawRoundedRect(QRectF(9, 12 + place * high, 5, high - 2), 2.5, 2.5)
        painter.end()


def _notes(verdict: Verdict) -> list[str]:
    """What was not compared, and what else a reader must know."""
    said = [
        tr("Not compared, since {why}: {what}.", why=refused.why, what="; ".join(refused.what))
        for refused in verdict.refused
    ]
    return [*said, *verdict.notes, HOW]
