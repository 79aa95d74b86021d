"""Where the frozen program begins: SciRead, or one of its processes.

The parts of SciRead start one another as `python -m MODULE`, and the frozen program is the only
Python there is: it does the same for modules of ours, and for no others.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys

_OURS = ("sciread_app", "trainer")


def main() -> None:
    multiprocessing.freeze_support()
    _leave_no_traces()
    if sys.argv[1:2] == ["-m"]:
        _run_module(sys.argv[2:])
    else:
        from sciread_app.__main__ import main as sciread

        sciread()


def _run_module(arguments: list[str]) -> None:
    name = arguments[0] if arguments else ""
    if name.partition(".")[0] not in _OURS:
        sys.exit(f"There is no Python in here to run {name or 'anything'!r} with, only SciRead.")
    sys.argv[1:] = arguments[1:]
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _leave_no_traces() -> None:
    """Let the processes that we start find the libraries of the system, where ours are not meant.

    A browser that opens a link would else be given our libstdc++. What is SciRead starts anew: a
    training, say, which outlives the window.
    """
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH"):
        before = os.environ.pop(f"{name}_ORIG", None)
        if before is not None:
            os.environ[name] = before
        elif getattr(sys, "frozen", False):
            os.environ.pop(name, None)
    os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"


if __name__ == "__main__":
    main()
