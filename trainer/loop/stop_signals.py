"""Reasons to end a training early: signals, the file `stop`, a missing corpus."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any

from trainer.contract.errors import TrainerError
from trainer.contract.run import Run
from trainer.data.tokens import TokenCache

# Sent by a terminal on Ctrl-C, and by SLURM or a system shutdown before killing.
_SIGNALS = ("SIGINT", "SIGTERM")
# Seconds within which a signal counts as a repetition: SLURM or a terminal may send it, and
# torchrun again.
_REPEAT_SECONDS = 5.0
# Seconds between two checks of the corpus.
_CHECK_EVERY = 1.0


class StopSignals(AbstractContextManager["StopSignals"]):
    """Context manager that records stop signals and stop requests for any of the runs.

    A later signal gets its default handling, so that an impatient user can force an exit.
    """

    def __init__(self, *runs: Run) -> None:
        self.signal = 0
        self._runs = runs
        self._received = 0.0
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> StopSignals:
        if threading.current_thread() is threading.main_thread():
            for number in (getattr(signal, name) for name in _SIGNALS):
                self._previous[number] = signal.signal(number, self._receive)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    @property
    def reason(self) -> str:
        """The reason to stop; empty if there is none."""
        if self.signal:
            return signal.Signals(self.signal).name
        asked = any(run.stop_requested() for run in self._runs)
        return "requested by the file `stop`" if asked else ""

    def _receive(self, number: int, _: FrameType | None) -> None:
        now = time.monotonic()
        if not self.signal:
            self.signal, self._received = number, now
        elif now - self._received > _REPEAT_SECONDS:
            signal.signal(number, self._previous[number])
            signal.raise_signal(number)


class CorpusWatch:
    """Periodic check that a corpus and its token cache still exist unchanged.

    Their files are memory-mapped, and reading a truncated one would kill the process.
    """

    def __init__(self, tokens: TokenCache) -> None:
        self._tokens = tokens
        self._checked = time.perf_counter()
        self._error: TrainerError | None = None

    def error(self, now: float | None = None) -> TrainerError | None:
        """Return the error of the last check; None if the corpus is intact."""
        if now is not None and now - self._checked >= _CHECK_EVERY and not self._error:
            self._checked = now
            try:
                self._tokens.check()
            except TrainerError as error:
                self._error = error
        return self._error
