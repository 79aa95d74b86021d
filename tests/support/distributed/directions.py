"""Random unit vectors for fake models. Imports almost nothing, so that a model process that uses it
starts at once."""

from __future__ import annotations

import math
import random

DIM = 16


def direction(space: str, text: str) -> list[float]:
    """Return a unit vector, the same for the same text and space in every process."""
    draw = random.Random(f"{space}\0{text}")
    numbers = [draw.gauss(0, 1) for _ in range(DIM)]
    length = math.hypot(*numbers)
    return [number / length for number in numbers]
