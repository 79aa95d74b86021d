"""Training: takes a run from its recipe, or its last checkpoint, to a finished model."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from typing import NamedTuple

from rich.console import Console

from trainer.contract.errors import TrainerError
from trainer.contract.run import Run, write_atomically
from trainer.data.tokens import TokenCache
from trainer.distributed import Ranks, gathered_weights
from trainer.held_out_evaluation import measure
from trainer.loop.checkpoints import Checkpoint, Checkpoints
from trainer.loop.finish import build_report, describe_run, finish
from trainer.loop.progress import Reporter, TrainingRate
from trainer.loop.scoring import validation_encoder
from trainer.loop.session import run_session
from trainer.loop.setup import Options, prepare_run
from trainer.loop.stage_trainer import (
    StageTrainer,
    StepResult,
    mean_tokens,
    step_counts,
    validates_after,
)
from trainer.loop.stop_signals import CorpusWatch, StopSignals
from trainer.machine import budget_for, peak_memory, precision_of
from trainer.methods.base import TrainingStage


class TrainingOutcome(NamedTuple):
    """Whether there is a model now; if not, the signal that stopped the run, 0 for none."""

    finished: bool
    signal: int = 0


def train(
    run: Run,
    ranks: Ranks,
    options: Options | None = None,
    console: Console | None = None,
    *,
    part_of: Run | None = None,
) -> TrainingOutcome:
    """Train the run, or resume it, until it is finished. Collective: call on all ranks.

    Also stops on a stop request for `part_of`. Raises TrainerError, which is also written to the
    run; its last intact checkpoint is kept.
    """
    if run.report is not None:
        return TrainingOutcome(finished=True)
    options = options or Options()
    again = bool(run.follow()[0])
    with (
        run_session(run, ranks, console, tensorboard=options.tensorboard) as reporter,
        StopSignals(run, *filter(None, [part_of])) as stop_signals,
    ):
        training = Training(run, ranks, options, reporter, stop_signals)
        finished = training.run(again)
        return TrainingOutcome(finished, 0 if finished else stop_signals.signal)


@dataclass
class TrainingState:
    """The progress of a training, as saved in checkpoints.

    `step` counts within the stage, `total` over all stages. `best` is the total step of the stage's
    best validation and `score` its score, higher being better; 0 and None before the first.
    """

    stage: int = 0
    step: int = 0
    total: int = 0
    best: int = 0
    score: float | None = None
    budget: int = 0
    tokens: float = 0.0
    seconds: float = 0.0


class StopRequest(NamedTuple):
    """The actions that the ranks have agreed on after a step: to save a checkpoint, to stop."""

    save: bool = False
    stop: bool = False


class Training:
    """The training of a run, on one rank."""

    def __init__(
        self,
        run: Run,
        ranks: Ranks,
        options: Options,
        reporter: Reporter,
        stop_signals: StopSignals,
    ) -> None:
        self._run, self._ranks, self._options = run, ranks, options
        self._reporter, self._stop_signals = reporter, stop_signals
        self._recipe = run.recipe
        self._prepared = prepare_run(self._recipe, run.folder, ranks, options, reporter.note)
        self._corpus, self._method, _ = self._prepared
        self._precision = precision_of(str(self._recipe.settings["precision"]), ranks.device)
        self._described = describe_run(
            self._recipe, self._prepared, ranks, self._precision, options
        )
        self._checkpoints = Checkpoints(run.checkpoints)
        self._state = TrainingState()
        self._rate = TrainingRate()
        # Tokens per step of each stage, for estimating durations.
        self._step_tokens = [
            mean_tokens(stage.train) * stage.plan.batch_size for stage in self._method.stages
        ]
        self._watch = CorpusWatch(TokenCache.open(self._corpus, self._method.reading.tokenizer))
        self._saved = time.perf_counter()

    def run(self, again: bool) -> bool:
        """Train from the last checkpoint, or from the beginning. Return whether it was completed.

        `again`: the run was started before.
        """
        stages = self._method.stages
        checkpoint = self._resume(again)
        while True:
            stage_trainer = self._stage_trainer(stages[self._state.stage])
            if checkpoint:
                stage_trainer.load(checkpoint)
                checkpoint = None
            if not self._train_stage(stage_trainer):
                return self._stop()
            if self._state.stage + 1 == len(stages):
                return self._finish()
            stage_trainer.finish()
            self._next_stage()

    def _train_stage(self, stage_trainer: StageTrainer) -> bool:
        """Take the remaining steps of a stage. Return False if it was stopped before the end."""
        state, pending = self._state, None
        for result in stage_trainer.train_steps(state.step):
            # Only now, so that the device already has the next step to compute.
            request = self._read_step(stage_trainer, pending) if pending else StopRequest()
            pending = result
            state.step, state.total = state.step + 1, state.total + 1
            last = state.step == stage_trainer.steps
            measuring = validates_after(stage_trainer.stage, state.step)
            if not (last or measuring or request.save or request.stop):
                continue
            self._read_step(stage_trainer, result)
            pending = None
            better = measuring and self._validate(stage_trainer)
            if last or better or request.save or request.stop:
                self._save(stage_trainer)
            if request.stop and not last:
                return False
        return True

    def _read_step(self, stage_trainer: StageTrainer, result: StepResult) -> StopRequest:
        """Record the numbers of a step. Return what the ranks request."""
        now = time.perf_counter()
        save = self._ranks.main and now - self._saved >= self._options.save_every
        stop = bool(self._stop_signals.reason or self._watch.error(now))
        loss, tokens, examples, saves, stops = self._ranks.total(
            [float(result.loss), result.tokens, result.examples, save, stop]
        )
        loss, grad_norm = loss / result.count, float(result.grad_norm)
        total = self._state.total - self._state.step + result.step
        if not (math.isfinite(loss) and math.isfinite(grad_norm)):
            raise TrainerError(
                f"Training diverged at step {total}: loss {loss}, gradient norm {grad_norm}.",
                "Earlier checkpoints are kept. Start a new run with a lower learning rate, with "
                "gradient clipping or with the precision fp32.",
            )
        self._rate.mark(tokens, examples)
        self._state.tokens += tokens
        tokens_a_second, examples_a_second = self._rate.rates()
        self._reporter.record(
            "step",
            total,
            stage=stage_trainer.stage.name,
            epoch=result.step / stage_trainer.steps_an_epoch,
            loss=loss,
            learning_rate=result.rate,
            gradient_norm=grad_norm,
            tokens=int(tokens),
            tokens_per_second=round(tokens_a_second, 1),
            examples_per_second=round(examples_a_second, 2),
            memory=peak_memory(self._ranks.device),
            eta=round(self._rate.left(self._tokens_left(stage_trainer, result.step)), 1),
        )
        return StopRequest(saves > 0, stops > 0)

    def _validate(self, stage_trainer: StageTrainer) -> bool:
        """Validate. Return whether this is the best validation of the stage."""
        begun = time.perf_counter()
        stage, state = stage_trainer.stage, self._state
        with stage_trainer.averaged():
            loss = stage_trainer.validation_loss()
            scores = self._scores(stage_trainer)
        if loss is None and not scores:
            return False
        score = sum(scores.values()) / len(scores) if scores else -(loss or 0.0)
        if not math.isfinite(score):
            raise TrainerError(
                f"The validation after step {state.total} has the invalid score {score}.",
                "Earlier checkpoints are kept. Start a new run with a lower learning rate.",
            )
        better = state.score is None or score > state.score
        if better:
            state.best, state.score = state.total, score
        self._reporter.record(
            "validation", state.total, stage=stage.name, loss=loss, scores=scores, best=better
        )
        self._rate.pause(time.perf_counter() - begun)
        return better

    def _scores(self, stage_trainer: StageTrainer) -> dict[str, float]:
        stage = stage_trainer.stage
        if not stage.scores:
            return {}
        encode = validation_encoder(
            self._method, self._ranks, self._precision, stage_trainer.budget
        )
        with gathered_weights(stage_trainer.model):
            found = {name: float(score) for name, score in stage.scores(encode).items()}
        # Rank 0's values, since ranks on different machines could differ in the last digit.
        agreed: dict[str, float] = self._ranks.broadcast(found)
        return agreed

    def _save(self, stage_trainer: StageTrainer) -> None:
        begun = time.perf_counter()
        state = self._state
        state.budget = stage_trainer.budget
        model, optimizer = stage_trainer.tensors()
        if self._ranks.main:
            saved = {
                "place": asdict(state) | {"seconds": state.seconds + self._rate.seconds},
                "essence": self._recipe.essence,
                "corpus": self._corpus.sha256,
            }
            self._checkpoints.save(state.total, saved, model, optimizer, state.best)
        self._saved = time.perf_counter()
        self._reporter.record("checkpoint", state.total, seconds=round(self._saved - begun, 2))
        self._rate.pause(self._saved - begun)

    def _stage_trainer(self, stage: TrainingStage) -> StageTrainer:
        budget = self._options.budget or self._state.budget
        if not self._options.budget and self._run.budget.exists():
            budget = int(self._run.budget.read_text("utf-8"))
        return StageTrainer(
            stage,
            self._ranks,
            seed=self._recipe.seed,
            precision=self._precision,
            budget=budget or budget_for(self._ranks.device, self._method.encoder.backbone),
            fsdp=self._options.fsdp,
            halved=self._reduce_budget,
        )

    def _next_stage(self) -> None:
        state = self._state
        self._state = TrainingState(
            state.stage + 1,
            total=state.total,
            budget=state.budget,
            tokens=state.tokens,
            seconds=state.seconds,
        )
        self._record_stage()

    def _resume(self, again: bool) -> Checkpoint | None:
        """Restore the last checkpoint, if there is one, and record the start. Return the
        checkpoint."""
        found = self._checkpoints.last(self._reporter.warn) if self._ranks.main else None
        step = self._ranks.broadcast(found.step if found else None)
        if step is None:
            checkpoint = None
        else:
            checkpoint = found or self._checkpoints.read(step)
            self._check_same(checkpoint)
            self._state = TrainingState(**checkpoint.state["place"])
        self._reporter.record("start", **self._described)
        if again:
            why = "checkpoint found" if checkpoint else "no checkpoint yet"
            self._reporter.record("resume", self._state.total, why=why)
        self._record_stage()
        return checkpoint

    def _check_same(self, checkpoint: Checkpoint) -> None:
        """Check that recipe and corpus are those of the checkpoint. Raises TrainerError."""
        differences = self._recipe.differences(checkpoint.state["essence"])
        if differences:
            raise TrainerError(
                f"The recipe has changed since the start of the run: {'; '.join(differences)}.",
                "Restore recipe.toml, or start a new run.",
            )
        if checkpoint.state["corpus"] != self._corpus.sha256:
            raise TrainerError(
                f"The corpus {self._recipe.corpus} has changed since the start of the run.",
                "Prepare the corpus again from the same files, or start a new run.",
            )

    def _tokens_left(self, stage_trainer: StageTrainer, step: int) -> float:
        number = self._state.stage
        left = (stage_trainer.steps - step) * self._step_tokens[number]
        for later in range(number + 1, len(self._step_tokens)):
            left += step_counts(self._method.stages[later])[1] * self._step_tokens[later]
        return left

    def _stop(self) -> bool:
        if error := self._watch.error():
            raise error
        why = self._stop_signals.reason or "requested by another rank"
        self._reporter.record("stop", self._state.total, why=why)
        if self._ranks.main:
            self._run.clear_stop()
        return False

    def _finish(self) -> bool:
        """On one rank: write the package of the best weights and the report, then evaluate."""
        if self._ranks.main:
            package = finish(
                self._run,
                self._recipe,
                self._prepared,
                self._best(),
                self._ranks.device,
                self._reporter,
            )
            seconds = self._state.seconds + self._rate.seconds
            made = build_report(self._run, package, seconds, self._state.tokens, self._described)
            self._run.write_report(made)
            if self._options.measure:
                measure(self._run, self._ranks.device, self._reporter, self._stop_signals)
            self._reporter.record(
                "end", self._state.total, seconds=round(seconds, 1), scores=made["scores"]
            )
        self._ranks.barrier()
        return True

    def _best(self) -> Checkpoint:
        """Return the stage's best weights; its last, if there was no validation or they are
        damaged."""
        try:
            return self._checkpoints.read(self._state.best or self._state.total)
        except TrainerError as error:
            self._reporter.warn(f"{error} The final weights are used instead of the best.")
            return self._checkpoints.read(self._state.total)

    def _record_stage(self) -> None:
        state = self._state
        stage = self._method.stages[state.stage]
        self._reporter.record("stage", state.total, stage=stage.name, number=state.stage)

    def _reduce_budget(self, budget: int) -> None:
        self._reporter.warn(f"Not enough memory: continuing with {budget} tokens per pass.")
        if self._ranks.world > 1:
            write_atomically(self._run.budget, str(budget))
