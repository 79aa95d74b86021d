"""Processes that read untrusted PDFs."""

from __future__ import annotations

import subprocess

from sciread_app.child_process import ChildProcess, module_command

START_SECONDS = 60.0  # a machine that has just been started reads our files slowly
_LONGEST = 64 << 20  # bytes of a header, and of a body


class PdfProcess(ChildProcess):
    """A process that runs `module`, whose `main` is `worker_base.serve`; its errors are discarded.

    `seconds` limits each request, `memory` the bytes above those that it uses at its start.
    """

    def __init__(self, module: str, seconds: float, memory: int, *, niceness: int = 0) -> None:
        command = module_command(module, seconds, memory)
        super().__init__(command, errors=subprocess.DEVNULL, niceness=niceness, longest=_LONGEST)
