"""BM25, the usual ranking by words."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

# As recommended by Robertson and Zaragoza (2009), and the defaults of Lucene.
K1, B = 1.2, 0.75


def bm25_weights(counts: csr_array) -> csr_array:
    """Return the BM25 weight of each word in each paper, from word counts [papers, words]."""
    papers = counts.shape[0]
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    having = np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log1p((papers - having + 0.5) / (having + 0.5))
    length = np.repeat(lengths / lengths.mean(), np.diff(counts.indptr))
    often = counts.data
    weights = rarity[counts.indices] * often * (K1 + 1) / (often + K1 * (1 - B + B * length))
    return csr_array((weights.astype(np.float32), counts.indices, counts.indptr), counts.shape)
