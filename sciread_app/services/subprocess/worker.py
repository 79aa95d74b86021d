"""Work in a process of its own, whose memory is given back, to the last byte, when it is done."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, TypeVar

from sciread_app.errors import WorkLost
from sciread_app.language import speak, told, tr
from sciread_app.tasks import Task

T = TypeVar("T")

_ROOT = Path(__file__).parents[3]  # the folder that holds the package, installed or not
_NICE = 5  # a window that is dragged meanwhile shall not stutter


def apart(work: Callable[..., T], *given: Any, task: Task) -> T:
    """Run `work(*given, task)` in another process, and return its result. `work` is a module-level
    function whose arguments and result can be pickled.

    It is paused and cancelled where it reports, as if it ran here. Raises its exceptions, and
    WorkLost if its process dies.
    """
    try:
        with subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=_ROOT,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        ) as process:
            try:
                done, said = _followed(process, (work, given), task)
            finally:
                process.kill()
    except (EOFError, OSError) as error:
        raise WorkLost(
            tr("The process that was at work has died."),
            tr("Start the work again. If it dies again, there may be too little memory."),
        ) from error
    if not done:
        raise said
    result: T = said
    return result


def _followed(process: subprocess.Popen[bytes], work: Any, task: Task) -> tuple[bool, Any]:
    """Whether it was done, and what came of it, be it an error."""
    assert process.stdin and process.stdout
    # The language goes first: to unpickle a function is to import its module, and all its texts.
    _send(process.stdin, told())
    _send(process.stdin, work)
    while True:
        about, said = pickle.load(process.stdout)
        if about != "step":
            return about == "done", said
        task.step(*said)
        _send(process.stdin, None)


def _main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what prints does not print into them
    if hasattr(os, "nice"):
        os.nice(_NICE)
    speak(*pickle.load(sys.stdin.buffer))
    work, given = pickle.load(sys.stdin.buffer)

    def report(*said: Any) -> None:
        _send(answers, ("step", said))
        try:
            pickle.load(sys.stdin.buffer)
        except EOFError:
            sys.exit()  # the caller is gone

    try:
        _send(answers, ("done", work(*given, Task(report))))
    except Exception as error:  # raised again in the calling process
        error.add_note(traceback.format_exc())
        _send(answers, ("failed", error))


def _send(stream: IO[bytes], what: Any) -> None:
    pickle.dump(what, stream, pickle.HIGHEST_PROTOCOL)
    stream.flush()


if __name__ == "__main__":
    _main()
