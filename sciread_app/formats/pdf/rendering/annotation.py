"""Annotations that other PDF readers show and edit."""

from __future__ import annotations

import enum
import time
from dataclasses import dataclass
from typing import Any

from sciread_app.domain.annotations.annotations import Box


class AnnotationKind(enum.Enum):
    """The values are subtypes of the PDF standard."""

    highlight = "Highlight"
    area = "Square"
    note = "Text"  # an icon that opens a text


@dataclass(frozen=True, slots=True)
class PdfAnnotation:
    """An annotation to be added to a page. `added` and `changed` are seconds since 1970.

    `name` is unique within the file; `colour` is as in "#ffe066".
    """

    kind: AnnotationKind
    page: int
    boxes: tuple[Box, ...]
    colour: str
    text: str
    name: str
    author: str = ""
    added: float = 0.0
    changed: float = 0.0

    def to_wire(self) -> dict[str, Any]:
        """The fields that the rendering process needs besides the page."""
        return {
            "kind": self.kind.value,
            "boxes": self.boxes,
            "colour": [int(self.colour[start : start + 2], 16) for start in (1, 3, 5)],
            "texts": {
                "Contents": self.text,
                "T": self.author,
                "NM": self.name,
                "CreationDate": _date(self.added),
                "M": _date(self.changed),
            },
        }


def _date(seconds: float) -> str:
    return time.strftime("D:%Y%m%d%H%M%SZ", time.gmtime(seconds)) if seconds else ""
