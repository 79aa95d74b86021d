"""Python commands as forks of a process that has imported their modules.

`python -m trainer ...` needs a second or two to import torch, and `python -m sciread_app ...` half
of that. The fork server imports everything once per process of tests, and forks for each command.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import os
import runpy
import socket
import subprocess
import sys
import threading
import traceback
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

ROOT = Path(__file__).parents[2]
# Most commands need some of these, also those that the program imports only when it needs them.
PRELOADED = (
    "alembic.command",
    "httpx",
    "sciread_app.cli",
    "sklearn.metrics",
    "torch._dynamo",
    "trainer.cli",
    "trainer.embed",
    "trainer.evaluate",
    "trainer.serve",
    "trainer.train",
)
# Python and some packages read these variables when they start or are imported. A command that
# changes one of them starts as usual.
READ_AT_START = ("HF_", "LANG", "LC_", "OMP_NUM_THREADS", "PYTHON", "QT_", "SCIREAD_LANGUAGE")
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER


class ForkServer:
    """Within `replacing_popen`, processes that run `python -m MODULE` or `python -c CODE` are
    forks. They are children of this process, with a pid, environment, folder and pipes of their
    own, and end as others do. Packages are those of this checkout, even where the folder has others
    of the same name. Only Linux can do this; elsewhere processes start as usual.
    """

    def __init__(self) -> None:
        self._start = subprocess._fork_exec  # type: ignore[attr-defined]
        self._lock = threading.Lock()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._environment = os.environ | {"OMP_NUM_THREADS": "1"}
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())],
                cwd=ROOT,
                # A fork has only one thread, and pyarrow's allocator would start another.
                env=self._environment | {"JE_ARROW_MALLOC_CONF": "background_thread:false"},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def close(self) -> None:
        self._socket.close()
        self._server.wait()

    @contextmanager
    def replacing_popen(self) -> Iterator[None]:
        with mock.patch.object(subprocess, "_fork_exec", self._fork_or_start):
            yield

    @contextmanager
    def restoring_popen(self) -> Iterator[None]:
        with mock.patch.object(subprocess, "_fork_exec", self._start):
            yield

    def _fork_or_start(self, *given: Any) -> int:
        """Return the pid of the new process. `given` is what `Popen` passes to the system."""
        words, _, _, kept, folder, entries, read, _, _, write, _, error, _, pipe, *more = given
        _, session, *unusual = more
        arguments = [os.fsdecode(word) for word in words]
        if entries is None:
            environment = dict(os.environ)
        else:
            environment = dict(os.fsdecode(entry).split("=", 1) for entry in entries)
        usual = kept == (pipe,) and unusual[:6] == [-1, None, None, None, -1, None]
        if not (usual and self._runs(arguments) and self._has_read(environment)):
            return int(self._start(*given))
        asked = {
            "arguments": arguments,
            "folder": str(Path(os.fsdecode(folder or ".")).absolute()),
            "environment": environment,
            "session": session,
        }
        # -1: the stream of this process.
        streams = [number if one == -1 else one for number, one in enumerate((read, write, error))]
        return self._fork(json.dumps(asked).encode(), streams)

    @staticmethod
    def _runs(arguments: list[str]) -> bool:
        return arguments[0] == sys.executable and arguments[1:2] in (["-m"], ["-c"])

    def _has_read(self, environment: Mapping[str, str]) -> bool:
        """Whether the server has started with such an environment."""
        changed = environment.items() ^ self._environment.items()
        return not any(name.startswith(READ_AT_START) for name, _ in changed)

    def _fork(self, asked: bytes, streams: list[int]) -> int:
        prctl = ctypes.CDLL(None).prctl
        with self._lock:
            # The server's child ends, so that its child becomes one of this process.
            prctl(_SUBREAPER, 1, 0, 0, 0)
            try:
                socket.send_fds(self._socket, [asked], streams)
                return int(self._socket.recv(20))
            finally:
                prctl(_SUBREAPER, 0, 0, 0, 0)


def _serve(server: socket.socket) -> dict[str, Any]:
    """Fork for each request, and return it in the forked process. End with the requests."""
    while True:
        text, streams, *_ = socket.recv_fds(server, 1 << 20, 3)
        if not text:
            sys.exit()
        reading, writing = os.pipe()
        if middle := os.fork():
            os.waitpid(middle, 0)
            server.send(os.read(reading, 20))
            for used in (*streams, reading, writing):
                os.close(used)
        elif child := os.fork():
            os.write(writing, b"%d" % child)
            os._exit(0)
        else:
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            for used in (*streams, reading, writing):
                os.close(used)
            server.close()
            asked: dict[str, Any] = json.loads(text)
            return asked


def _run(arguments: list[str], folder: str, environment: dict[str, str], session: bool) -> None:
    """Do as Python does when it starts with these arguments."""
    if session:
        os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin = sys.__stdin__ = os.fdopen(0)
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w")
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", 1, errors="backslashreplace")
    np.random.seed()
    sys.orig_argv[:] = arguments
    _, option, program, *rest = arguments
    sys.path[0] = folder if option == "-m" else ""
    sys.argv[:] = [option, *rest]
    if option == "-m":
        sys.modules.pop(program, None)
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(program, "<string>", "exec"), main.__dict__)


def _exit_code(ended: SystemExit) -> int:
    if isinstance(ended.code, str):
        print(ended.code, file=sys.stderr)
        return 1
    return int(ended.code or 0)


def main() -> None:
    for name in PRELOADED:
        importlib.import_module(name)
    for kept in list(weakref.finalize._registry):  # type: ignore[attr-defined]
        kept.atexit = False  # what torch would do at the end of a process takes longer than a fork
    assert len(list(Path("/proc/self/task").iterdir())) == 1
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as server:
        asked = _serve(server)
    code = 0
    try:
        _run(**asked)
    except SystemExit as ended:
        code = _exit_code(ended)
    except BaseException:
        traceback.print_exc()
        code = 1
    # As at the end of Python, but without taking each module apart, which needs a quarter second.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
