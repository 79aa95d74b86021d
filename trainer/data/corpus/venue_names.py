"""Matching of journal names, ignoring case and repeated white space."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.data.corpus.records import one_line


class MatchedVenues(NamedTuple):
    """Indices of the matching names; and the requested names without a match."""

    meant: NDArray[np.bool_]
    unknown: list[str]


def find(wanted: Collection[str], names: Sequence[str]) -> MatchedVenues:
    """Find the requested names among `names`, ignoring case and white space."""
    keys = [_plain(name) for name in names]
    known, asked = set(keys), {_plain(name) for name in wanted}
    meant = np.fromiter((key in asked for key in keys), bool, len(keys))
    return MatchedVenues(meant, sorted(name for name in wanted if _plain(name) not in known))


def _plain(name: str) -> str:
    return one_line(name).casefold()
