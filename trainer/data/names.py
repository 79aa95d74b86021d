"""Names of journals as people write them: capitals and runs of blanks do not count."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.data.record import one_line


class Found(NamedTuple):
    """Which of the names are meant, by place; and what was asked for and is none of them."""

    meant: NDArray[np.bool_]
    unknown: list[str]


def find(wanted: Collection[str], names: Sequence[str]) -> Found:
    """The names that are wanted, however they are written."""
    keys = [_plain(name) for name in names]
    known, asked = set(keys), {_plain(name) for name in wanted}
    meant = np.fromiter((key in asked for key in keys), bool, len(keys))
    return Found(meant, sorted(name for name in wanted if _plain(name) not in known))


def _plain(name: str) -> str:
    return one_line(name).casefold()
