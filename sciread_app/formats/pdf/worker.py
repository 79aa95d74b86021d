"""The process that reads PDFs: it takes paths from its input and gives back what they hold.

Run by readers.py, never imported by it: a file that crashes, stalls or swells PDFium takes along
this process only. A message is its length in four bytes, then JSON.
"""

from __future__ import annotations

import faulthandler
import hashlib
import json
import os
import struct
import sys
from pathlib import Path
from typing import Any, BinaryIO

from sciread_app.formats.pdf import problems
from sciread_app.formats.pdf.child import Unreadable, be_modest, bytes_of, reason
from sciread_app.formats.pdf.content import of_problem, to_wire
from sciread_app.formats.pdf.extract import extract

# What the parent leaves to this process before it ends it: the text read so far still counts.
_SHARE = 0.6
_GRACE = 5.0  # seconds after the limit, for a parent that is no longer there to end us


def main() -> None:
    """Arguments: seconds for one file, and bytes of memory above what the start takes (0: any)."""
    seconds, memory = float(sys.argv[1]), int(sys.argv[2])
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints must not come between the messages.
    os.dup2(2, 1)
    be_modest(memory, nice=5)  # let the window go first
    _send(answers, {"ready": True})
    while request := _receive(requests):
        faulthandler.dump_traceback_later(seconds + _GRACE, exit=True)
        fields = _answer(Path(request["path"]), seconds, answers)
        faulthandler.cancel_dump_traceback_later()
        _send(answers, fields)


def _answer(path: Path, seconds: float, answers: BinaryIO) -> dict[str, Any]:
    try:
        data = bytes_of(path)
        # Sent ahead, so that it is known even of a file that breaks this process.
        _send(answers, {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)})
        content = extract(path, data, seconds=_SHARE * seconds)
    except MemoryError:
        content = of_problem(path, problems.MEMORY)
    except BrokenPipeError:
        raise
    except (OSError, Unreadable) as error:
        content = of_problem(path, problems.UNOPENED.format(why=reason(error)))
    except Exception as error:  # here ends the process: what it was is told to the parent
        fault = f"{type(error).__name__}: {error}"
        content = of_problem(path, problems.OUR_FAULT.format(fault=fault))
    return to_wire(content)


def _receive(stream: BinaryIO) -> dict[str, Any] | None:
    """The next request; None when the parent is gone."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    (length,) = struct.unpack(">I", head)
    request: dict[str, Any] = json.loads(stream.read(length))
    return request


def _send(stream: BinaryIO, fields: dict[str, Any]) -> None:
    body = json.dumps(fields).encode()
    stream.write(struct.pack(">I", len(body)) + body)
    stream.flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(1)  # the parent is gone, and so is whoever would read more
