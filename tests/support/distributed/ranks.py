"""The ranks of one training as processes on this machine."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]


class Ended(NamedTuple):
    code: int
    out: str
    err: str


def start_ranks(world: int, *arguments: str) -> list[subprocess.Popen[str]]:
    """Start `python -m <arguments>` once per rank, with the variables that torchrun sets."""
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "OMP_NUM_THREADS": "1"}
    return [
        subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            env=os.environ
            | shared
            | {"WORLD_SIZE": str(world), "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(world)
    ]


def ended(processes: Sequence[subprocess.Popen[str]], seconds: float = 240) -> list[Ended]:
    """Wait for the processes and return their results; kill those that do not end in time."""
    return [_end(process, seconds) for process in processes]


def _end(process: subprocess.Popen[str], seconds: float) -> Ended:
    late = ""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        late = f"killed after {seconds:.0f} s\n"
        process.kill()
        out, err = process.communicate()
    return Ended(process.returncode, out, late + err)


def free_port() -> int:
    """Return a port outside the ephemeral range, which no other process gets before the ranks
    start."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as found, suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port
