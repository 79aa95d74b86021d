"""The PDF extraction process, run by extraction_pool.py and never imported by it.

It receives paths and returns the content of the files.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

from sciread_app.formats.pdf import problems
from sciread_app.formats.pdf.content import to_wire, unreadable_content
from sciread_app.formats.pdf.extraction import extract
from sciread_app.formats.pdf.worker_base import (
    Answer,
    Send,
    UnreadableFile,
    bytes_of,
    reason,
    serve,
)

# Share of the time limit after which reading stops, so that the text read so far still counts.
_SHARE = 0.6


def answer(request: dict[str, Any], send: Send) -> Answer:
    """Extract the file of a request, after sending its hash and size.

    A file that cannot be read gives a content that says why. Raises only BrokenPipeError, if the
    parent process has ended.
    """
    path = Path(request["path"])
    try:
        data = bytes_of(path)
        # Sent first, so that it is known even of a file that crashes this process.
        send({"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)})
        content = extract(path, data, seconds=_SHARE * float(sys.argv[1]))
    except MemoryError:
        content = unreadable_content(path, problems.MEMORY)
    except BrokenPipeError:
        raise
    except (OSError, UnreadableFile) as error:
        content = unreadable_content(path, problems.UNOPENED.format(why=reason(error)))
    except Exception as error:  # reported to the parent; an exception here would end the process
        fault = f"{type(error).__name__}: {error}"
        content = unreadable_content(path, problems.INTERNAL_ERROR.format(fault=fault))
    return to_wire(content), b""


if __name__ == "__main__":
    serve(answer, announce=True)
