"""Papers on two topics, and fetches that found them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.paper import Paper, PaperId
from sciread_app.storage.library import Library
from tests.support.generate.papers import paper

BEES = ("honey", "bee", "hive", "nectar", "swarm", "queen", "pollen", "waggle", "drone", "brood")
STARS = ("star", "dwarf", "orbit", "nova", "halo", "quasar", "dust", "pulsar", "flare", "disk")


def about(words: Sequence[str], number: int, **more: Any) -> Paper:
    """A paper about some of these words, different for each number."""
    chosen = np.random.default_rng(number).permutation(words)
    return paper(" ".join(chosen[:4]), abstract=" ".join(chosen[2:7]), **more)


def like(words: Sequence[str], number: int) -> Paper:
    """A paper with the same words as `about(words, number)`."""
    chosen = np.random.default_rng(number).permutation(words)
    return paper(" ".join(chosen[2:7]), abstract=" ".join(chosen[:4]))


def collect_bees(library: Library, stars: int = 20) -> list[PaperId]:
    """Store papers about bees, which are in the collection "bees", and some about stars. Return
    the ids of the bees."""
    bees = library.put([about(BEES, n) for n in range(8)]).ids
    library.put([about(STARS, n) for n in range(stars)])
    library.collections.add(bees, "bees")
    return bees


def fetch(library: Library, papers: Iterable[Paper], source: str = "arxiv") -> list[PaperId]:
    """Store papers as found by a fetch, and return their ids."""
    import_id = library.import_log.open(
        source, fetch=library.fetches.keep(SourceQuery(source, "all"))
    )
    stored = library.put(papers, import_id=import_id)
    library.import_log.close(import_id)
    return stored.ids
