"""Functions run in a separate process, which returns all its memory to the system at the end."""

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
from sciread_app.language import language_arguments, set_language, tr
from sciread_app.tasks import Task

T = TypeVar("T")

_ROOT = Path(__file__).parents[3]  # the folder that holds the package, installed or not
_NICE = 5  # keeps the window responsive meanwhile


def run_in_subprocess(work: Callable[..., T], *given: Any, task: Task) -> T:
    """Run `work(*given, task)` in another process, and return its result. `work` is a module-level
    function whose arguments and result can be pickled.

    It is paused and canceled where it reports progress, as if it ran in this process. Raises its
    exceptions, and WorkLost if its process dies.
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
                done, outcome = _follow(process, (work, given), task)
            finally:
                process.kill()
    except (EOFError, OSError, pickle.UnpicklingError) as error:  # it may die while it answers
        raise WorkLost(
            tr("A background process stopped unexpectedly."),
            tr("Try again. If the problem persists, the computer may not have enough memory."),
        ) from error
    if not done:
        raise outcome
    result: T = outcome
    return result


def _follow(process: subprocess.Popen[bytes], work: Any, task: Task) -> tuple[bool, Any]:
    """Send the work and report its progress to `task`.

    Returns True and the result, or False and the exception that was raised.
    """
    assert process.stdin and process.stdout
    # The language is sent first: unpickling the function imports its module, which translates
    # the module's constant texts.
    _send(process.stdin, language_arguments())
    _send(process.stdin, work)
    while True:
        kind, values = pickle.load(process.stdout)
        if kind != "step":
            return kind == "done", values
        task.step(*values)
        _send(process.stdin, None)


def _main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keeps printed text out of the responses
    if hasattr(os, "nice"):
        os.nice(_NICE)
    set_language(*pickle.load(sys.stdin.buffer))
    work, given = pickle.load(sys.stdin.buffer)

    def report(*progress: Any) -> None:
        _send(answers, ("step", progress))
        try:
            pickle.load(sys.stdin.buffer)
        except EOFError:
            sys.exit()  # the calling process has ended

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
