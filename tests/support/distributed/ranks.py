"""The ranks of one training as processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import random
import runpy
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unittest import mock

# A rank needs two seconds to import torch. The server imports it once, and forks for each rank.
_FORKS = "forkserver" in multiprocessing.get_all_start_methods()
_context = multiprocessing.get_context("forkserver" if _FORKS else "spawn")
_context.set_forkserver_preload(["trainer.train", "trainer.evaluate", __name__])


class Ended(NamedTuple):
    code: int
    out: str
    err: str


class RankProcess:
    """`python -m <arguments>` in a process with these environment variables. Functions registered
    with atexit are not called at its end."""

    def __init__(self, arguments: Sequence[str], environment: dict[str, str]) -> None:
        self._folder = TemporaryDirectory()
        self._out, self._err = (Path(self._folder.name) / name for name in ("out", "err"))
        self._process = _context.Process(
            target=_run, args=(arguments, environment, self._out, self._err)
        )
        with mock.patch.dict(os.environ, environment):  # the server reads OMP_NUM_THREADS
            self._process.start()

    def kill(self) -> None:
        self._process.kill()

    def end(self, seconds: float) -> Ended:
        """Wait for the end, and kill the process if it does not come in time."""
        self._process.join(seconds)
        if late := self._process.exitcode is None:
            self.kill()
            self._process.join()
        assert self._process.exitcode is not None
        with self._folder:
            err = f"killed after {seconds:.0f} s\n" * late + self._err.read_text("utf-8")
            return Ended(self._process.exitcode, self._out.read_text("utf-8"), err)


def start_ranks(world: int, *arguments: str) -> list[RankProcess]:
    """Start `python -m <arguments>` once per rank, with the variables that torchrun sets."""
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "OMP_NUM_THREADS": "1"}
    return [
        RankProcess(
            arguments,
            os.environ
            | shared
            | {"WORLD_SIZE": str(world), "RANK": str(rank), "LOCAL_RANK": str(rank)},
        )
        for rank in range(world)
    ]


def ended(processes: Sequence[RankProcess], seconds: float = 240) -> list[Ended]:
    """Wait for the processes and return their results; kill those that do not end in time."""
    return [process.end(seconds) for process in processes]


def _run(arguments: Sequence[str], environment: dict[str, str], out: Path, err: Path) -> None:
    for path, number in ((out, 1), (err, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), number)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[:] = arguments
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


def free_port() -> int:
    """Return a port outside the ephemeral range, which no other process gets before the ranks
    start."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as found, suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port
