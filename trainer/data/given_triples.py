"""Triplets given by an input as ids: a query, a positive and a negative."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer.data.corpus.columns import write_numbers
from trainer.data.corpus.corpus import TRIPLES, Corpus, Split
from trainer.data.corpus.ids import IdTable, hashes, padded

_AT_ONCE = 100_000


def write_triples(table: IdTable, arrived: Path, folder: Path) -> dict[str, Any] | None:
    """Write the column of triplets to `folder`, without repetitions, from the lines of `arrived`
    (three ids, separated by tabs).

    Returns the counts of triplets read, kept and dropped; None, without a column, if there are
    none.
    """
    parts = []
    with arrived.open("rb") as lines:
        while some := list(islice(lines, _AT_ONCE)):
            names = [name for line in some for name in line.rstrip(b"\n").split(b"\t")]
            parts.append(_rows(table, names).reshape(-1, 3))
    if not parts:
        return None
    rows = np.concatenate(parts)
    known = rows[(rows >= 0).all(1)]
    apart = known[(known[:, 0] != known[:, 1]) & (known[:, 0] != known[:, 2])]
    kept = np.unique(apart, axis=0)
    write_numbers(folder / TRIPLES, kept)
    dropped = {
        "a paper is not in the corpus": len(rows) - len(known),
        "a paper is its own positive or negative": len(known) - len(apart),
        "the same triple again": len(apart) - len(kept),
    }
    return {
        "read": len(rows),
        "kept": len(kept),
        "dropped": {why: count for why, count in dropped.items() if count},
    }


def given_triples(corpus: Corpus, split: Split) -> tuple[NDArray[np.int32], dict[str, Any]]:
    """Return the given triplets [n, 3] of one part of the corpus, and their counts with reasons for
    omissions.

    Training uses papers of its own part only. Queries of other parts may be combined with training
    papers, as in sampled triplets. Papers without a title are left out.
    """
    parts, every = corpus.split[corpus.triples], corpus.triples
    mine = parts[:, 0] == split
    beside = (parts == Split.train) | (parts == split)
    whole = mine & beside.all(1)
    titled = (corpus.titles.lengths[every] > 0).all(1)
    records = {
        "triplets": int(np.count_nonzero(whole & titled)),
        "triplets across the split, dropped": int(np.count_nonzero(mine & ~whole)),
        "triplets of papers without title": int(np.count_nonzero(whole & ~titled)),
    }
    return every[whole & titled], records


def _rows(table: IdTable, names: list[bytes]) -> NDArray[np.int32]:
    lengths = np.fromiter(map(len, names), np.int64, len(names))
    utf8 = padded(np.frombuffer(b"".join(names), np.uint8))
    return table.rows(hashes(utf8, np.cumsum(lengths) - lengths, lengths))
