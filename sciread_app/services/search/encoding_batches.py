"""Papers in batches: small ones first and for slow models, so that little is lost by a kill."""

from __future__ import annotations

import time
from collections.abc import Iterator

FIRST, MOST = 32, 512  # papers
SECONDS = 4.0  # that a batch may take; larger ones are a little faster on the whole


def batches(count: int) -> Iterator[slice]:
    """Parts of a list of so many, each as large as the time that the last one took allows."""
    start, size = 0, min(FIRST, MOST)
    while start < count:
        begun = time.monotonic()
        yield slice(start, start + size)
        took = time.monotonic() - begun
        start += size
        if took < SECONDS / 2:
            size = min(2 * size, MOST)
        elif took > SECONDS:
            size = max(size // 2, 1)
