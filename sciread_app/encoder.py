"""Encoding of texts as unit vectors by a model in a separate process."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

import trainer.contract
from sciread_app.errors import EncoderFailed
from sciread_app.language import tr
from sciread_app.tasks import Task
from trainer.contract import wire
from trainer.contract.package import Package, read_package

# Texts in one request. A typed query waits for one request at most, and so does canceling.
CHUNK = 128
START_SECONDS = 180.0
ANSWER_SECONDS = 600.0
# Number of tries of a request whose process crashes, and of one whose process is killed from
# outside, for example when memory runs out, which may be temporary.
_TRIES, _TRIES_IF_KILLED = 2, 4
_NICE = 10  # niceness of background work; Windows has priority classes
_NO_WINDOW: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
_BELOW_NORMAL: int = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
_END_SECONDS = 1.0  # for a process to end after its last output
# The end of what the model's process wrote to stderr, shown when it fails.
_TAIL_BYTES = 2_000


def trainer_command(*arguments: str) -> list[str]:
    """The command that starts the trainer as a process, from source or from a frozen build."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "trainer", *arguments]
    return [sys.executable, "-m", "trainer", *arguments]


def whole_words(tokenizer: Path) -> frozenset[str]:
    """The whole-word tokens of a tokenizer.json, casefolded.

    Raises OSError, ValueError, KeyError or TypeError if the file is not as expected.
    """
    vocabulary = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
    # A mapping, or pairs of a token and its score.
    tokens = [token if isinstance(token, str) else token[0] for token in vocabulary]
    # SentencePiece and byte-level BPE mark word beginnings, WordPiece continuations.
    if begun := [token[1:] for token in tokens if token[:1] in ("▁", "Ġ")]:
        return frozenset(token.casefold() for token in begun if token)
    return frozenset(token.casefold() for token in tokens if not token.startswith("##"))


class EncoderProcess:
    """A model package as a function from texts to vectors.

    The model's process starts with the first texts, or with `start`, and is restarted when it
    dies. Safe to call from any thread: requests are serialized, and a typed query goes before the
    rest of a long list. `package`, `space`, `dim` and `title` need no running process.
    """

    def __init__(self, package: Path | Package, command: Sequence[str] = ()) -> None:
        """`command` replaces the trainer's process. Raises PackageRefused."""
        self.package = package if isinstance(package, Package) else read_package(package)
        self.space = self.package.space
        self.dim = self.package.dim
        self.title = self.package.title
        folder = str(self.package.folder.resolve())
        self._command = list(command) or trainer_command("serve", folder)
        # Called with the number of texts of a long list and the seconds it took to encode them.
        self.on_timed: Callable[[int, float], object] = lambda texts, seconds: None
        self._child: _Child | None = None
        self._lock = _PriorityLock()
        self._background = False
        self._closed = False

    def start(self) -> None:
        """Start the model's process, if it is not running, and wait until it is ready.

        Raises EncoderFailed.
        """
        with self._lock.hold(urgent=True):
            self._running_child()

    def encode(
        self,
        texts: Sequence[tuple[str, str]],
        task: Task | None = None,
        *,
        queries: bool = False,
    ) -> NDArray[np.float32]:
        """One vector of unit length per text, in their order: float32 [len(texts), dim].

        A text is (title, abstract). With `queries`, the texts are typed queries, (query, ""), which
        many models read differently. Raises EncoderFailed, and Cancelled between two requests.
        """
        vectors = np.empty((len(texts), self.dim), np.float32)
        # Texts of similar length go together, so that no request waits for one long text. Longest
        # first, so that the time left is never underestimated.
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row][0]) - len(texts[row][1]))
        busy = 0.0
        for done in range(0, len(texts), CHUNK):
            if task:
                task.step(done, len(texts))
            rows = order[done : done + CHUNK]
            with self._lock.hold(urgent=len(texts) == 1):
                self._running_child()
                begun = time.monotonic()
                vectors[rows] = self._ask([texts[row] for row in rows], queries)
                busy += time.monotonic() - begun
        if task:
            task.step(len(texts), len(texts))
        if len(texts) >= CHUNK:
            self.on_timed(len(texts), busy)
        return vectors

    def knows_any(self, words: Iterable[str]) -> bool:
        """Whether one of these words is a whole token of the model, which can have a meaning of its
        own; True if the vocabulary cannot be read."""
        known = self._whole_words
        return not known or any(word.casefold() in known for word in words)

    @cached_property
    def _whole_words(self) -> frozenset[str]:
        try:
            return whole_words(self.package.folder / "tokenizer.json")
        except (OSError, ValueError, KeyError, TypeError):
            return frozenset()

    @property
    def background(self) -> bool:
        """Whether the process has low priority.

        A change restarts the process, since a priority once lowered may not be raised again.
        """
        return self._background

    @background.setter
    def background(self, enabled: bool) -> None:
        with self._lock.hold(urgent=True):
            if enabled != self._background and self._child:
                self._child.stop()
            self._background = enabled

    def close(self) -> None:
        """Stop the model's process permanently, even in the middle of a request."""
        self._closed = True
        if child := self._child:
            child.stop()

    def _ask(self, texts: list[tuple[str, str]], queries: bool) -> NDArray[np.float32]:
        for tries in itertools.count(1):
            try:
                return self._running_child().encode(texts, self.dim, queries)
            except _EncoderDied as died:
                # Retry with a new process: the cause may have been temporary.
                if self._closed or tries >= (_TRIES_IF_KILLED if died.killed else _TRIES):
                    message = tr("The model stopped unexpectedly.")
                    raise self._failure(message, died) from died
        raise AssertionError("there is no last number")

    def _running_child(self) -> _Child:
        if self._closed:
            raise _closed()
        if self._child is None or not self._child.is_running():
            self._child = self._new_child()
        return self._child

    def _new_child(self) -> _Child:
        for tries in itertools.count(1):
            try:
                child = _Child(self._command, self._background)
                child.wait_until_ready()
            except _EncoderDied as died:
                if self._closed or not died.killed or tries >= _TRIES_IF_KILLED:
                    raise self._failure(tr("Could not start the model."), died) from died
            except OSError as error:
                why = error.strerror or str(error)
                raise EncoderFailed(tr("Could not start the model."), why) from error
            else:
                break
        if self._closed:
            child.stop()
        return child

    def _failure(self, message: str, died: _EncoderDied) -> EncoderFailed:
        if self._closed:
            return _closed()
        return EncoderFailed(message, f"{self.title}: {died}")


def _closed() -> EncoderFailed:
    return EncoderFailed(tr("The model was closed."), tr("Restart SciRead."))


class _EncoderDied(Exception):
    """The model's process has ended; the message is its last output. `killed`: by a signal from
    outside."""

    def __init__(self, last_output: str, killed: bool) -> None:
        super().__init__(last_output)
        self.killed = killed


class _Child:
    """The running process of a model and its two pipes. One request at a time."""

    def __init__(self, command: list[str], background: bool) -> None:
        # A file takes any amount; a pipe that is not read would block the process.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        # Run in the folder of the trainer package, so that `-m trainer` finds it and no other.
        home = Path(trainer.contract.__file__).parents[2]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=home if not getattr(sys, "frozen", False) else None,
            creationflags=_NO_WINDOW | (_BELOW_NORMAL if background else 0),
        )
        if background and hasattr(os, "setpriority"):
            with suppress(OSError):  # it may have ended, which shows at the first request
                ours = os.getpriority(os.PRIO_PROCESS, 0)
                os.setpriority(os.PRIO_PROCESS, self._process.pid, ours + _NICE)
        self._numbers = itertools.count(1)
        # Also when the interpreter ends or the encoder is forgotten: no orphan, no zombie.
        self.stop = weakref.finalize(self, _stop, self._process)

    def is_running(self) -> bool:
        return self.stop.alive and self._process.poll() is None

    def wait_until_ready(self) -> None:
        self._answer(START_SECONDS)

    def encode(self, texts: list[tuple[str, str]], dim: int, queries: bool) -> NDArray[np.float32]:
        """The vectors [texts, dim] of (title, abstract) pairs, in float32.

        Raises _EncoderDied, after ending the process, if it gives no valid response in time, and
        EncoderFailed if it reports an error.
        """
        number = next(self._numbers)
        try:
            wire.send(self._stdin, {"id": number, "texts": texts, "queries": queries})
        except (OSError, ValueError) as error:
            raise self._died(killed=self._was_killed()) from error
        answer = self._answer(ANSWER_SECONDS)
        if answer.header.get("id") != number:
            raise self._died(tr("The response belongs to another request."))
        shape = (len(texts), dim)
        if (came := len(answer.body)) != (wanted := 4 * len(texts) * dim):
            message = tr(
                "The response has {came:,} bytes instead of {wanted:,}.", came=came, wanted=wanted
            )
            raise self._died(message)
        return np.frombuffer(answer.body, np.dtype("<f4")).reshape(shape)

    def _answer(self, seconds: float) -> wire.Frame:
        """The next frame. Raises _EncoderDied, also after `seconds`, and EncoderFailed if the
        process reports an error."""
        # Computed before the timer starts, which could otherwise fire just before the deadline.
        late = time.monotonic() + seconds
        # A blocked read cannot be interrupted on every system, but killing the process ends it.
        watch = threading.Timer(seconds, self._process.kill)
        watch.daemon = True
        watch.start()
        try:
            answer = wire.receive(self._stdout)
        except (OSError, ValueError, wire.BrokenFrame) as error:
            raise self._died(str(error), killed=self._was_killed()) from error
        finally:
            watch.cancel()
        if answer is None and time.monotonic() >= late:
            raise self._died(tr("No response within {seconds:.0f} seconds.", seconds=seconds))
        if answer is None:
            raise self._died(killed=self._was_killed())
        if error_text := answer.header.get("error"):
            raise EncoderFailed(str(error_text), str(answer.header.get("hint", "")))
        return answer

    @property
    def _stdin(self) -> BinaryIO:
        assert self._process.stdin
        return self._process.stdin  # type: ignore[return-value]

    @property
    def _stdout(self) -> BinaryIO:
        assert self._process.stdout
        return self._process.stdout  # type: ignore[return-value]

    def _was_killed(self) -> bool:
        """Whether a process without further output was ended by a signal; never on Windows."""
        try:
            return self._process.wait(_END_SECONDS) < 0
        except subprocess.TimeoutExpired:
            return False

    def _died(self, why: str = "", *, killed: bool = False) -> _EncoderDied:
        self.stop()
        self._errors.seek(0, 2)
        self._errors.seek(max(0, self._errors.tell() - _TAIL_BYTES))
        message = f"{why}\n{self._errors.read().decode('utf-8', 'replace')}".strip()
        return _EncoderDied(message, killed)


def _stop(process: subprocess.Popen[bytes]) -> None:
    # It holds no unsaved state, so it need not be terminated gently.
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            pipe.close()  # type: ignore[union-attr]


class _PriorityLock:
    """A lock for which urgent waiters go before all others."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._busy = False
        self._urgent = 0

    @contextmanager
    def hold(self, *, urgent: bool) -> Iterator[None]:
        """Hold the lock inside the block. Urgent callers wait only for the current holder and for
        other urgent callers."""
        with self._change:
            self._urgent += urgent
            self._change.wait_for(lambda: not self._busy and (urgent or not self._urgent))
            self._urgent -= urgent
            self._busy = True
        try:
            yield
        finally:
            with self._change:
                self._busy = False
                self._change.notify_all()
