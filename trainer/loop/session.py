"""The session of a process with a run: its lock, its reporter and its error handling."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from rich.console import Console
from safetensors import SafetensorError

from trainer.contract.errors import TrainerError
from trainer.contract.run import Run
from trainer.distributed import Ranks
from trainer.loop.progress import Reporter, log

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def run_session(
    run: Run,
    ranks: Ranks,
    console: Console | None,
    *,
    bar: bool = True,
    tensorboard: bool = False,
) -> Iterator[Reporter]:
    """Lock the run and yield its reporter.

    Errors are written to the run, and raised as TrainerError if the user can resolve them.
    """
    with ExitStack() as stack:
        if ranks.main:
            stack.enter_context(run.hold())
            run.clear_stop()
            run.drop_partial_line()
        reporter = Reporter(
            run, silent=not ranks.main, console=console, bar=bar, tensorboard=tensorboard
        )
        stack.enter_context(reporter)
        try:
            yield reporter
        except (TrainerError, OSError, SafetensorError) as error:
            failure = _for_people(error)
            _notify(reporter, failure)
            raise failure from error
        except Exception as error:
            if lost := ranks.explained(error):
                _notify(reporter, lost)
                raise lost from error
            log.exception("Internal error.")
            message = f"Internal error: {type(error).__name__}: {error}"
            _notify(
                reporter,
                TrainerError(message, f"See {run.log} for details, and please report the error."),
            )
            raise


def _for_people(error: TrainerError | OSError | SafetensorError) -> TrainerError:
    if isinstance(error, TrainerError):
        return error
    # safetensors has no error number, only the system's message.
    why = getattr(error, "strerror", None) or str(error)
    name, number = getattr(error, "filename", None), getattr(error, "errno", None)
    where = f" ({name})" if name else ""
    if number in _DISK_FULL or any(os.strerror(full) in why for full in _DISK_FULL):
        return TrainerError(
            f"The disk is full{where}: {why}.",
            "Free up disk space and start the training again: it resumes from the last checkpoint.",
        )
    return TrainerError(
        f"A file could not be read or written{where}: {why}.",
        "Fix the cause and start the training again: it resumes from the last checkpoint.",
    )


def _notify(reporter: Reporter, failure: TrainerError) -> None:
    # A full disk may have no room for this either; the error is raised all the same.
    with suppress(OSError):
        reporter.record("error", message=failure.message, hint=failure.hint)
