"""Reporting of a run's events to its folder and to the console."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from trainer.contract.run import Event, Run
from trainer.loop.tensorboard import TensorBoardWriter

log = logging.getLogger("trainer")

# Seconds between plain lines; a bar is redrawn ten times per second.
_EVERY = 10.0
# Seconds over which speed is averaged: long enough to see texts of all lengths.
_WINDOW = 30.0


class Reporter(AbstractContextManager["Reporter"]):
    """Writes events to the run, to trainer.log, and as a bar or lines to the console.

    With `silent`, as on all ranks but one, it does nothing. A terminal has room for one `bar` at a
    time. With `tensorboard`, events are written for TensorBoard as well.
    """

    def __init__(
        self,
        run: Run,
        *,
        silent: bool = False,
        console: Console | None = None,
        bar: bool = True,
        tensorboard: bool = False,
    ) -> None:
        self._run, self._silent, self._draws = run, silent, bar
        self._console = console or Console()
        self._closing = ExitStack()
        self._tensorboard = TensorBoardWriter(run) if tensorboard and not silent else None
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._said = 0.0

    def __enter__(self) -> Reporter:
        if self._silent:
            return self
        self._closing.callback(_log_to(self._run))
        if self._tensorboard:
            self._closing.callback(self._tensorboard.close)
        if self._console.is_terminal and self._draws:
            bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[said]}"),
                console=self._console,
            )
            self._bar = self._closing.enter_context(bar)
            self._task = bar.add_task("training", total=None, said="")
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def record(self, kind: str, step: int = 0, **values: Any) -> None:
        """Record an event; `kind` and `values` as in trainer.contract.run.Event."""
        if self._silent:
            return
        event = Event(kind, time.time(), step, values)
        self._run.append(event)
        if self._tensorboard:
            self._tensorboard.write(event)
        if kind == "step":
            self._show_step(event)
            return
        message = _SENTENCES[kind](event)
        if kind == "start" and self._bar:
            self._bar.update(self._task, total=values["steps"])
        if message:
            log.log(_LEVELS.get(kind, logging.INFO), message)
            # Errors are raised, and printed by the caller.
            if kind not in ("checkpoint", "error"):
                self._print(f"Warning: {message}" if kind == "warning" else message)

    def note(self, text: str) -> None:
        self.record("note", text=text)

    def warn(self, text: str) -> None:
        self.record("warning", text=text)

    def _show_step(self, event: Event) -> None:
        values = event.values
        message = f"loss {values['loss']:.4f}"
        if values["tokens_per_second"]:  # unknown before the third step
            message += f" · {values['tokens_per_second']:,.0f} tokens/s"
            message += f" · {duration(values['eta'])} left"
        if self._bar:
            self._bar.update(
                self._task, completed=event.step, description=values["stage"], said=message
            )
        if event.at - self._said >= _EVERY:
            self._said = event.at
            line = f"{values['stage']}: step {event.step:,} · {message}"
            log.info(line)
            if not self._bar:
                self._print(line)

    def _print(self, line: str) -> None:
        # soft_wrap: files and other programs get one line per message.
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


class TrainingRate:
    """Speed and remaining time of a training. Pauses are accounted for separately."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, float, float]] = deque()
        self._tokens = self._examples = self._paused = 0.0
        self._begun = time.perf_counter()

    def mark(self, tokens: float, examples: float) -> None:
        """Count a completed step."""
        self._tokens += tokens
        self._examples += examples
        now = time.perf_counter() - self._paused
        self._marks.append((now, self._tokens, self._examples))
        # Three marks give a rate even where a step takes longer than the window.
        while len(self._marks) > 3 and now - self._marks[0][0] > _WINDOW:
            self._marks.popleft()

    def pause(self, seconds: float) -> None:
        """Count seconds spent on something else, such as validation or saving."""
        self._paused += seconds

    def left(self, tokens: float) -> float:
        """Return the estimated seconds for this many tokens, with pauses in proportion to those so
        far."""
        rate, _ = self.rates()
        active = time.perf_counter() - self._paused - self._begun
        return tokens / rate * (1 + self._paused / max(active, 1e-9)) if rate else 0.0

    @property
    def seconds(self) -> float:
        """Seconds since creation, including pauses."""
        return time.perf_counter() - self._begun

    def rates(self) -> tuple[float, float]:
        """Recent tokens and examples per second; 0 before the third step.

        Before a validation, the numbers of two steps are read at once: the time between the first
        two says nothing.
        """
        if len(self._marks) < 3:
            return 0.0, 0.0
        (start, tokens, examples), (end, tokens_now, examples_now) = self._marks[0], self._marks[-1]
        seconds = max(end - start, 1e-9)
        return (tokens_now - tokens) / seconds, (examples_now - examples) / seconds


def duration(seconds: float) -> str:
    """Format a duration in at most two units: 45 s, 3 min, 2 h 05 min, 3 d 4 h."""
    minutes, hours = round(seconds / 60), round(seconds / 3600)
    if seconds < 100:
        return f"{seconds:.0f} s"
    if minutes < 100:
        return f"{minutes} min"
    if hours < 48:
        return f"{minutes // 60} h {minutes % 60:02} min"
    return f"{hours // 24} d {hours % 24} h"


def _log_to(run: Run) -> Callable[[], None]:
    handler = logging.FileHandler(run.log, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)

    def close() -> None:
        log.removeHandler(handler)
        handler.close()

    return close


def _started(event: Event) -> str:
    values = event.values
    return (
        f"{values['recipe']} from {values['base']} on {values['corpus']['papers']:,} papers: "
        f"{values['steps']:,} steps on {values['device']}"
        + (f", {values['ranks']} ranks." if values["ranks"] > 1 else ".")
    )


def _measured(event: Event) -> str:
    loss = event.values["loss"]
    numbers = ({} if loss is None else {"loss": loss}) | event.values["scores"]
    scores = ", ".join(f"{name} {number:.4f}" for name, number in numbers.items())
    best = " (best so far)" if event.values["best"] else ""
    return f"Validation after step {event.step:,}: {scores}{best}"


def _emphasized(event: Event) -> str:
    before, after = event.values["without"], event.values["scores"]
    scores = ", ".join(f"{name} {before[name]:.4f} to {after[name]:.4f}" for name in before)
    if event.values["strength"]:
        strength = event.values["strength"]
        return f"A layer of strength {strength:g} emphasizes labels: {scores}."
    compared = f" ({scores})" if scores else ""
    return f"The model has no layer that emphasizes labels: {event.values['why']}{compared}."


def _stopped(event: Event) -> str:
    step = f" after step {event.step:,}" if event.step else ""
    return f"Stopped{step} ({event.values['why']}). Run the same command again to resume."


def _failed(event: Event) -> str:
    return f"{event.values['message']}\n{event.values['hint']}".rstrip()


_SENTENCES: Mapping[str, Callable[[Event], str]] = {
    "start": _started,
    "resume": lambda event: f"Resuming after step {event.step:,}: {event.values['why']}.",
    "stage": lambda event: f"Stage {event.values['number'] + 1}: {event.values['stage']}.",
    "validation": _measured,
    "mixture": lambda event: (
        f"The finished model has {event.values['share']:.0%} of the base model's weights."
        if event.values["share"]
        else ""
    ),
    "head": _emphasized,
    "checkpoint": lambda event: f"Checkpoint saved after step {event.step}.",
    "note": lambda event: str(event.values["text"]),
    "warning": lambda event: str(event.values["text"]),
    "stop": _stopped,
    "error": _failed,
    "end": lambda event: f"Finished in {duration(event.values['seconds'])}.",
}
_LEVELS = {"warning": logging.WARNING, "error": logging.ERROR}
