"""The PDF extraction process: reads paths from its input and writes their content.

Run by extraction_pool.py, never imported by it: a file that makes PDFium crash, stall or exhaust
memory ends this process only. A message is its length in four bytes, then JSON.
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
from sciread_app.formats.pdf.content import of_problem, to_wire
from sciread_app.formats.pdf.extraction import extract
from sciread_app.formats.pdf.worker_limits import UnreadableFile, be_modest, bytes_of, reason

# Share of the time limit after which reading stops, so that the text read so far still counts.
_SHARE = 0.6
_GRACE = 5.0  # seconds after the limit, in case the parent is gone and cannot end this process


def main() -> None:
    """Arguments: seconds per file, and bytes of memory above that at start (0: unlimited)."""
    seconds, memory = float(sys.argv[1]), int(sys.argv[2])
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    # Output printed by a library must not mix with the messages.
    os.dup2(2, 1)
    be_modest(memory, nice=5)  # lower priority than the window
    _send(answers, {"ready": True})
    while request := _receive(requests):
        faulthandler.dump_traceback_later(seconds + _GRACE, exit=True)
        fields = _answer(Path(request["path"]), seconds, answers)
        faulthandler.cancel_dump_traceback_later()
        _send(answers, fields)


def _answer(path: Path, seconds: float, answers: BinaryIO) -> dict[str, Any]:
    try:
        data = bytes_of(path)
        # Sent first, so that it is known even of a file that crashes this process.
        _send(answers, {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)})
        content = extract(path, data, seconds=_SHARE * seconds)
    except MemoryError:
        content = of_problem(path, problems.MEMORY)
    except BrokenPipeError:
        raise
    except (OSError, UnreadableFile) as error:
        content = of_problem(path, problems.UNOPENED.format(why=reason(error)))
    except Exception as error:  # reported to the parent; an exception here would end the process
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
        os._exit(1)  # the parent is gone, and so is the reader
