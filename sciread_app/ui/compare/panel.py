"""The comparison panel: results of two models side by side, named or blind until a vote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton, QSplitter, QWidget

from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.parser import Query, parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.domain.votes import Question
from sciread_app.errors import Cancelled, SciReadError
from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.compare.chooser import ModelPairSelector
from sciread_app.ui.compare.side import ResultColumn
from sciread_app.ui.compare.trial import LEFT_KEY, NEITHER_KEY, RIGHT_KEY, BlindTrial, Pair
from sciread_app.ui.compare.view_models import (
    ComparableModel,
    ModelResults,
    VoteCount,
    in_common,
    with_moves,
)
from sciread_app.ui.formatting import progress_text
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue, JobRunner
from sciread_app.ui.query_state import ResultView
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.view_models import EMPTY_RESULTS
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.messages.empty_state import EmptyState, second_model_actions
from trainer.contract.errors import TrainerError

if TYPE_CHECKING:
    from sciread_app.services.evaluation.evaluation_service import EvaluationCandidate
    from sciread_app.ui.compare.gateway import CompareGateway
    from sciread_app.ui.paper_list.paper_list import CardSource

ALONE = tr("Compare two models")
NONE_THERE = tr(
    "Only one model is installed. Train a model on your own papers or add a published model, "
    "then compare the results of both models side by side and vote for the better results."
)
SEARCHING = tr("Searching with both models…")
NO_QUERY = tr("Search for something to see the results of both models.")
BY_WORDS = tr("Keyword search gives the same results with every model. Switch to Meaning or Both.")
KNOWN = tr(
    "You have already seen which results come from which model. To vote, search for something else."
)
SAME = tr("Both models give the same results, so there is nothing to vote on.")
UNREAD = tr("You can vote once both models have indexed all papers.")
BY_CHANCE = tr("The models are assigned to left and right at random.")


class Ballot(QFrame):
    """The vote on two result lists, and the count so far."""

    voted = Signal(object)  # 0: the left results, 1: the right results, None: neither

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("note")
        self.text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.left = self._button(tr("Left"), LEFT_KEY, 0)
        self.neither = self._button(tr("Neither"), NEITHER_KEY, None)
        self.right = self._button(tr("Right"), RIGHT_KEY, 1)
        self.back = styled(QPushButton(tr("Undo last vote")), "link")
        buttons = (self.left, self.neither, self.right, self.back)
        row((self.text, 1), *buttons, parent=self, margins=(12, 8, 8, 8))
        self.show_text("", back=False)

    def ask(self) -> None:
        self._show(tr("Which results are better?"), votes=True)

    def show_text(self, *sentences: str, back: bool) -> None:
        """`back`: the last vote can be undone."""
        self._show(" ".join(filter(None, sentences)), back=back)

    @property
    def is_open(self) -> bool:
        """Whether voting is enabled."""
        return not self.left.isHidden() and not self.isHidden()

    def _show(self, text: str, *, votes: bool = False, back: bool = False) -> None:
        self.text.setText(text)
        for button in (self.left, self.neither, self.right):
            button.setVisible(votes)
        self.back.setVisible(back)
        self.setVisible(bool(text))

    def _button(self, text: str, keys: str, vote: int | None) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText))
        button.clicked.connect(lambda: self.voted.emit(vote))
        return button


class ComparePanel(QWidget):
    """Runs no searches while it is closed."""

    page_requested = Signal(str)  # the key of another page
    changed = Signal()  # availability of actions

    def __init__(
        self,
        comparisons: CompareGateway,
        cards: CardSource,
        jobs: JobRunner,
        appearance: Appearance,
    ) -> None:
        super().__init__()
        self._comparisons = comparisons
        self._jobs = jobs
        self.is_open = self._is_alone = False
        self._view = ResultView()
        self._mode = SearchMode.hybrid
        self._answers: Mapping[str, ModelResults] = {}
        self._count = VoteCount()
        self._asking: Job | None = None
        self._reading: Job | None = None
        self.trial = BlindTrial()
        self.chooser = ModelPairSelector()
        self.message = styled(QLabel(wordWrap=True), "quiet")
        names = (tr("Left results"), tr("Right results"))
        self.sides = [ResultColumn(name, cards, jobs, appearance) for name in names]
        self.ballot = Ballot()
        self.nothing = EmptyState(appearance)
        self.nothing.hide()
        self._build()
        self._connect()

    def open(self) -> None:
        """Offer the installed models and search with two of them."""
        self.is_open = True
        self._jobs.run(
            tr("Loading models"),
            lambda task: (
                self._comparisons.models(task),
                self._comparisons.trained(),
            ),
            lambda found: self._show_models(*found),
            on_failed=self._explain,
        )

    def prefer(self, name: str) -> None:
        """Compare this model with the active one."""
        self.chooser.prefer(name)
        self.look_again()

    def look_again(self) -> None:
        """Update after another model was activated."""
        if self.is_open:
            self.open()

    def close_models(self) -> None:
        """Close models other than the active one, to release their memory."""
        self.is_open = False
        self.changed.emit()
        if self._reading is None:
            self._jobs.run(
                tr("Unloading models"), lambda task: self._comparisons.close(), replaces="compare"
            )

    def show_view(self, view: ResultView, mode: SearchMode) -> None:
        """Search with both models."""
        self._view, self._mode = view, mode
        if self.is_open:
            self._ask()

    def take_focus(self) -> None:
        if self._is_alone:
            for button in self.nothing.buttons()[:1]:  # none while a model is added
                button.setFocus()
        else:
            self.sides[0].result_list.setFocus()

    @property
    def can_vote(self) -> bool:
        return self.is_open and self.ballot.is_open

    @property
    def can_take_back(self) -> bool:
        return self.is_open and self._count.votes > 0

    def vote(self, side: int | None) -> None:
        """Record a vote: the left list (0) is better, the right one (1), or neither."""
        if not self.can_vote:
            return
        trial, services = self.trial, self._comparisons
        asked, pair, sides = trial.query, trial.pair, trial.sides
        better = "" if side is None else sides[side]
        self.ballot.show_text(tr("Saving your vote…"), back=False)
        self.changed.emit()
        self._jobs.run(
            tr("Saving a vote"),
            lambda task: services.vote(_question(asked), *pair, better),
            partial(self._voted, asked, pair, better),
            on_failed=self._not_voted,
        )

    def take_back(self) -> None:
        """Undo the last vote on these two models."""
        if not self.can_take_back:
            return
        pair, services = self.trial.pair, self._comparisons
        self._jobs.run(
            tr("Undoing a vote"),
            lambda task: services.take_back(*pair),
            partial(self._taken_back, pair),
        )

    def _show_models(
        self, models: Sequence[ComparableModel], trained: Sequence[EvaluationCandidate]
    ) -> None:
        self.chooser.show_models(models)
        if trained:
            self._offer_to_add(trained[0])
        else:
            self.nothing.show_message(
                "models", ALONE, NONE_THERE, second_model_actions(self.page_requested.emit)
            )
        self._show_parts()
        self._ask()

    def _offer_to_add(self, trained: EvaluationCandidate) -> None:
        """Offer to add the model of a training run, in place of a second model."""
        self.nothing.show_message(
            "models",
            tr("{title} is not in Models yet", title=trained.title),
            tr("Add the trained model to Models to compare it with other models."),
            ((tr("Add to Models"), partial(self._add, trained)),),
        )

    def _add(self, trained: EvaluationCandidate) -> None:
        """Add the model of a training run to Models, and compare it with the active one."""
        title = tr("Adding the model of {name}", name=trained.title)

        def failed(problem: JobError) -> None:
            retry = (tr("Retry"), partial(self._add, trained))
            self.nothing.show_message("models", problem.message, problem.hint, (retry,))

        self.nothing.show_message("wait", title)
        self._jobs.run(
            title,
            lambda task: self._comparisons.add_trained(trained.key, task),
            self.prefer,
            on_failed=failed,
            on_cancelled=partial(self._offer_to_add, trained),
            queue=JobQueue.long,
        )

    def _ask(self) -> None:
        """Search with both models. Results are shown together, since the time a model takes would
        identify it.
        """
        if why := self._nothing_found_reason():
            self._show_nothing(why)
            return
        view, mode, pair = self._view, self._mode, self.chooser.selected
        blind, active = self.chooser.blind.isChecked(), self.chooser.active()
        self.trial.ask(view.query, pair, blind=blind, active=active)
        services = self._comparisons

        def work(task: Task) -> tuple[dict[str, ModelResults], VoteCount]:
            query = view.request.parsed
            answers = {}
            for number, name in enumerate(pair):
                task.step(number, len(pair))
                answers[name] = _answer(services, name, query, mode, task)
            return answers, services.count(*pair)

        self.message.setText(SEARCHING)
        self.ballot.show_text("", back=False)
        self.changed.emit()
        self._asking = self._jobs.run(
            tr("Searching with two models"),
            work,
            self._show_answers,
            on_failed=self._explain,
            replaces="compare",
        )

    def _show_progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is self._asking and not job.replaced:
            self.message.setText(f"{SEARCHING} {progress_text(job.progress, note)}")

    def _show_parts(self) -> None:
        """Show the lists, or what to do if there is only one model."""
        alone = len(self.chooser.models) < 2
        if alone == self._is_alone:
            return
        focus = QApplication.focusWidget()
        held = focus is not None and self.isAncestorOf(focus)
        answers, nothing = (self._split, self.message, self.ballot), (self.nothing,)
        for part in nothing if alone else answers:
            part.show()
        self._is_alone = alone
        if held:  # before hiding the focused widget, which would send the focus to another pane
            self.take_focus()
        for part in answers if alone else nothing:
            part.hide()

    def _nothing_found_reason(self) -> str:
        view = self._view
        if len(self.chooser.models) < 2:
            return NONE_THERE
        if view.title or not view.request.ranked:
            return NO_QUERY
        return BY_WORDS if self._mode is SearchMode.text and view.request.typed else ""

    def _show_answers(self, came: tuple[Mapping[str, ModelResults], VoteCount]) -> None:
        self._answers, self._count = came
        self._show()

    def _show(self) -> None:
        trial, answers = self.trial, self._answers
        # Until a vote is possible, the shuffled order is not used, so that it is not revealed.
        kept_back = trial.hidden and not all(answer.whole for answer in answers.values())
        order = trial.pair if kept_back else trial.sides
        for side, name, other in zip(self.sides, order, reversed(order), strict=True):
            mine, theirs = answers[name], answers[other]
            found = mine.listing
            if theirs.read:
                found = with_moves(found, theirs.listing, veiled=trial.hidden)
            if trial.hidden and not kept_back:
                side.show_nameless(mine, found)
            else:
                found = EMPTY_RESULTS if kept_back else found
                of = self.chooser.models[name]
                side.show_named(of, mine, found, reads=self._reading is not None)
        if not kept_back:
            trial.shown()
        one, other_answer = (answers[name] for name in order)
        both = in_common(one.listing, other_answer.listing)
        if kept_back or not (one.read and other_answer.read):
            both = ""
        chance = BY_CHANCE if trial.hidden and not kept_back else ""
        self.message.setText(f"{both} {chance}".strip())
        self._show_ballot()

    def _show_ballot(self) -> None:
        trial, count = self.trial, self._count
        unavailable_reason = self._no_vote_reason()
        if trial.veiled and not unavailable_reason:
            self.ballot.ask()
        else:
            self.ballot.show_text(trial.voted, unavailable_reason, count.text, back=count.votes > 0)
        self.changed.emit()

    def _no_vote_reason(self) -> str:
        """Why voting is disabled although the comparison is blind."""
        if not self.chooser.blind.isChecked() or self.trial.voted:
            return ""
        if self.trial.known:
            return KNOWN
        one, other = (self._answers[name] for name in self.trial.pair)
        if not (one.whole and other.whole):
            return UNREAD
        if note := one.listing.note or other.listing.note:
            return note  # a list is incomplete
        return SAME if [*one.listing.ids] == [*other.listing.ids] else ""

    def _voted(self, asked: str, pair: Pair, better: str, count: VoteCount) -> None:
        trial = self.trial
        if (trial.query, trial.pair) != (asked, pair) or not self._answers:
            return  # the query or the models have changed
        self._count = count
        left, right = (self.chooser.models[name].title for name in trial.sides)
        if better:
            title = self.chooser.models[better].title
            trial.end(tr("You voted for {title}.", title=title))
        else:
            text = tr("Left: {left}. Right: {right}.", left=left, right=right)
            trial.end(text)
        self._show()

    def _not_voted(self, problem: JobError) -> None:
        if self._answers:
            self._show_ballot()
        self.message.setText(problem.text)

    def _taken_back(self, pair: Pair, came: tuple[str, VoteCount]) -> None:
        what, count = came
        if pair != self.trial.pair or not self._answers:
            return
        self._count = count
        if what == self.trial.query or self.trial.voted:
            self.trial.voted = tr("Your vote on “{what}” was undone.", what=what)
        self._show_ballot()
        if self.ballot.is_open:
            self.message.setText(tr("Your vote on “{what}” was undone.", what=what))

    def _read(self, name: str) -> None:
        title = self.chooser.models[name].title
        self._reading = self._jobs.run(
            tr("Indexing papers with {name}", name=title),
            lambda task: self._comparisons.encode(name, task),
            on_failed=self._explain,
            queue=JobQueue.long,
            replaces="encode for comparing",
            stop_note=tr("Papers indexed so far are kept"),
        )
        self._reading.indexes = True
        self._reading.retry = partial(self._read, name)
        for side in self.sides:
            side.read_button.hide()

    def _finished(self, job: Job) -> None:
        if job is self._reading:
            self._reading = None
            if not job.replaced and self.is_open:
                self._ask()

    def _show_nothing(self, why: str) -> None:
        self._jobs.drop("compare")
        self._answers = {}
        for side in self.sides:
            side.clear()
        self.message.setText(why)
        self.ballot.show_text("", back=False)
        self.changed.emit()

    def _explain(self, problem: JobError) -> None:
        self._show_nothing(problem.text)

    def _pick(self, side: int, paper: PaperId | None) -> None:
        """Select on both sides a paper that is selected on one."""
        if paper is not None:
            self.sides[1 - side].choose(paper)

    def _build(self) -> None:
        self._split = QSplitter(self, childrenCollapsible=False)
        self._split.setHandleWidth(10)
        for side in self.sides:
            self._split.addWidget(side)
            self._split.setStretchFactor(self._split.count() - 1, 1)
        lists = (self._split, 1), (self.nothing, 1)
        column(self.chooser, self.message, *lists, self.ballot, parent=self, margins=0)

    def _connect(self) -> None:
        self.chooser.changed.connect(self._ask)
        self.ballot.voted.connect(self.vote)
        self.ballot.back.clicked.connect(self.take_back)
        self._jobs.progressed.connect(self._show_progress)
        self._jobs.finished.connect(self._finished)
        for number, side in enumerate(self.sides):
            side.read_requested.connect(self._read)
            side.result_list.current_changed.connect(partial(self._pick, number))


def _answer(
    services: CompareGateway, name: str, query: Query, mode: SearchMode, task: Task
) -> ModelResults:
    """The results of one model; an error of one does not stop the other."""
    try:
        return services.ask(name, query, mode, task)
    except Cancelled:
        raise
    except (SciReadError, TrainerError) as trouble:
        return ModelResults(trouble=f"{trouble} {trouble.hint}".strip())


def _question(query: str) -> Question:
    """The text of a query, as stored with votes on it."""
    asked = parse(query)
    if asked.like and query.strip() == f"like:{asked.like[0]}":
        return Question(paper=asked.like[0])
    return Question(query)
