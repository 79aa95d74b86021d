"""Details of one run: status, charts and result."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QProgressBar,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.services.training.run_monitor import RunMessage
from sciread_app.services.training.runs import RunStatus
from sciread_app.ui.models.card_score_table import CardScoreTable
from sciread_app.ui.models.recommendation import recommendation
from sciread_app.ui.style.theme import Appearance, restyled, scaled, styled
from sciread_app.ui.training.loss_curves import LossCurves
from sciread_app.ui.training.text import (
    KINDS,
    STATUS_LABELS,
    STOPPING,
    facts,
    is_evaluating,
    made_of,
    progress_text,
    tiles,
    when,
)
from sciread_app.ui.training.view_models import TrainingDetails
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.collapsible_section import CollapsibleSection
from sciread_app.ui.widgets.layout.fact_table import FactTable
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout
from sciread_app.ui.widgets.layout.sections import (
    ScrollContents,
    action_button,
    group,
    scrolling,
    section,
)
from sciread_app.ui.widgets.layout.stat_tiles import StatTiles
from sciread_app.ui.widgets.text.labels import plain_label, show_text

LAST_NOTES = 40
_PILLS = {"good": "tag-good", "warning": "tag-warning", "problem": "tag-wrong"}
ACTIONS = (
    *("stop", "resume", "activate", "add_model", "measure", "compare"),
    *("log", "folder", "remove"),
)


class TrainingView(QFrame):
    """Shows one run with its progress, curves and results, and requests actions on it; those that
    are not possible are hidden."""

    action_requested = Signal(str)  # one of ACTIONS

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        """The parent is set at once: a widget that gets it later is styled again with all its
        contents."""
        super().__init__(parent)
        self.setObjectName("panel")
        self.details: TrainingDetails | None = None
        self._build(appearance)
        self._lay_out()
        self.clear()

    def clear(self) -> None:
        self.details = None
        self._scroll.hide()

    def show_details(self, details: TrainingDetails) -> None:
        """Show a run; the scroll position is kept while it is the same run."""
        before, self.details = self.details, details
        training, progress = details.training, details.progress
        self.title.setText(training.name)
        self.pill.setText(STATUS_LABELS[training.status])
        restyled(self.pill, _PILLS.get(KINDS.get(training.status, ""), "tag"))
        self.made.setText(made_of(training) if training.method else "")
        self._show_trouble(details)
        self._show_far(details)
        self._allow(details)
        known = tiles(training, progress)
        self.tiles.setVisible(bool(known))
        self.tiles.show_tiles(known)
        self.curves.setVisible(bool(progress.curves) and progress.step > 0)
        self.curves.show_progress(progress)
        self._show_scores(details)
        self.facts.show_facts(facts(training, progress, details.papers))
        self._show_notes(progress.notes)
        self._scroll.show()
        if not before or before.training.name != training.name:
            self._scroll.verticalScrollBar().setValue(0)

    def can(self, action: str) -> bool:
        """Whether this action on the current run is available."""
        return self.details is not None and not self.buttons[action].isHidden()

    def take_focus(self) -> None:
        shown = [button for button in self.buttons.values() if not button.isHidden()]
        if shown:
            shown[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_trouble(self, details: TrainingDetails) -> None:
        problem = details.training.problem if details.training.status is RunStatus.failed else ""
        self._trouble.setVisible(bool(problem))
        self.problem.setText(problem)
        show_text(self.hint, details.training.hint)

    def _show_far(self, details: TrainingDetails) -> None:
        training, progress = details.training, details.progress
        self._going.setVisible(training.status.is_active)
        self.far.setText(progress_text(training, progress))
        starts = training.status is RunStatus.starting
        known = training.steps and not starts and not is_evaluating(training)
        self.bar.setRange(0, 1000 if known else 0)
        if known:
            self.bar.setValue(min(1000, training.step * 1000 // training.steps))
        self.bar.setAccessibleDescription(self.far.text())

    def _allow(self, details: TrainingDetails) -> None:
        status, readable = details.training.status, bool(details.training.method)
        done = status is RunStatus.finished
        allowed = {
            "stop": status in (RunStatus.running, RunStatus.starting),
            "resume": readable and not status.is_active and not done,
            "activate": done,
            "add_model": done and not details.model,
            "measure": done and bool(details.model),
            "compare": done and bool(details.model),
            "log": True,
            "folder": True,
            "remove": not status.is_active,
        }
        for action, button in self.buttons.items():
            button.setVisible(allowed[action])

    def _show_scores(self, details: TrainingDetails) -> None:
        done = details.training.status is RunStatus.finished
        self._how_well.setVisible(done)
        self.scores.setVisible(bool(details.scores))
        self.unmeasured.setVisible(not details.scores)
        scores = details.scores if done else ()
        result = recommendation(scores, base_in_use=details.base_in_use)
        show_text(self.result, result.sentence)
        restyled(self.buttons["activate"], "primary" if result.use else "")
        if done:
            self.scores.show_scores(details.scores)

    def _show_notes(self, notes: Sequence[RunMessage]) -> None:
        sentences = [note for note in notes if note.kind != "start"][-LAST_NOTES:]
        self.notes.show_facts([(when(note.at), _sentence(note)) for note in reversed(sentences)])
        self._happened.setVisible(bool(sentences))

    def _build(self, appearance: Appearance) -> None:
        self.title = plain_label(font=scaled(self.font(), 1.4, QFont.Weight.DemiBold))
        self.pill = styled(QLabel(), "tag")
        self.pill.setFont(scaled(self.font(), 0.88, QFont.Weight.Medium))
        self.made = styled(plain_label(), "quiet")
        self.problem, self.hint = plain_label(), styled(plain_label(), "quiet")
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(tr("Training progress"))
        self.far = styled(QLabel(wordWrap=True), "quiet")
        self.buttons = {
            "activate": action_button(
                tr("Use for search"), tr("Use this model to search by meaning")
            ),
            "resume": action_button(
                tr("Resume"), tr("Continue the training where it stopped"), "primary"
            ),
            "stop": action_button(tr("Stop"), STOPPING),
            "add_model": action_button(tr("Add to Models"), tr("Copy the trained model to Models")),
            "measure": action_button(
                tr("Evaluate…"),
                tr("Compare the scores of this model with those of other models on the Dashboard"),
            ),
            "compare": action_button(
                tr("Compare models"),
                tr("Compare the search results of this model with those of the model in use"),
            ),
            "log": action_button(tr("Log"), tr("Show the log of the training run")),
            "folder": action_button(tr("Open folder"), tr("Open the folder of the training run")),
            "remove": action_button(
                tr("Delete…"), tr("Delete the training run and its checkpoints")
            ),
        }
        for action, button in self.buttons.items():
            button.clicked.connect(
                lambda _=False, action=action: self.action_requested.emit(action)
            )
        self.tiles, self.curves = StatTiles(), LossCurves(appearance)
        self.scores, self.facts, self.notes = CardScoreTable(appearance), FactTable(), FactTable()
        self.unmeasured = styled(
            QLabel(
                tr("The model could not be evaluated on these papers. See the log."), wordWrap=True
            ),
            "quiet",
        )
        self.result = plain_label(font=scaled(self.font(), 1.1, QFont.Weight.DemiBold))
        self._happened = CollapsibleSection(tr("Events"), self.notes, appearance)

    def _lay_out(self) -> None:
        self._trouble = group(self.problem, self.hint, name="trouble")
        self._going = group(self.bar, self.far)
        self._how_well = section(tr("Results"), self.unmeasured, self.scores)
        buttons = QWidget()
        flow = FlowLayout(8)
        buttons.setLayout(flow)
        for button in self.buttons.values():
            flow.addWidget(button)
        body = ScrollContents()
        self._scroll = scrolling(body, self)
        column(self._scroll, parent=self, margins=1)
        column(
            row((self.title, 1), (self.pill, 0, Qt.AlignmentFlag.AlignTop), spacing=12),
            *(self.made, self._trouble, self._going, self.result, buttons, self.tiles),
            # For a finished run, the scores come before the charts.
            *(self._how_well, self.curves),
            *(section(tr("Details"), self.facts), self._happened, 0),
            parent=body,
            margins=(22, 18, 22, 22),
            spacing=14,
        )


def _sentence(note: RunMessage) -> str:
    text = note.text.replace("\n", " ")
    if note.kind == "stop":
        return tr("Stopped after step {step:,}: {why}", step=note.step, why=text)
    if note.kind == "resume":
        return tr("Resumed after step {step:,}: {why}", step=note.step, why=text)
    return text
