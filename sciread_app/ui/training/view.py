"""What there is to say about one training: how it stands, its curves, what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.services.following import Note
from sciread_app.services.model_cards import balance
from sciread_app.services.runs import Standing
from sciread_app.ui.column import Column
from sciread_app.ui.flow import Flow
from sciread_app.ui.labels import plain_label
from sciread_app.ui.models.card_parts import (
    Facts,
    Folded,
    ScoreTable,
    Tiles,
    balance_words,
    group,
    scrolling,
    section,
    verb_button,
)
from sciread_app.ui.theme import Appearance, restyled, scaled, styled
from sciread_app.ui.training.curves import Curves
from sciread_app.ui.training.values import Told
from sciread_app.ui.training.words import KINDS, STANDINGS, facts, how_far, made_of, tiles, when

LAST_NOTES = 40
_PILLS = {"good": "tag-good", "care": "tag-care", "problem": "tag-wrong"}
VERBS = (
    *("stop", "go_on", "activate", "add_model", "measure", "compare"),
    *("log", "folder", "remove"),
)


class TrainingView(QFrame):
    wanted = Signal(str)  # one of VERBS

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.told: Told | None = None
        self._build(appearance)
        self._lay_out()
        self.clear()

    def clear(self) -> None:
        self.told = None
        self._scroll.hide()

    def show_told(self, told: Told) -> None:
        before, self.told = self.told, told
        training, story = told.training, told.story
        self.title.setText(training.name)
        self.pill.setText(STANDINGS[training.standing])
        restyled(self.pill, _PILLS.get(KINDS.get(training.standing, ""), "tag"))
        self.made.setText(made_of(training) if training.method else "")
        self._show_trouble(told)
        self._show_far(told)
        self._allow(told)
        known = tiles(training, story)
        self.tiles.setVisible(bool(known))
        self.tiles.show_tiles(known)
        self.curves.setVisible(bool(story.curves) and story.step > 0)
        self.curves.show_story(story)
        self._show_scores(told)
        self.facts.show_facts(facts(training, story, told.papers))
        self._show_notes(story.notes)
        self._scroll.show()
        if not before or before.training.name != training.name:
            self._scroll.verticalScrollBar().setValue(0)

    def can(self, verb: str) -> bool:
        """Whether this can be done to what is shown."""
        return self.told is not None and not self.buttons[verb].isHidden()

    def take_focus(self) -> None:
        shown = [button for button in self.buttons.values() if not button.isHidden()]
        if shown:
            shown[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_trouble(self, told: Told) -> None:
        problem = told.training.problem if told.training.standing is Standing.failed else ""
        self._trouble.setVisible(bool(problem))
        self.problem.setText(problem)
        self.hint.setText(told.training.hint)
        self.hint.setVisible(bool(told.training.hint))

    def _show_far(self, told: Told) -> None:
        training, story = told.training, told.story
        self._going.setVisible(training.standing.goes_on)
        self.far.setText(how_far(training, story))
        known = training.steps and training.standing is not Standing.starting
        self.bar.setRange(0, 1000 if known else 0)
        if known:
            self.bar.setValue(min(1000, training.step * 1000 // training.steps))
        self.bar.setAccessibleDescription(self.far.text())

    def _allow(self, told: Told) -> None:
        standing, readable = told.training.standing, bool(told.training.method)
        done = standing is Standing.finished
        allowed = {
            "stop": standing in (Standing.running, Standing.starting),
            "go_on": readable and not standing.goes_on and not done,
            "activate": done,
            "add_model": done and not told.model,
            "measure": done and bool(told.model),
            "compare": done and bool(told.model),
            "log": True,
            "folder": True,
            "remove": not standing.goes_on,
        }
        for verb, button in self.buttons.items():
            button.setVisible(allowed[verb])

    def _show_scores(self, told: Told) -> None:
        done = told.training.standing is Standing.finished
        self._how_well.setVisible(done)
        self.scores.setVisible(bool(told.scores))
        self.unmeasured.setVisible(not told.scores)
        self.balance.setText(balance_words(told.scores, in_use=told.base_in_use) if done else "")
        self.balance.setVisible(bool(self.balance.text()))
        restyled(self.buttons["activate"], "" if balance(told.scores).is_worse else "primary")
        if done:
            self.scores.show_scores(told.scores)

    def _show_notes(self, notes: Sequence[Note]) -> None:
        said = [note for note in notes if note.kind != "start"][-LAST_NOTES:]
        self.notes.show_facts([(when(note.at), _sentence(note)) for note in reversed(said)])
        self._happened.setVisible(bool(said))

    def _build(self, appearance: Appearance) -> None:
        self.title = plain_label(font=scaled(self.font(), 1.4, QFont.Weight.DemiBold))
        self.pill = styled(QLabel(), "tag")
        self.pill.setFont(scaled(self.font(), 0.88, QFont.Weight.Medium))
        self.made = styled(plain_label(), "quiet")
        self.problem, self.hint = plain_label(), styled(plain_label(), "quiet")
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(tr("How far the training is"))
        self.far = styled(QLabel(wordWrap=True), "quiet")
        self.buttons = {
            "activate": verb_button(
                tr("Let it answer"), tr("Find papers with this model"), "primary"
            ),
            "go_on": verb_button(tr("Go on"), tr("Train on from where it was"), "primary"),
            "stop": verb_button(
                tr("Stop"), tr("Save what was learned, and stop; it can go on later")
            ),
            "add_model": verb_button(tr("Add to models"), tr("Copy its model to your models")),
            "measure": verb_button(
                tr("Measure it"), tr("See in the dashboard how well it does beside other models")
            ),
            "compare": verb_button(
                tr("Compare side by side"), tr("See what it finds beside what answers now")
            ),
            "log": verb_button(tr("Log"), tr("All that it has said")),
            "folder": verb_button(tr("Folder"), tr("Open the folder of the training")),
            "remove": verb_button(tr("Remove…"), tr("Delete the training with its checkpoints")),
        }
        for verb, button in self.buttons.items():
            button.clicked.connect(lambda _=False, verb=verb: self.wanted.emit(verb))
        self.tiles, self.curves = Tiles(), Curves(appearance)
        self.scores, self.facts, self.notes = ScoreTable(appearance), Facts(), Facts()
        self.unmeasured = styled(
            QLabel(tr("Its papers were no measure of it: the log says why."), wordWrap=True),
            "quiet",
        )
        self.balance = plain_label(font=scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        self._happened = Folded(tr("What has happened"), self.notes, appearance)

    def _lay_out(self) -> None:
        self._trouble = group(self.problem, self.hint, name="trouble")
        self._going = group(self.bar, self.far)
        self._how_well = section(tr("How well it does"), self.balance, self.unmeasured, self.scores)
        verbs = QWidget()
        flow = Flow(8)
        verbs.setLayout(flow)
        for button in self.buttons.values():
            flow.addWidget(button)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.title, 1)
        head.addWidget(self.pill, 0, Qt.AlignmentFlag.AlignTop)
        body = Column()
        column = QVBoxLayout(body)
        column.setContentsMargins(22, 18, 22, 22)
        column.setSpacing(14)
        column.addLayout(head)
        for part in (
            *(self.made, self._trouble, self._going, verbs, self.tiles),
            # Of one that is done, the outcome comes before the way there.
            *(self._how_well, self.curves),
            *(section(tr("How it is made"), self.facts), self._happened),
        ):
            column.addWidget(part)
        column.addStretch()
        self._scroll = scrolling(body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 1, 1, 1)
        outer.addWidget(self._scroll)


def _sentence(note: Note) -> str:
    text = note.text.replace("\n", " ")
    if note.kind == "stop":
        return tr("Stopped after step {step:,}: {why}", step=note.step, why=text)
    if note.kind == "resume":
        return tr("Went on after step {step:,}: {why}", step=note.step, why=text)
    return text
