"""Responses of the rendering process as values; not trusted, since it has read an untrusted
file."""

from __future__ import annotations

import enum
import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sciread_app.domain.annotations.annotations import (
    Box,
    FileShape,
    Link,
    OutlineEntry,
    PagePosition,
    PageSize,
    TextMatch,
)
from sciread_app.domain.annotations.page_text import PageText
from sciread_app.errors import SciReadError
from sciread_app.formats.pdf.metadata.text_cleanup import clean
from sciread_app.language import tr


class FailureReason(enum.Enum):
    """The reason why a file cannot be shown."""

    missing = "missing"
    locked = "locked"  # a password is required, or was wrong
    damaged = "damaged"
    unreadable = "unreadable"
    changed = "changed"  # since it was opened
    removed = "removed"  # its paper is not in the library


class CannotShow(SciReadError):
    """No page of the file can be shown."""

    def __init__(self, why: FailureReason, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.reason = why


class PageFailed(SciReadError):
    """One request about the file failed; others may well succeed."""


@dataclass(frozen=True)
class RenderedPageText:
    letters: PageText
    links: tuple[Link, ...]


_DOWNLOAD_AGAIN = tr("Download the file again and import the new copy.")
_FAILURES: dict[str, tuple[FailureReason, str, str]] = {
    "missing": (
        FailureReason.missing,
        tr("The file was moved or deleted."),
        tr("Restore the file, connect its drive, or import the file again."),
    ),
    "locked": (FailureReason.locked, tr("The file is protected with a password."), ""),
    "empty": (FailureReason.damaged, tr("The file is empty."), _DOWNLOAD_AGAIN),
    "damaged": (FailureReason.damaged, tr("The file is damaged or not a PDF."), _DOWNLOAD_AGAIN),
}


def cannot_show(fields: dict[str, Any]) -> CannotShow:
    """The error for a failed attempt to open a file; an unknown problem counts as a damaged
    file."""
    problem = str(fields["problem"])
    if problem == "unreadable":
        why = clean(text_of(fields.get("why", "")))[:200]
        return CannotShow(
            FailureReason.unreadable,
            tr("Could not open the file: {why}.", why=why),
            tr("Fix the problem and try again."),
        )
    return CannotShow(*_FAILURES.get(problem, _FAILURES["damaged"]))


def shape_of(fields: dict[str, Any]) -> FileShape:
    """The sizes of the pages in points, and the outline. Raises CannotShow for a file without
    pages, and KeyError, TypeError or ValueError for an invalid response."""
    sizes = tuple(PageSize(_number(w), _number(h)) for w, h in fields["sizes"])
    if not sizes:
        raise CannotShow(
            FailureReason.damaged, tr("The file has no pages."), tr("Download the file again.")
        )
    if any(min(size) < 1 or max(size) > 20_000 for size in sizes):
        raise ValueError("no sizes")
    outline = tuple(
        OutlineEntry(clean(text_of(h["title"])).strip(), int(h["level"]), _spot(h["spot"]))
        for h in fields["outline"]
    )
    return FileShape(text_of(fields["sha256"]), sizes, outline)


def page_text_of(fields: dict[str, Any], body: bytearray) -> RenderedPageText:
    """The text and links of a page; `body` has four edges per character, as float32. Raises
    KeyError, TypeError or ValueError for an invalid response."""
    text, edges = text_of(fields["text"]), array("f", bytes(body))
    if len(edges) != 4 * len(text):
        raise ValueError("a place for each letter")
    if not all(map(math.isfinite, edges)):
        raise ValueError("no places")
    links = (
        Link(box_of(one["box"]), _spot(one["spot"]), clean(text_of(one["address"])).strip())
        for one in fields["links"]
    )
    return RenderedPageText(PageText(text, edges), tuple(links))


def found_of(one: dict[str, Any], pages: range) -> TextMatch:
    if one["page"] not in pages:
        raise ValueError("not a page that was searched")
    around = " ".join(clean(text_of(one["around"])).split())
    boxes = tuple(map(box_of, one["boxes"]))
    return TextMatch(int(one["page"]), int(one["start"]), int(one["end"]), boxes, around)


def _spot(spot: Sequence[Any] | None) -> PagePosition | None:
    return PagePosition(int(spot[0]), *map(_number, spot[1:3])) if spot else None


def box_of(edges: Sequence[Any]) -> Box:
    left, top, right, bottom = map(_number, edges)
    return Box(left, top, right, bottom)


def text_of(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError("no number")
    return float(value)
