"""Files with one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sciread_app.domain.paper import Skipped
from sciread_app.formats.files.streams import decoded, open_bytes
from sciread_app.language import tr
from trainer.contract.files import LONGEST_LINE, numbered_lines


def objects(path: Path) -> Iterator[tuple[int, dict[str, Any] | Skipped]]:
    """The number and the object of every line that is not blank, or a Skipped with the reason."""
    with open_bytes(path) as stream:
        for number, line in numbered_lines(stream):
            if text := decoded(line).strip():
                found = _object(text)
                if isinstance(found, str):
                    line_name = tr("Line {number}", number=number)
                    yield number, Skipped(str(path), line_name, found)
                else:
                    yield number, found


def string(value: object) -> str:
    """A JSON value as text: lists of words as "a; b", null as an empty string."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "; ".join(value)
    return json.dumps(value, ensure_ascii=False)


def _object(text: str) -> dict[str, Any] | str:
    if len(text) >= LONGEST_LINE:
        return tr("The line is longer than {most} MB and was skipped.", most=LONGEST_LINE >> 20)
    try:
        found = json.loads(text)
    except ValueError as error:
        return tr("The line is not valid JSON: {why}.", why=error)
    except RecursionError:
        return tr("The line is nested too deeply and was skipped.")
    return found if isinstance(found, dict) else tr("The line is not a JSON object.")
