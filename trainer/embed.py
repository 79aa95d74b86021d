"""Bulk embedding: workers that share nothing but a folder make vectors of very many papers."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.package import Package
from trainer.data.record import Problem, Record, content_id
from trainer.embedding import SHARD_PAPERS
from trainer.embedding.inputs import open_input
from trainer.embedding.leases import PATIENCE, Lease, Leases
from trainer.embedding.shards import Plan, Shard, Store, changed, plan_of
from trainer.encoder import Encoder

# Papers that are read and tokenised at once, while those before them are being encoded.
_PIECE = {"cpu": 512, "cuda": 8_192}
_AHEAD = 2
# How often a worker without work looks whether another has finished or died.
_POLL = 1.0

T = TypeVar("T")


class Stopped(Exception):
    """Somebody asked to stop. What is finished stays, and the same call goes on from there."""


@dataclass(frozen=True)
class Work:
    """What is to be done; all workers of one output folder get the same.

    The first of them cuts the inputs into shards of `shard_papers`. `patience`: seconds after
    which a worker that says nothing counts as dead.
    """

    package: Package
    inputs: tuple[Path, ...]
    output: Path
    dtype: str = "float16"
    shard_papers: int = SHARD_PAPERS
    device: str = ""
    patience: float = PATIENCE


@dataclass(frozen=True)
class Progress:
    """How many papers all workers have done, and what this one did in its `seconds`.

    `left`: seconds to go if all go on as they did; None while nobody can know.
    """

    papers: int
    done: int
    tokens: int
    seconds: float
    left: float | None


@dataclass
class Done:
    """What one worker did. Entries that could not be embedded are in the shards' manifests too."""

    shards: int = 0
    papers: int = 0
    tokens: int = 0
    skipped: list[Problem] = field(default_factory=list)


def embed(
    work: Work,
    *,
    stop: threading.Event | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
) -> Done:
    """Work on the output's shards until all are done, by this worker or by others.

    Any number of workers may do so at once, on any machines that share the folder. What one that
    died had not finished, others do. Raises TrainerError; Stopped, once `stop` is set.
    """
    with Worker(work, stop or threading.Event(), progress, note) as worker:
        return worker.run()


@dataclass
class _Claim:
    """A shard in this worker's hands."""

    shard: Shard
    lease: Lease
    began: float
    tokens: int = 0
    ids: list[str] = field(default_factory=list)
    vectors: list[NDArray[Any]] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)

    @property
    def entries(self) -> int:
        return len(self.ids) + len(self.skipped)


class _Piece(NamedTuple):
    """Some entries of a shard, tokenised; none at all once the shard has no more."""

    claim: _Claim
    ids: list[str]
    tokens: list[list[int]]
    skipped: list[Problem]


class Worker:
    """One of those who work on an output folder; used in a `with`, for any number of runs."""

    def __init__(
        self,
        work: Work,
        stop: threading.Event,
        progress: Callable[[Progress], None],
        note: Callable[[str], None],
    ) -> None:
        self._work, self._stop, self._tell, self._note = work, stop, progress, note
        self._inputs = [open_input(path) for path in work.inputs]
        self._store = Store(work.output)
        with _writing(work.output):
            work.output.mkdir(parents=True, exist_ok=True)
            self._leases = Leases(work.output / "leases", work.patience)

    def __enter__(self) -> Worker:
        with ExitStack() as undo, _writing(self._work.output):
            undo.enter_context(self._leases)
            self.plan = self._agreed_plan()
            undo.pop_all()
        self._counts = {shard.name: shard.part.count for shard in self.plan.shards}
        self._finished = self._store.finished()
        self._before, self._began, self._tokens = self._papers_done(), time.monotonic(), 0
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leases.__exit__(kind, error, traceback)

    def run(self, numbers: Iterable[int] | None = None) -> Done:
        """Until all shards are done, or these; what this worker did of them.

        After an error the worker is of no more use.
        """
        chosen = range(len(self.plan.shards)) if numbers is None else numbers
        pieces = self._pieces([self.plan.shards[number] for number in chosen])
        done = Done()
        with _writing(self._work.output), _ahead(pieces, self._stop) as coming:
            for piece in coming:
                if self._stop.is_set():
                    break
                if piece.ids or piece.skipped:
                    self._encode(piece)
                else:
                    self._finish(piece.claim, done)
                self._report(piece.claim)
            if self._stop.is_set():
                raise Stopped
            if self._store.finished().issuperset(self._counts):
                self._store.close()
                self._leases.clear()
        return done

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self._work.package, self._work.device)

    def _agreed_plan(self) -> Plan:
        """The folder's plan, made by the first worker while the others wait."""
        while not (plan := Plan.read(self._work.output)):
            lease = self._leases.claim("plan")
            if lease and not Plan.read(self._work.output):
                self._note("Counting the papers.")
                self._make_plan()
            if lease:
                self._leases.finish(lease)
            elif self._stop.wait(_POLL):
                raise Stopped
        plan.check(self._work.package, self._work.dtype, self._stamps(), self._work.output)
        return plan

    def _make_plan(self) -> None:
        parts = []
        for at, found in enumerate(self._inputs):
            for part in found.parts(self._work.shard_papers):
                if self._stop.is_set():
                    raise Stopped
                parts.append((at, part))
        plan = plan_of(self._work.package, self._work.dtype, self._stamps(), parts)
        plan.write(self._work.output)

    def _stamps(self) -> list[tuple[str, str]]:
        return [(found.path.name, found.stamp) for found in self._inputs]

    def _pieces(self, shards: list[Shard]) -> Iterator[_Piece]:
        size = _PIECE.get(self._encoder.device.type, _PIECE["cpu"])
        for claim in self._claims(shards):
            entries = self._inputs[claim.shard.input].read(claim.shard.part)
            while some := list(islice(entries, size)):
                papers = [entry for entry in some if isinstance(entry, Record)]
                tokens = self._encoder.text.ids([(p.title, p.abstract) for p in papers])
                ids = [paper.id or content_id(paper.title, paper.abstract) for paper in papers]
                problems = [entry for entry in some if isinstance(entry, Problem)]
                yield _Piece(claim, ids, tokens, problems)
            yield _Piece(claim, [], [], [])

    def _claims(self, shards: list[Shard]) -> Iterator[_Claim]:
        """Shards that nobody else works on, until all are done."""
        while True:
            self._finished = self._store.finished()
            waiting = [shard for shard in shards if shard.name not in self._finished]
            claimed = False
            for shard in waiting:
                lease = self._leases.claim(shard.name)
                if lease and self._store.has(shard):  # done between the look and the claim
                    self._leases.finish(lease)
                elif lease:
                    claimed = True
                    yield _Claim(shard, lease, time.monotonic())
            if not waiting or (not claimed and self._stop.wait(_POLL)):
                return

    def _encode(self, piece: _Piece) -> None:
        claim = piece.claim
        if piece.tokens:
            vectors = self._encoder.encode_ids(piece.tokens)
            claim.vectors.append(vectors.astype(self.plan.dtype))
        claim.ids += piece.ids
        claim.skipped += piece.skipped
        tokens = sum(map(len, piece.tokens))
        claim.tokens += tokens
        self._tokens += tokens

    def _finish(self, claim: _Claim, done: Done) -> None:
        shard = claim.shard
        if claim.entries != shard.part.count:
            raise changed(self._inputs[shard.input].path)
        none = np.zeros((0, self.plan.dim), self.plan.dtype)
        vectors = np.concatenate([none, *claim.vectors])
        first = self._store.write(shard, claim.ids, vectors, self._about(claim))
        self._finished = self._finished | {shard.name}
        self._leases.finish(claim.lease)
        if not first:
            self._note(f"Another worker was first to finish shard {shard.name}.")
            return
        done.shards += 1
        done.papers += len(claim.ids)
        done.tokens += claim.tokens
        done.skipped += claim.skipped

    def _about(self, claim: _Claim) -> dict[str, Any]:
        return {
            "input": self._inputs[claim.shard.input].path.name,
            "space": self.plan.space,
            "tokens": claim.tokens,
            "seconds": round(time.monotonic() - claim.began, 1),
            "worker": self._leases.owner,
            "skipped": [(problem.entry, problem.why) for problem in claim.skipped],
        }

    def _papers_done(self) -> int:
        return sum(self._counts.get(name, 0) for name in self._finished)

    def _report(self, claim: _Claim) -> None:
        done = self._papers_done()
        if claim.shard.name not in self._finished:
            done += claim.entries
        seconds, new = time.monotonic() - self._began, done - self._before
        left = (self.plan.papers - done) * seconds / new if new > 0 else None
        self._tell(Progress(self.plan.papers, done, self._tokens, seconds, left))


@contextmanager
def _ahead(items: Iterator[T], stop: threading.Event) -> Iterator[Iterator[T]]:
    """The same items, made by a thread a little before they are asked for.

    If the block fails, `stop` is set, so that `items` need not wait for what will not come.
    """
    end: Any = object()
    with ThreadPoolExecutor(1, "ahead") as thread:
        coming = deque(thread.submit(next, items, end) for _ in range(_AHEAD))

        def made() -> Iterator[T]:
            while (item := coming.popleft().result()) is not end:
                coming.append(thread.submit(next, items, end))
                yield item

        try:
            yield made()
        except BaseException:
            stop.set()
            raise
        finally:
            thread.shutdown(cancel_futures=True)


@contextmanager
def _writing(output: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TrainerError(
            f"The vectors cannot be written to {output}: {error.strerror or error}.",
            "What is finished is safe. Mend that, and the same command goes on.",
        ) from error
