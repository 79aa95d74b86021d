"""Why a training should end early: signals, the file `stop`, a corpus that is gone."""

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

# What a terminal sends on Ctrl-C, and SLURM or a closing system before it kills.
_SIGNALS = ("SIGINT", "SIGTERM")
# One wish can come twice: from SLURM or a terminal, and again from torchrun, within seconds.
_ONE_WISH = 5.0
# Seconds between two looks at the corpus.
_LOOK_EVERY = 1.0


class StopWishes(AbstractContextManager["StopWishes"]):
    """Notes those for any of the runs while it is open.

    A later signal, from one who will not wait, does what it always does.
    """

    def __init__(self, *runs: Run) -> None:
        self.signal = 0
        self._runs = runs
        self._noted = 0.0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopWishes:
        if threading.current_thread() is threading.main_thread():
            for number in (getattr(signal, name) for name in _SIGNALS):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def why(self) -> str:
        """Why to stop; empty as long as there is no reason."""
        if self.signal:
            return signal.Signals(self.signal).name
        asked = any(run.wants_stop() for run in self._runs)
        return "asked to by the file `stop`" if asked else ""

    def _note(self, number: int, _: FrameType | None) -> None:
        now = time.monotonic()
        if not self.signal:
            self.signal, self._noted = number, now
        elif now - self._noted > _ONE_WISH:
            signal.signal(number, self._before[number])
            signal.raise_signal(number)


class CorpusWatch:
    """Looks now and then whether a corpus and its tokens are still there and whole.

    Their files are memory-mapped, and one that is cut would end this process at the next read.
    """

    def __init__(self, tokens: TokenCache) -> None:
        self._tokens = tokens
        self._looked = time.perf_counter()
        self._trouble: TrainerError | None = None

    def trouble(self, now: float | None = None) -> TrainerError | None:
        """What is wrong with it, as far as is known."""
        if now is not None and now - self._looked >= _LOOK_EVERY and not self._trouble:
            self._looked = now
            try:
                self._tokens.check()
            except TrainerError as error:
                self._trouble = error
        return self._trouble
