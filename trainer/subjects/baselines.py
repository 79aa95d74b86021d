"""What every model should beat: counted words, and chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from types import MappingProxyType
from typing import Literal

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from trainer.contract.report import Subject
from trainer.evaluations.base import Paper, Task, Vectors
from trainer.subjects.makers import Made, Maker, has_text

# As Robertson and Zaragoza advise (2009), and as Lucene has them.
K1, B = 1.2, 0.75
_DIM = 384  # of random vectors: the starter model's


class TfIdf:
    """Words by how often they are in a text and how rare they are among the papers of a call."""

    subject = Subject(
        id="tf-idf",
        title="TF-IDF",
        kind="baseline",
        found="tf-idf",
        about={"words": "English stop words left out, sublinear counts"},
    )

    def why_not(self, task: Task) -> str:
        return ""

    def vectors(self, papers: Sequence[Paper], queries: Sequence[Paper] = ()) -> Made:
        """Always at unit length; weights are learned from `papers` alone."""
        words = TfidfVectorizer(stop_words="english", sublinear_tf=True, dtype=np.float32)
        if not _has_words(words, papers):
            return _nothing(papers, queries)
        made = _filled(papers, csr_array(words.fit_transform(_texts(papers))))
        asked = _filled(queries, csr_array(words.transform(_texts(queries)))) if queries else None
        return Made(made, asked, None)


class Bm25:
    """The words of typed queries, found in papers (Okapi BM25); two papers it cannot compare."""

    subject = Subject(
        id="bm25",
        title="BM25",
        kind="baseline",
        found="bm25",
        about={"k1": K1, "b": B, "words": "English stop words left out"},
    )

    def why_not(self, task: Task) -> str:
        return "" if task.queries else "BM25 answers typed queries, and this task has none"

    def vectors(self, papers: Sequence[Paper], queries: Sequence[Paper] = ()) -> Made:
        """Such that a query's product with a paper is the paper's BM25."""
        words = CountVectorizer(stop_words="english", dtype=np.float32)
        if not _has_words(words, papers):
            return _nothing(papers, queries)
        made = _bm25(csr_array(words.fit_transform(_texts(papers))))
        if not queries:
            return Made(_filled(papers, made, by="dot"), None, None)
        asked = csr_array(words.transform(_texts(queries)))
        return Made(_filled(papers, made, by="dot"), _filled(queries, asked, by="dot"), None)


class Random:
    """Vectors by chance; a paper's is the same whenever its id and its text are."""

    subject = Subject(
        id="random", title="Random vectors", kind="baseline", found="random", dim=_DIM
    )

    def why_not(self, task: Task) -> str:
        return ""

    def vectors(self, papers: Sequence[Paper], queries: Sequence[Paper] = ()) -> Made:
        return Made(_drawn(papers), _drawn(queries) if queries else None, None)


MAKERS: Mapping[str, Callable[[], Maker]] = MappingProxyType(
    {"tf-idf": TfIdf, "bm25": Bm25, "random": Random}
)


def _bm25(counts: csr_array) -> csr_array:
    """The weight of each word in each paper, from how often it is there."""
    papers = counts.shape[0]
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    having = np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log1p((papers - having + 0.5) / (having + 0.5))
    length = np.repeat(lengths / lengths.mean(), np.diff(counts.indptr))
    often = counts.data
    weights = rarity[counts.indices] * often * (K1 + 1) / (often + K1 * (1 - B + B * length))
    return csr_array((weights.astype(np.float32), counts.indices, counts.indptr), counts.shape)


def _filled(
    papers: Sequence[Paper], matrix: csr_array, by: Literal["cosine", "dot"] = "cosine"
) -> Vectors:
    """Without the rows of papers that have no word that counts."""
    has = np.diff(matrix.indptr) > 0
    ids = [paper.id for paper in papers]
    empty = frozenset(name for name, filled in zip(ids, has, strict=True) if not filled)
    return Vectors([name for name in ids if name not in empty], matrix[has], empty, by)


def _nothing(papers: Sequence[Paper], queries: Sequence[Paper]) -> Made:
    none = [
        Vectors((), np.empty((0, 0), np.float32), frozenset(paper.id for paper in asked))
        for asked in (papers, queries)
    ]
    return Made(none[0], none[1] if queries else None, None)


def _texts(papers: Sequence[Paper]) -> list[str]:
    return [f"{paper.title} {paper.abstract}" for paper in papers]


def _has_words(words: CountVectorizer, papers: Sequence[Paper]) -> bool:
    """Whether there is any, without which scikit-learn would count nothing."""
    split = words.build_analyzer()
    return any(split(text) for text in _texts(papers))


def _drawn(papers: Sequence[Paper]) -> Vectors:
    filled = [paper for paper in papers if has_text(paper)]
    matrix = np.empty((len(filled), _DIM), np.float32)
    for row, paper in enumerate(filled):
        said = "\0".join(paper).encode("utf-8", "replace")
        seed = int.from_bytes(blake2b(said, digest_size=8).digest(), "little")
        numbers = np.random.Generator(np.random.Philox(key=seed))
        matrix[row] = numbers.standard_normal(_DIM, np.float32)
    ids = [paper.id for paper in filled]
    return Vectors(ids, matrix, frozenset(paper.id for paper in papers) - set(ids))
