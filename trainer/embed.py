"""Bulk embedding: workers that share only a folder compute the vectors of very many papers."""

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
from trainer.data.corpus.records import InputRecord, RecordProblem, content_id
from trainer.embedding import SHARD_PAPERS
from trainer.embedding.inputs import open_input
from trainer.embedding.leases import PATIENCE, Lease, Leases
from trainer.embedding.shards import Shard, ShardPlan, Store, changed, plan_of
from trainer.encoder import Encoder

# Papers that are read and tokenized at once, while the previous ones are being encoded.
_PIECE = {"cpu": 512, "cuda": 8_192}
_AHEAD = 2
# Seconds between checks of an idle worker for finished or dead workers.
_POLL = 1.0

T = TypeVar("T")


class Stopped(Exception):
    """A stop was requested. Finished shards are kept, and the same call resumes."""


@dataclass(frozen=True)
class EmbeddingJob:
    """The parameters of a job; identical for all workers of one output folder.

    The first worker divides the inputs into shards of `shard_papers`. `patience`: seconds without a
    sign of life after which a worker counts as dead.
    """

    package: Package
    inputs: tuple[Path, ...]
    output: Path
    dtype: str = "float16"
    shard_papers: int = SHARD_PAPERS
    device: str = ""
    patience: float = PATIENCE


@dataclass(frozen=True)
class EmbeddingProgress:
    """The number of papers done by all workers, and the work of this worker in `seconds`.

    `left`: seconds remaining at the present speed of all workers; None while unknown.
    """

    papers: int
    done: int
    tokens: int
    seconds: float
    left: float | None


@dataclass
class WorkerResult:
    """The work of one worker. Entries that could not be embedded are also in the shards'
    manifests."""

    shards: int = 0
    papers: int = 0
    tokens: int = 0
    skipped: list[RecordProblem] = field(default_factory=list)


def embed(
    work: EmbeddingJob,
    *,
    stop: threading.Event | None = None,
    progress: Callable[[EmbeddingProgress], None] = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
) -> WorkerResult:
    """Work on the output's shards until all are done, by this worker or by others.

    Any number of workers may do so at once, on any machines that share the folder. Unfinished
    shards of a worker that died are taken over. Raises TrainerError; Stopped, once `stop` is set.
    """
    with Worker(work, stop or threading.Event(), progress, note) as worker:
        return worker.run()


@dataclass
class _Claim:
    """A shard that this worker has leased."""

    shard: Shard
    lease: Lease
    began: float
    tokens: int = 0
    ids: list[str] = field(default_factory=list)
    vectors: list[NDArray[Any]] = field(default_factory=list)
    skipped: list[RecordProblem] = field(default_factory=list)

    @property
    def entries(self) -> int:
        return len(self.ids) + len(self.skipped)


class _Piece(NamedTuple):
    """Some tokenized entries of a shard; none at the end of the shard."""

    claim: _Claim
    ids: list[str]
    tokens: list[list[int]]
    skipped: list[RecordProblem]


class Worker:
    """A worker on an output folder; a context manager, for any number of runs."""

    def __init__(
        self,
        work: EmbeddingJob,
        stop: threading.Event,
        progress: Callable[[EmbeddingProgress], None],
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

    def run(self, numbers: Iterable[int] | None = None) -> WorkerResult:
        """Work until all shards, or those in `numbers`, are done; return the work of this worker.

        After an error the worker must not be used again.
        """
        chosen = range(len(self.plan.shards)) if numbers is None else numbers
        pieces = self._pieces([self.plan.shards[number] for number in chosen])
        done = WorkerResult()
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

    def _agreed_plan(self) -> ShardPlan:
        """Return the folder's plan, which the first worker creates while the others wait."""
        while not (plan := ShardPlan.read(self._work.output)):
            lease = self._leases.claim("plan")
            if lease and not ShardPlan.read(self._work.output):
                self._note("Counting papers")
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
                papers = [entry for entry in some if isinstance(entry, InputRecord)]
                tokens = self._encoder.text.ids([(p.title, p.abstract) for p in papers])
                ids = [paper.id or content_id(paper.title, paper.abstract) for paper in papers]
                problems = [entry for entry in some if isinstance(entry, RecordProblem)]
                yield _Piece(claim, ids, tokens, problems)
            yield _Piece(claim, [], [], [])

    def _claims(self, shards: list[Shard]) -> Iterator[_Claim]:
        """Lease shards that no other worker has, until all are done."""
        while True:
            self._finished = self._store.finished()
            waiting = [shard for shard in shards if shard.name not in self._finished]
            claimed = False
            for shard in waiting:
                lease = self._leases.claim(shard.name)
                if lease and self._store.has(shard):  # done between the check and the lease
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

    def _finish(self, claim: _Claim, done: WorkerResult) -> None:
        shard = claim.shard
        if claim.entries != shard.part.count:
            raise changed(self._inputs[shard.input].path)
        none = np.zeros((0, self.plan.dim), self.plan.dtype)
        vectors = np.concatenate([none, *claim.vectors])
        first = self._store.write(shard, claim.ids, vectors, self._about(claim))
        self._finished = self._finished | {shard.name}
        self._leases.finish(claim.lease)
        if not first:
            self._note(f"Another worker finished shard {shard.name} first.")
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
            "skipped": [(problem.entry, problem.reason) for problem in claim.skipped],
        }

    def _papers_done(self) -> int:
        return sum(self._counts.get(name, 0) for name in self._finished)

    def _report(self, claim: _Claim) -> None:
        done = self._papers_done()
        if claim.shard.name not in self._finished:
            done += claim.entries
        seconds, new = time.monotonic() - self._began, done - self._before
        left = (self.plan.papers - done) * seconds / new if new > 0 else None
        self._tell(EmbeddingProgress(self.plan.papers, done, self._tokens, seconds, left))


@contextmanager
def _ahead(items: Iterator[T], stop: threading.Event) -> Iterator[Iterator[T]]:
    """Prefetch the items in a thread.

    If the block fails, `stop` is set, so that `items` stops waiting.
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
            f"The vectors could not be written to {output}: {error.strerror or error}.",
            "Finished shards are safe. Fix the cause, then run the same command again to continue.",
        ) from error
