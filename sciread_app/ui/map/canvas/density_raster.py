"""Density rendering of very many points: the denser the points, the stronger the color.

All work is done by numpy within the memory of one image, without a step per point.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

Tones = NDArray[np.uint32]  # [colors * LEVELS], opaque RGB

LEVELS = 16
MOST_COLOURS = 256 // LEVELS
_FULL = 8  # weight of a pixel that a point covers completely
_MAX_COUNT = 200  # points on one pixel; more look the same
_SPARSE = 32  # pixels of the image per point, from which on points are drawn one by one


def tones(colours: list[QColor], background: QColor) -> Tones:
    """For each color, the gradient from the background to the full color."""
    assert len(colours) <= MOST_COLOURS
    strength = np.linspace(0, 1, LEVELS)[:, None]
    under = _rgb(background)
    found = [under + strength * (_rgb(colour) - under) for colour in colours]
    red, green, blue = np.concatenate(found).round().astype(np.uint32).T
    packed: Tones = 0xFF000000 | red << 16 | green << 8 | blue
    return packed


def _rgb(colour: QColor) -> NDArray[np.int64]:
    return np.array([colour.red(), colour.green(), colour.blue()])


def density_image(
    points: NDArray[np.float32],
    colours: NDArray[np.uint8],
    size: tuple[int, int],
    radius: float,
    strength: float,
    tones: Tones,
    on_top: int = 0,
) -> QImage:
    """An image of points at these pixels, drawn as discs; each has the number of its color.

    `strength` (0 to 1) is the opacity of a single point. The last `on_top` points are drawn above
    the others.
    """
    width, height = size
    kernel = _disc(radius)
    margin = len(kernel) // 2
    stride, rows = width + 2 * margin, height + 2 * margin
    pixels = np.floor(points).astype(np.int32) + margin
    inside = (
        (pixels[:, 0] >= margin) & (pixels[:, 0] < width + margin)
        & (pixels[:, 1] >= margin) & (pixels[:, 1] < height + margin)
    )  # fmt: skip
    places = pixels[inside, 1] * stride + pixels[inside, 0]
    base = (colours[inside] * np.uint8(LEVELS)).astype(np.uint8)
    below = len(base) - int(inside[len(inside) - on_top :].sum())
    taps = _taps(radius)
    offsets = np.array([down * stride + right for _, right, down in taps], np.int32)
    which = np.zeros(stride * rows, np.uint8)
    for part in (slice(below), slice(below, None)):
        for offset in offsets.tolist():
            which[places[part] + offset] = base[part]
    visible = (slice(margin, margin + height), slice(margin, margin + width))
    if len(places) * _SPARSE < stride * rows:
        # Point by point: with few points of many pixels, this takes a fraction of the time.
        every = (offsets[:, None] + places).ravel()
        weights = np.repeat(np.array([weight for weight, *_ in taps], np.float64), len(places))
        sums = np.bincount(every, weights, stride * rows)
        painted = np.flatnonzero(sums)
        pixmap = np.full(stride * rows, tones[0], np.uint32)
        pixmap[painted] = tones[_levels(strength)[_capped(sums[painted])] + which[painted]]
        image = np.ascontiguousarray(pixmap.reshape(rows, stride)[visible])
    else:
        counts = _capped(np.bincount(places, minlength=stride * rows)).reshape(rows, stride)
        dense = np.zeros((height, width), np.uint16)
        for weight, right, down in taps:
            top, left = margin - down, margin - right
            dense += counts[top : top + height, left : left + width] * np.uint16(weight)
        levels = _levels(strength)[np.minimum(dense, _MAX_COUNT)]
        image = tones[levels + which.reshape(rows, stride)[visible]]
    return QImage(image.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()


def _capped(counts: NDArray[Any]) -> NDArray[np.uint16]:
    found: NDArray[np.uint16] = np.minimum(counts, _MAX_COUNT).astype(np.uint16)
    return found


@lru_cache(maxsize=32)
def _levels(strength: float) -> NDArray[np.uint8]:
    """Gradient level of a pixel by the weight that it has received."""
    weights = np.arange(_MAX_COUNT + 1) / _FULL
    # The edge of a single point is softer the less of a pixel it covers.
    shown = np.where(weights < 1, strength * weights, 1 - (1 - strength) ** weights)
    levels: NDArray[np.uint8] = np.ceil(shown * (LEVELS - 1)).astype(np.uint8)
    return levels


@lru_cache(maxsize=32)
def _disc(radius: float) -> NDArray[np.int64]:
    """Coverage of each pixel by a disc around the center of the central pixel."""
    reach = int(np.ceil(radius - 0.5))
    fine = (np.arange((2 * reach + 1) * 8) + 0.5) / 8 - reach - 0.5
    covered = (fine[:, None] ** 2 + fine**2) <= radius**2
    cells = covered.reshape(2 * reach + 1, 8, 2 * reach + 1, 8).mean(axis=(1, 3))
    weights: NDArray[np.int64] = (cells * _FULL).round().astype(np.int64)
    return weights


@lru_cache(maxsize=32)
def _taps(radius: float) -> tuple[tuple[int, int, int], ...]:
    """Weight, x and y offset of each pixel of a disc, the strongest last, so that the edge of a
    point does not cover the center of another.
    """
    kernel = _disc(radius)
    reach = len(kernel) // 2
    found = [
        (int(weight), right - reach, down - reach)
        for (down, right), weight in np.ndenumerate(kernel)
        if weight
    ]
    return tuple(sorted(found))
