"""Leases on shards for workers that share only a folder, on one or more machines."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

BEAT = 15.0
# Seconds without change after which a lease is expired: more than the minute for which a network
# file system may show an old state, plus some heartbeats.
PATIENCE = 120.0


class Lease:
    """An exclusive claim on a name, valid until it is dropped or its heartbeats stop."""

    def __init__(self, path: Path, name: str, content: str) -> None:
        self.name = name
        self._path = path
        self._content = content
        self._beats = 0
        self._file = path.open("xb", buffering=0)
        self.beat()

    def beat(self) -> None:
        """Renew the lease. A lease that another worker has taken over is not touched."""
        self._beats += 1
        line = f'{{"beat": {self._beats:>12}, {self._content[1:]}\n'
        # Keep working if the disk is full or unavailable for a while.
        with suppress(OSError):
            self._file.seek(0)
            self._file.write(line.encode())
            os.fsync(self._file.fileno())

    def drop(self) -> None:
        """Release the lease."""
        self._file.close()
        self._path.unlink(missing_ok=True)


class Leases:
    """The leases of one worker, stored as files in a folder and renewed by a thread.

    A lease is claimed by exclusive creation of a file, which is atomic on network file systems.
    The file of a dead owner stays: a successor creates the next generation ("7.0", "7.1"), so that
    only one of several wins. Clocks of machines are never compared: a lease is expired if this
    worker has seen no change in it for `patience` seconds, or at once if its process ran on this
    machine and has ended.
    """

    def __init__(
        self,
        folder: Path,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.owner = f"{socket.gethostname()}-{uuid.uuid4().hex[:8]}"
        self._folder = folder
        self._patience = patience
        self._clock = clock
        self._seen: dict[str, tuple[bytes, float]] = {}
        self._mine: set[Lease] = set()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._heart = threading.Thread(target=self._beat, daemon=True, name="leases")

    def __enter__(self) -> Leases:
        self._heart.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closed.set()
        self._heart.join()
        for lease in list(self._mine):
            self.drop(lease)

    def claim(self, name: str) -> Lease | None:
        """Claim the lease on a name; None if it is held, by this worker or another."""
        with self._lock:
            if any(lease.name == name for lease in self._mine):
                return None
        latest = max(self._generations(name), default=-1)
        if latest >= 0 and not self._dead(f"{name}.{latest}"):
            return None
        content = {"owner": self.owner, "pid": os.getpid(), "place": _PLACE}
        try:
            lease = Lease(self._folder / f"{name}.{latest + 1}", name, json.dumps(content))
        except FileExistsError:
            return None
        with self._lock:
            self._mine.add(lease)
        return lease

    def drop(self, lease: Lease) -> None:
        """Release a lease; does nothing if it was released or finished already."""
        with self._lock:
            held = lease in self._mine
            self._mine.discard(lease)
        if held:
            lease.drop()

    def finish(self, lease: Lease) -> None:
        """Remove all leases on a name whose result is published."""
        self.drop(lease)
        for generation in self._generations(lease.name):
            (self._folder / f"{lease.name}.{generation}").unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove the leases left by workers that died, once all work is done."""
        for path in self._folder.iterdir():
            path.unlink(missing_ok=True)

    def _generations(self, name: str) -> list[int]:
        parts = (path.name.rpartition(".") for path in self._folder.iterdir())
        return [int(number) for of, _, number in parts if of == name and number.isdecimal()]

    def _dead(self, file: str) -> bool:
        try:
            found = (self._folder / file).read_bytes()
        except FileNotFoundError:
            return False  # dropped a moment ago; the next look will show
        known, since = self._seen.get(file, (None, 0.0))
        now = self._clock()
        if found != known:
            self._seen[file] = (found, now)
            return _died_here(found)
        return now - since > self._patience or _died_here(found)

    def _beat(self) -> None:
        while not self._closed.wait(min(BEAT, self._patience / 4)):
            with self._lock:
                for lease in self._mine:
                    lease.beat()


def _died_here(content: bytes) -> bool:
    """Whether the lease's process ran on this machine and has ended."""
    try:
        owner = json.loads(content)
        pid = int(owner["pid"])
        # On Windows, where a place is one process, the signal 0 is Ctrl-C.
        if owner["place"] != _PLACE or pid == os.getpid():
            return False
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (ValueError, KeyError, TypeError, OSError):
        return False  # half written, or of another user
    return False


def _place() -> str:
    """Identify this boot of the machine and its PID namespace; unique if unknown."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return uuid.uuid4().hex


_PLACE = _place()
