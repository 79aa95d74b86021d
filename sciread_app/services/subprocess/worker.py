"""Functions run in a separate process, which returns all its memory to the system at the end."""

from __future__ import annotations

import pickle
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sciread_app.child_process import ChildProcess, ProcessFailed, module_command
from sciread_app.errors import WorkLost
from sciread_app.language import language_arguments, set_language, tr
from sciread_app.tasks import Task
from trainer.contract import wire

T = TypeVar("T")

_NICE = 5  # keeps the window responsive meanwhile


def run_in_subprocess(work: Callable[..., T], *given: Any, task: Task) -> T:
    """Run `work(*given, task)` in another process, and return its result. `work` is a module-level
    function whose arguments and result can be pickled.

    It is paused and canceled where it reports progress, as if it ran in this process. Raises its
    exceptions, and WorkLost if its process dies.
    """
    languages, folder = language_arguments()
    header = {"languages": list(languages), "folder": str(folder)}
    process: ChildProcess | None = None
    try:
        process = ChildProcess(module_command(__name__), niceness=_NICE)
        process.send(header, pickle.dumps((work, given)))
        while (frame := process.receive()).header["kind"] == "progress":
            task.step(*pickle.loads(frame.body))
            process.send({})
    except (ProcessFailed, OSError) as error:
        raise WorkLost(
            tr("A background process stopped unexpectedly."),
            tr("Try again. If the problem persists, the computer may not have enough memory."),
        ) from error
    finally:
        if process:
            process.stop()
    outcome: Any = pickle.loads(frame.body)
    if frame.header["kind"] == "error":
        raise outcome
    result: T = outcome
    return result


def _main() -> None:
    requests, answers = wire.take_pipes()
    first = wire.receive(requests)
    assert first
    # Unpickling the function imports its module, which translates the module's constant texts.
    set_language(first.header["languages"], Path(first.header["folder"]))

    def report(*progress: Any) -> None:
        wire.send(answers, {"kind": "progress"}, pickle.dumps(progress))
        if not wire.receive(requests):
            sys.exit()  # the calling process has ended

    try:
        work, given = pickle.loads(first.body)
        result = pickle.dumps(work(*given, Task(report)))
        wire.send(answers, {"kind": "result"}, result)
    except Exception as error:  # raised again in the calling process
        error.add_note(traceback.format_exc())
        wire.send(answers, {"kind": "error"}, pickle.dumps(error))


if __name__ == "__main__":
    _main()
