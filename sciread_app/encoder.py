"""Encoding of texts as unit vectors by a model in a separate process."""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sciread_app.child_process import (
    ChildProcess,
    ProcessFailed,
    ProcessTimedOut,
    module_command,
)
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
_NICE = 10  # niceness of background work
# The end of what the model's process wrote to stderr, shown when it fails.
_TAIL_BYTES = 2_000


def trainer_command(*arguments: str) -> list[str]:
    """The command that starts the trainer as a process, from source or from a frozen build."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "trainer", *arguments]
    return module_command("trainer", *arguments)


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
            child.kill()
            with self._lock.hold(urgent=True):
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
                self._child = child = _Child(self._command, self._background)
                if self._closed:
                    child.kill()
                child.wait_until_ready()
                return child
            except _EncoderDied as died:
                if self._closed or not died.killed or tries >= _TRIES_IF_KILLED:
                    raise self._failure(tr("Could not start the model."), died) from died
            except OSError as error:
                why = error.strerror or str(error)
                raise EncoderFailed(tr("Could not start the model."), why) from error
        raise AssertionError("there is no last number")

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


class _Child(ChildProcess):
    """The running process of a model. One request at a time."""

    def __init__(self, command: list[str], background: bool) -> None:
        # A file takes any amount; a pipe that is not read would block the process.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        super().__init__(command, errors=self._errors, niceness=_NICE if background else 0)
        self._numbers = itertools.count(1)

    def wait_until_ready(self) -> None:
        self._answer(START_SECONDS)

    def encode(self, texts: list[tuple[str, str]], dim: int, queries: bool) -> NDArray[np.float32]:
        """The vectors [texts, dim] of (title, abstract) pairs, in float32.

        Raises _EncoderDied, after ending the process, if it gives no valid response in time, and
        EncoderFailed if it reports an error.
        """
        number = next(self._numbers)
        self.send({"id": number, "texts": texts, "queries": queries})
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
        try:
            answer = self.receive(seconds)
        except ProcessTimedOut as error:
            raise self._died(str(error)) from error
        except ProcessFailed as error:
            # Windows does not tell whether a signal has ended a process.
            raise self._died(str(error), killed=(self.exit_code() or 0) < 0) from error
        if error_text := answer.header.get("error"):
            raise EncoderFailed(str(error_text), str(answer.header.get("hint", "")))
        return answer

    def _died(self, why: str = "", *, killed: bool = False) -> _EncoderDied:
        self.stop()
        self._errors.seek(0, 2)
        self._errors.seek(max(0, self._errors.tell() - _TAIL_BYTES))
        message = f"{why}\n{self._errors.read().decode('utf-8', 'replace')}".strip()
        return _EncoderDied(message, killed)


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
