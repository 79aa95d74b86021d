"""Where models point that agree about nothing. Imports next to nothing: a process of a model that
uses it starts at once."""

from __future__ import annotations

import math
import random

DIM = 16


def direction(space: str, text: str) -> list[float]:
    """Of length 1; the same for the same text in the same space, in every process."""
    draw = random.Random(f"{space}\0{text}")
    numbers = [draw.gauss(0, 1) for _ in range(DIM)]
    length = math.hypot(*numbers)
    return [number / length for number in numbers]
