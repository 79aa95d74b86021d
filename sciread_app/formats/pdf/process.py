"""Processes that read untrusted PDFs, and the messages that they exchange with the window.

A message is two lengths of four bytes, then JSON, then a binary body.
"""

from __future__ import annotations

import json
import selectors
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

HEAD = struct.Struct(">II")
CHUNK = 1 << 20  # bytes of one read from a pipe
START_SECONDS = 60.0  # a machine that has just been started reads our files slowly
_END_SECONDS = 2.0
_LONGEST = 64 << 20  # bytes of JSON, and of a body
_ROOT = Path(__file__).parents[3]  # the folder that contains the package, installed or not


def packed(fields: dict[str, Any], body_length: int = 0) -> bytes:
    """A message up to its body."""
    text = json.dumps(fields).encode()
    return HEAD.pack(len(text), body_length) + text


def lengths_of(head: bytes | bytearray) -> tuple[int, int]:
    """The lengths of a message's JSON and body. Raises ValueError if they are too large."""
    lengths: tuple[int, int] = HEAD.unpack_from(head)
    if max(lengths) > _LONGEST:
        raise ValueError("too long for a message")
    return lengths


def fields_of(text: bytes | bytearray) -> dict[str, Any]:
    """The JSON object of a message. Raises ValueError if the message contains none."""
    fields = json.loads(text)
    if not isinstance(fields, dict):
        raise ValueError("not a message")
    return fields


class WorkerProcess:
    """A process with unbuffered pipes that runs `module`; its errors are discarded.

    `seconds` limits each request, `memory` the bytes above those that it uses at its start.
    """

    def __init__(self, module: str, seconds: float, memory: int) -> None:
        windowless: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        self._process = subprocess.Popen(
            _command(module, seconds, memory),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            bufsize=0,
            creationflags=windowless,
        )
        assert self._process.stdin and self._process.stdout
        self._input, self.output = self._process.stdin, self._process.stdout

    def request(self, fields: dict[str, Any]) -> None:
        # If the process is dead already, reading from it reports it.
        with suppress(OSError):
            self._input.write(packed(fields))

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def exit_code(self) -> int | None:
        """The exit code of a process that has closed its output; None if it does not end."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(_END_SECONDS)
        return None

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        self.kill()
        self.exit_code()  # one that waits for a lost network drive cannot be killed before
        self._input.close()
        self.output.close()


def _command(module: str, seconds: float, memory: int) -> list[str]:
    return [sys.executable, "-m", module, str(seconds), str(memory)]


if sys.platform == "win32":
    import _winapi
    import msvcrt

    _PAUSE = 0.01  # Windows cannot wait for several pipes at once

    def readable(pipes: Sequence[IO[bytes]], seconds: float) -> list[IO[bytes]]:
        """The pipes that hold data or have ended; none after `seconds`."""
        until = time.monotonic() + seconds
        while True:
            ready = [pipe for pipe in pipes if _has_something(pipe)]
            if ready or time.monotonic() >= until:
                return ready
            time.sleep(_PAUSE)

    def _has_something(pipe: IO[bytes]) -> bool:
        try:
            return _winapi.PeekNamedPipe(msvcrt.get_osfhandle(pipe.fileno()), 0)[0] > 0
        except BrokenPipeError:
            return True

else:

    def readable(pipes: Sequence[IO[bytes]], seconds: float) -> list[IO[bytes]]:
        """The pipes that hold data or have ended; none after `seconds`."""
        with selectors.DefaultSelector() as selector:
            for pipe in pipes:
                selector.register(pipe, selectors.EVENT_READ)
            return [key.fileobj for key, _ in selector.select(seconds)]  # type: ignore[misc]  # ours are no bare numbers
