"""A run being worked on: held by one process, told what happens, and what goes wrong."""

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
def at_work(
    run: Run, ranks: Ranks, console: Console | None, *, bar: bool = True
) -> Iterator[Reporter]:
    """Keep others from the run meanwhile, and give what it is told by.

    What goes wrong is written to the run, and raised as TrainerError if a person can mend it.
    """
    with ExitStack() as stack:
        if ranks.main:
            stack.enter_context(run.hold())
            run.clear_stop()
            run.mend_events()
        reporter = Reporter(run, silent=not ranks.main, console=console, bar=bar)
        stack.enter_context(reporter)
        try:
            yield reporter
        except (TrainerError, OSError, SafetensorError) as error:
            failure = _for_people(error)
            _tell(reporter, failure)
            raise failure from error
        except Exception as error:
            if lost := ranks.explained(error):
                _tell(reporter, lost)
                raise lost from error
            log.exception("Something went wrong inside.")
            told = f"Something went wrong inside: {type(error).__name__}: {error}"
            _tell(reporter, TrainerError(told, f"{run.log} has the details; please report it."))
            raise


def _for_people(error: TrainerError | OSError | SafetensorError) -> TrainerError:
    if isinstance(error, TrainerError):
        return error
    # safetensors has no number for it, but the system's words.
    why = getattr(error, "strerror", None) or str(error)
    name, number = getattr(error, "filename", None), getattr(error, "errno", None)
    where = f" ({name})" if name else ""
    if number in _DISK_FULL or any(os.strerror(full) in why for full in _DISK_FULL):
        return TrainerError(
            f"The disk is full{where}: {why}.",
            "Make room and start again: training goes on from the last checkpoint.",
        )
    return TrainerError(
        f"A file cannot be read or written{where}: {why}.",
        "Mend that and start again: training goes on from the last checkpoint.",
    )


def _tell(reporter: Reporter, failure: TrainerError) -> None:
    # On a full disk there may be no room for that either; it is raised all the same.
    with suppress(OSError):
        reporter.tell("error", message=failure.message, hint=failure.hint)
