"""Zoom modes: fit width, fit page, or a factor."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize

from sciread_app.domain.annotations.annotations import PageSize
from sciread_app.ui.reader.pages.layout import GAP

WIDTH, PAGE = "width", "page"
STEPS = (0.25, 0.33, 0.5, 0.67, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0)
POINTS = 72.0  # per inch


def scale_of(
    zoom: str,
    sizes: Sequence[PageSize],
    page: int,
    turn: int,
    room: QSize,
    dpi: float,
    columns: int = 1,
    skipped: int = 0,
) -> float:
    """Logical pixels per point, for rows of `columns` pages after `skipped` empty places."""
    edges = [size[::-1] if turn % 2 else size[:] for size in sizes]
    edges = edges[:1] * skipped + edges  # an empty place is as wide as the first page
    rows = [edges[first : first + columns] for first in range(0, len(edges), columns)]
    across, down = room.width() - (columns + 1) * GAP, room.height() - 2 * GAP
    if zoom == WIDTH:
        return max(across / max(map(_width, rows)), 0.05)
    if zoom == PAGE:
        row = rows[(page + skipped) // columns]
        return max(min(across / _width(row), down / max(high for _, high in row)), 0.05)
    return limited(factor_of(zoom)) * dpi / POINTS


def _width(row: Sequence[tuple[float, ...]]) -> float:
    return sum(width for width, _ in row)


def factor_of(zoom: str) -> float:
    """The factor of a stored zoom, which may be any text."""
    try:
        return float(zoom)
    except ValueError:
        return 1.0


def limited(factor: float) -> float:
    return min(max(factor, STEPS[0]), STEPS[-1])


def larger(factor: float) -> float:
    return next((step for step in STEPS if step > factor * 1.01), STEPS[-1])


def smaller(factor: float) -> float:
    return next((step for step in reversed(STEPS) if step < factor * 0.99), STEPS[0])
