"""Counts of a corpus's training data."""

from __future__ import annotations

import numpy as np

from trainer.contract.corpus_stats import CorpusStats, VenueYear
from trainer.data.corpus.corpus import Corpus
from trainer.data.journals import PMID


def count_training_data(corpus: Corpus) -> CorpusStats:
    """Return the counts over all parts of the split."""
    readable = corpus.abstracts.lengths > 0
    counts = corpus.cites.counts
    return CorpusStats(
        papers=corpus.papers,
        abstracts=int(np.count_nonzero(readable)),
        citations=int(counts.sum()),
        citing=int(np.count_nonzero(counts)),
        questions=len(corpus.questions),
        venues=_venues(corpus, np.flatnonzero(readable & (corpus.venues >= 0))),
        fields={
            corpus.field_names[code]: int(papers)
            for code, papers in zip(
                *np.unique(corpus.primary[corpus.primary >= 0], return_counts=True), strict=True
            )
        },
    )


def _venues(corpus: Corpus, rows: np.ndarray) -> list[VenueYear]:
    theirs = corpus.named(PMID)
    pubmed = (rows >= theirs.start) & (rows < theirs.stop)
    keys = np.stack([corpus.venues[rows], corpus.years[rows], pubmed], axis=1)
    kinds, papers = np.unique(keys, axis=0, return_counts=True)
    return [
        VenueYear(corpus.venue_names[venue], int(year), bool(by_pubmed), int(count))
        for (venue, year, by_pubmed), count in zip(kinds.tolist(), papers, strict=True)
    ]
