"""Training: the one loop that takes a run from its recipe, or its last checkpoint, to a model."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from typing import NamedTuple

from rich.console import Console

from trainer.contract.errors import TrainerError
from trainer.contract.run import Run, write_whole
from trainer.data.tokens import TokenCache
from trainer.distributed import Ranks, gathered
from trainer.loop.account import described, report
from trainer.loop.begin import Options, begin
from trainer.loop.checkpoints import Checkpoint, Checkpoints
from trainer.loop.finish import finish
from trainer.loop.learner import Learner, Taken, is_measured, length_of, tokens_an_example
from trainer.loop.progress import Pace, Reporter
from trainer.loop.scoring import scorer
from trainer.loop.session import at_work
from trainer.loop.stopping import CorpusWatch, StopWishes
from trainer.machine import budget_for, most_memory, precision_of
from trainer.measure import measure
from trainer.methods.base import Stage


class Outcome(NamedTuple):
    """Whether there is a model now; if not, which signal stopped the run, 0 for none."""

    finished: bool
    signal: int = 0


def train(
    run: Run,
    ranks: Ranks,
    options: Options | None = None,
    console: Console | None = None,
    *,
    part_of: Run | None = None,
) -> Outcome:
    """Train the run, or go on with it, until its model is there. For all ranks at once.

    Stops also where `part_of` is asked to. Raises TrainerError, which is also written to the run;
    its last good checkpoint is kept.
    """
    if run.report is not None:
        return Outcome(finished=True)
    again = bool(run.follow()[0])
    with (
        at_work(run, ranks, console) as reporter,
        StopWishes(run, *filter(None, [part_of])) as wishes,
    ):
        training = Training(run, ranks, options or Options(), reporter, wishes)
        finished = training.go(again)
        return Outcome(finished, 0 if finished else wishes.signal)


@dataclass
class Place:
    """How far a training has come. A checkpoint holds it.

    `step` counts within the stage, `total` over all stages. The best validation of the stage was
    at `best`, a total, and had `score`, more being better; both are 0 or None while there was none.
    """

    stage: int = 0
    step: int = 0
    total: int = 0
    best: int = 0
    score: float | None = None
    budget: int = 0
    tokens: float = 0.0
    seconds: float = 0.0


class Wish(NamedTuple):
    """What the ranks have agreed on to do after a step."""

    save: bool = False
    stop: bool = False


class Training:
    """A run in the hands of one rank."""

    def __init__(
        self, run: Run, ranks: Ranks, options: Options, reporter: Reporter, wishes: StopWishes
    ) -> None:
        self._run, self._ranks, self._options = run, ranks, options
        self._reporter, self._wishes = reporter, wishes
        self._recipe = run.recipe
        self._begun = begin(self._recipe, run.folder, ranks, options, reporter.note)
        self._corpus, self._method, _ = self._begun
        self._precision = precision_of(str(self._recipe.settings["precision"]), ranks.device)
        self._described = described(self._recipe, self._begun, ranks, self._precision, options)
        self._checkpoints = Checkpoints(run.checkpoints)
        self._place = Place()
        self._pace = Pace()
        # Tokens of a step of each stage, for telling how long it takes.
        self._weights = [
            tokens_an_example(stage.train) * stage.plan.batch_size for stage in self._method.stages
        ]
        self._watch = CorpusWatch(TokenCache.open(self._corpus, self._method.reading.tokenizer))
        self._saved = time.perf_counter()

    def go(self, again: bool) -> bool:
        """Train from the last checkpoint, or from the beginning. Whether it came to the end.

        `again`: something has happened in this run before.
        """
        stages = self._method.stages
        checkpoint = self._go_on(again)
        while True:
            learner = self._learner(stages[self._place.stage])
            if checkpoint:
                learner.load(checkpoint)
                checkpoint = None
            if not self._learn(learner):
                return self._leave()
            if self._place.stage + 1 == len(stages):
                return self._finish()
            self._next_stage()

    def _learn(self, learner: Learner) -> bool:
        """Take the steps of a stage that are left. False where a wish to stop came between."""
        place, unread = self._place, None
        for taken in learner.take(place.step):
            # Only now, so that the device has a step to do while the one before is looked at.
            wish = self._read(learner, unread) if unread else Wish()
            unread = taken
            place.step, place.total = place.step + 1, place.total + 1
            last = place.step == learner.steps
            measuring = is_measured(learner.stage, place.step)
            if not (last or measuring or wish.save or wish.stop):
                continue
            self._read(learner, taken)
            unread = None
            better = measuring and self._measure(learner)
            if last or better or wish.save or wish.stop:
                self._save(learner)
            if wish.stop and not last:
                return False
        return True

    def _read(self, learner: Learner, taken: Taken) -> Wish:
        """Look at a step's numbers and tell them; hear what the ranks wish."""
        now = time.perf_counter()
        save = self._ranks.main and now - self._saved >= self._options.save_every
        stop = bool(self._wishes.why or self._watch.trouble(now))
        loss, tokens, examples, saves, stops = self._ranks.total(
            [float(taken.loss), taken.tokens, taken.examples, save, stop]
        )
        loss, length = loss / taken.count, float(taken.length)
        total = self._place.total - self._place.step + taken.step
        if not (math.isfinite(loss) and math.isfinite(length)):
            raise TrainerError(
                f"Step {total} has the loss {loss} and a gradient of length {length}.",
                "What was saved before is kept. Start a new run with a lower learning_rate, "
                "with clip=1 or with precision=fp32.",
            )
        self._pace.mark(tokens, examples)
        self._place.tokens += tokens
        tokens_a_second, examples_a_second = self._pace.rates()
        self._reporter.tell(
            "step",
            total,
            stage=learner.stage.name,
            epoch=taken.step / learner.steps_an_epoch,
            loss=loss,
            learning_rate=taken.rate,
            gradient_norm=length,
            tokens=int(tokens),
            tokens_per_second=round(tokens_a_second, 1),
            examples_per_second=round(examples_a_second, 2),
            memory=most_memory(self._ranks.device),
            eta=round(self._pace.left(self._tokens_left(learner, taken.step)), 1),
        )
        return Wish(saves > 0, stops > 0)

    def _measure(self, learner: Learner) -> bool:
        """Measure on the validation papers. Whether it never was better in this stage."""
        begun = time.perf_counter()
        stage, place = learner.stage, self._place
        loss = learner.validation_loss()
        scores = self._scores(learner)
        if loss is None and not scores:
            return False
        score = sum(scores.values()) / len(scores) if scores else -(loss or 0.0)
        if not math.isfinite(score):
            raise TrainerError(
                f"The model measures as {score} after step {place.total}.",
                "What was saved before is kept. Start a new run with a lower learning_rate.",
            )
        better = place.score is None or score > place.score
        if better:
            place.best, place.score = place.total, score
        self._reporter.tell(
            "validation", place.total, stage=stage.name, loss=loss, scores=scores, best=better
        )
        self._pace.pause(time.perf_counter() - begun)
        return better

    def _scores(self, learner: Learner) -> dict[str, float]:
        stage = learner.stage
        if not stage.scores:
            return {}
        encode = scorer(self._method, self._ranks, self._precision, learner.budget)
        with gathered(learner.model):
            found = {name: float(score) for name, score in stage.scores(encode).items()}
        # One opinion, where ranks on different machines could differ in the last digit.
        agreed: dict[str, float] = self._ranks.broadcast(found)
        return agreed

    def _save(self, learner: Learner) -> None:
        begun = time.perf_counter()
        place = self._place
        place.budget = learner.budget
        model, optimizer = learner.tensors()
        if self._ranks.main:
            state = {
                "place": asdict(place) | {"seconds": place.seconds + self._pace.seconds},
                "essence": self._recipe.essence,
                "corpus": self._corpus.sha256,
            }
            self._checkpoints.save(place.total, state, model, optimizer, place.best)
        self._saved = time.perf_counter()
        self._reporter.tell("checkpoint", place.total, seconds=round(self._saved - begun, 2))
        self._pace.pause(self._saved - begun)

    def _learner(self, stage: Stage) -> Learner:
        budget = self._options.budget or self._place.budget
        if not self._options.budget and self._run.budget.exists():
            budget = int(self._run.budget.read_text("utf-8"))
        return Learner(
            stage,
            self._ranks,
            seed=self._recipe.seed,
            precision=self._precision,
            budget=budget or budget_for(self._ranks.device, self._method.encoder.backbone),
            fsdp=self._options.fsdp,
            halved=self._tell_less_memory,
        )

    def _next_stage(self) -> None:
        place = self._place
        self._place = Place(
            place.stage + 1,
            total=place.total,
            budget=place.budget,
            tokens=place.tokens,
            seconds=place.seconds,
        )
        self._tell_stage()

    def _go_on(self, again: bool) -> Checkpoint | None:
        """Tell what is to be done, and find the checkpoint from which, if there is one."""
        found = self._checkpoints.last(self._reporter.warn) if self._ranks.main else None
        step = self._ranks.broadcast(found.step if found else None)
        if step is None:
            checkpoint = None
        else:
            checkpoint = found or self._checkpoints.read(step)
            self._check_same(checkpoint)
            self._place = Place(**checkpoint.state["place"])
        self._reporter.tell("start", **self._described)
        if again:
            why = "it has a checkpoint" if checkpoint else "it has no checkpoint yet"
            self._reporter.tell("resume", self._place.total, why=why)
        self._tell_stage()
        return checkpoint

    def _check_same(self, checkpoint: Checkpoint) -> None:
        """A run goes on as what it was. Raises TrainerError."""
        differences = self._recipe.differences(checkpoint.state["essence"])
        if differences:
            raise TrainerError(
                f"The recipe changed since the run began: {'; '.join(differences)}.",
                "Put it back in recipe.toml, or start a new run.",
            )
        if checkpoint.state["corpus"] != self._corpus.sha256:
            raise TrainerError(
                f"The corpus in {self._recipe.corpus} is not the one that the run began with.",
                "Prepare it again from the same files, or start a new run.",
            )

    def _tokens_left(self, learner: Learner, step: int) -> float:
        number = self._place.stage
        left = (learner.steps - step) * self._weights[number]
        for later in range(number + 1, len(self._weights)):
            left += length_of(self._method.stages[later])[1] * self._weights[later]
        return left

    def _leave(self) -> bool:
        if trouble := self._watch.trouble():
            raise trouble
        why = self._wishes.why or "another rank was told to"
        self._reporter.tell("stop", self._place.total, why=why)
        if self._ranks.main:
            self._run.clear_stop()
        return False

    def _finish(self) -> bool:
        """Make the package of the best weights, and the report; then measure it. One rank does."""
        if self._ranks.main:
            package = finish(self._run, self._recipe, self._begun, self._best())
            seconds = self._place.seconds + self._pace.seconds
            made = report(self._run, package, seconds, self._place.tokens, self._described)
            self._run.write_report(made)
            if self._options.measure:
                measure(self._run, self._ranks.device, self._reporter, self._wishes)
            self._reporter.tell(
                "end", self._place.total, seconds=round(seconds, 1), scores=made["scores"]
            )
        self._ranks.barrier()
        return True

    def _best(self) -> Checkpoint:
        """The stage's best weights; its last, if none were measured or they are damaged."""
        try:
            return self._checkpoints.read(self._place.best or self._place.total)
        except TrainerError as error:
            self._reporter.warn(f"{error} The last weights are taken instead of the best.")
            return self._checkpoints.read(self._place.total)

    def _tell_stage(self) -> None:
        place = self._place
        stage = self._method.stages[place.stage]
        self._reporter.tell("stage", place.total, stage=stage.name, number=place.stage)

    def _tell_less_memory(self, budget: int) -> None:
        self._reporter.warn(f"Memory is short: {budget} tokens at once from now on.")
        if self._ranks.world > 1:
            write_whole(self._run.budget, str(budget))
