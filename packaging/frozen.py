"""The entry point of the frozen program: SciRead, or one of its processes.

SciRead starts its processes as `python -m MODULE`. In the frozen program, this script takes the
place of Python; it runs the modules of SciRead and of the trainer, and no others.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys

_PACKAGES = ("sciread_app", "trainer")


def main() -> None:
    multiprocessing.freeze_support()
    _clean_environment()
    if sys.argv[1:2] == ["-m"]:
        _run_module(sys.argv[2:])
    else:
        from sciread_app.__main__ import main as sciread

        sciread()


def _run_module(arguments: list[str]) -> None:
    name = arguments[0] if arguments else ""
    if name.partition(".")[0] not in _PACKAGES:
        sys.exit(f"There is no Python in here to run {name or 'anything'!r} with, only SciRead.")
    sys.argv[1:] = arguments[1:]
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _clean_environment() -> None:
    """Restore the library paths that the bootloader has changed, for the processes we start.

    Otherwise a browser that opens a link would load our libstdc++. Our own processes, such as a
    training, which outlives the window, set up their environment again.
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
