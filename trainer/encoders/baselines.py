"""Baselines: TF-IDF, BM25 and random vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.sparse import csr_array

from trainer.contract.report import EvaluatedModel
from trainer.data.bm25 import K1, B, bm25_weights
from trainer.encoders.base import EncodedTask, TextEncoder, has_text
from trainer.evaluations.base import EvaluationTask, TextInput, Vectors

# scikit-learn is imported when a baseline encodes: it takes seconds, and models need none of it.
if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

_DIM = 384  # of random vectors; the same as the starter model's


class TfIdf:
    """TF-IDF vectors, with document frequencies of the papers of each call."""

    subject = EvaluatedModel(
        id="tf-idf",
        title="TF-IDF",
        kind="baseline",
        found="tf-idf",
        about={"words": "English stop words removed, sublinear term frequencies"},
    )

    def unsupported_reason(self, task: EvaluationTask) -> str:
        return ""

    def encode(self, papers: Sequence[TextInput], queries: Sequence[TextInput] = ()) -> EncodedTask:
        """Encode texts at unit length; document frequencies are those of `papers` alone."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        words = TfidfVectorizer(stop_words="english", sublinear_tf=True, dtype=np.float32)
        if not _has_words(words, papers):
            return _nothing(papers, queries)
        made = _filled(papers, csr_array(words.fit_transform(_texts(papers))))
        asked = _filled(queries, csr_array(words.transform(_texts(queries)))) if queries else None
        return EncodedTask(made, asked, None)


class Bm25:
    """Okapi BM25 of typed queries in papers; it cannot compare two papers."""

    subject = EvaluatedModel(
        id="bm25",
        title="BM25",
        kind="baseline",
        found="bm25",
        about={"k1": K1, "b": B, "words": "English stop words removed"},
    )

    def unsupported_reason(self, task: EvaluationTask) -> str:
        return (
            "" if task.queries else ("BM25 requires typed queries, which this task does not have")
        )

    def encode(self, papers: Sequence[TextInput], queries: Sequence[TextInput] = ()) -> EncodedTask:
        """Encode such that the dot product of a query and a paper is its BM25 score."""
        from sklearn.feature_extraction.text import CountVectorizer

        words = CountVectorizer(stop_words="english", dtype=np.float32)
        if not _has_words(words, papers):
            return _nothing(papers, queries)
        made = bm25_weights(csr_array(words.fit_transform(_texts(papers))))
        if not queries:
            return EncodedTask(_filled(papers, made, by="dot"), None, None)
        asked = csr_array(words.transform(_texts(queries)))
        return EncodedTask(_filled(papers, made, by="dot"), _filled(queries, asked, by="dot"), None)


class Random:
    """Random vectors, determined by the id and the text of a paper."""

    subject = EvaluatedModel(id="random", title="Random", kind="baseline", found="random", dim=_DIM)

    def unsupported_reason(self, task: EvaluationTask) -> str:
        return ""

    def encode(self, papers: Sequence[TextInput], queries: Sequence[TextInput] = ()) -> EncodedTask:
        return EncodedTask(_drawn(papers), _drawn(queries) if queries else None, None)


BASELINES: Mapping[str, Callable[[], TextEncoder]] = MappingProxyType(
    {"tf-idf": TfIdf, "bm25": Bm25, "random": Random}
)


def _filled(
    papers: Sequence[TextInput], matrix: csr_array, by: Literal["cosine", "dot"] = "cosine"
) -> Vectors:
    """Vectors without the zero rows of papers that have no indexed word."""
    has = np.diff(matrix.indptr) > 0
    ids = [paper.id for paper in papers]
    empty = frozenset(name for name, filled in zip(ids, has, strict=True) if not filled)
    return Vectors([name for name in ids if name not in empty], matrix[has], empty, by)


def _nothing(papers: Sequence[TextInput], queries: Sequence[TextInput]) -> EncodedTask:
    none = [
        Vectors((), np.empty((0, 0), np.float32), frozenset(paper.id for paper in asked))
        for asked in (papers, queries)
    ]
    return EncodedTask(none[0], none[1] if queries else None, None)


def _texts(papers: Sequence[TextInput]) -> list[str]:
    return [f"{paper.title} {paper.abstract}" for paper in papers]


def _has_words(words: CountVectorizer, papers: Sequence[TextInput]) -> bool:
    """Whether any text has a word; scikit-learn fails on an empty vocabulary."""
    split = words.build_analyzer()
    return any(split(text) for text in _texts(papers))


def _drawn(papers: Sequence[TextInput]) -> Vectors:
    filled = [paper for paper in papers if has_text(paper)]
    matrix = np.empty((len(filled), _DIM), np.float32)
    for row, paper in enumerate(filled):
        key = "\0".join(paper).encode("utf-8", "replace")
        seed = int.from_bytes(blake2b(key, digest_size=8).digest(), "little")
        numbers = np.random.Generator(np.random.Philox(key=seed))
        matrix[row] = numbers.standard_normal(_DIM, np.float32)
    ids = [paper.id for paper in filled]
    return Vectors(ids, matrix, frozenset(paper.id for paper in papers) - set(ids))
