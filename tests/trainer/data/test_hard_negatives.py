"""Hard negatives: similar papers, in blocks, without those related by citations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.generate.corpus import make_corpus
from tests.support.models.small_runs import small_base, small_corpus
from trainer.data import hard_negatives
from trainer.data.bm25 import bm25_weights
from trainer.data.corpus.corpus import Corpus, Split
from trainer.data.hard_negatives import citation_matrix, mine
from trainer.data.tokens import TokenCache


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_base(tmp_path_factory.mktemp("base") / "tiny")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus.open(small_corpus(tmp_path_factory.mktemp("papers") / "corpus"))


def unit_vectors(count: int) -> NDArray[np.float32]:
    found = np.random.default_rng(1).normal(size=(count, 8)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_mined_negatives_are_not_related(corpus: Corpus, base: Path) -> None:
    pool = corpus.rows(Split.train)
    graph = citation_matrix(corpus.cites, pool)
    vectors = unit_vectors(len(pool))
    found = mine(TokenCache.open(corpus, base), graph, pool, vectors.__getitem__, pool)
    assert (found >= 0).any()
    together = (graph.T @ graph).toarray()
    for row, some in zip(pool.tolist(), found, strict=True):
        assert row not in some and not np.isin(corpus.cites[row], some).any()
        citing = [paper for paper in pool.tolist() if row in corpus.cites[paper]]
        assert not np.isin(citing, some).any()
        assert not np.isin(np.flatnonzero(together[row]), some).any()


@pytest.mark.parametrize("dense", [False, True])
def test_mined_negatives_are_the_most_similar_of_all_blocks(
    corpus: Corpus, base: Path, monkeypatch: pytest.MonkeyPatch, dense: bool
) -> None:
    for name, value in (("_ANCHORS", 7), ("_CANDIDATES", 11), ("_DENSE_TOKENS", 3)):
        monkeypatch.setattr(hard_negatives, name, value)
    vocabulary = TokenCache.open(corpus, base).vocabulary.size
    monkeypatch.setattr(hard_negatives, "_DENSE_WEIGHTS", 9 * vocabulary)
    for name, value in (("_NEAREST", 2), ("_FARTHEST", 6)):
        monkeypatch.setattr(hard_negatives, name, value)
    pool = corpus.rows(Split.train)
    graph = citation_matrix(corpus.cites, pool)
    vectors = unit_vectors(len(pool))
    cache = TokenCache.open(corpus, base)
    anchors = pool[::3]
    found = mine(cache, graph, pool, vectors.__getitem__, anchors, dense=dense)

    dense = graph.toarray().astype(int)
    related = ((dense + dense.T + dense.T @ dense) > 0)[np.ix_(pool, pool)]
    np.fill_diagonal(related, True)
    words = bm25_weights(hard_negatives._counts(cache, pool, abstracts=True)).toarray()
    titles = hard_negatives._counts(cache, pool, abstracts=False).toarray()
    by_words = titles @ words.T
    scores = np.stack([vectors @ vectors.T, np.where(by_words > 0, by_words, -np.inf)], axis=1)
    scores = np.where(related[:, None], -np.inf, scores)
    for place, some in zip(np.searchsorted(pool, anchors), found.reshape(-1, 2, 4), strict=True):
        for expected, candidates in zip(scores[place], some, strict=True):
            best = np.sort(expected)[::-1][2:6]
            ours = [
                expected[np.searchsorted(pool, paper)] if paper >= 0 else -np.inf
                for paper in candidates
            ]
            assert np.allclose(ours, best, rtol=1e-5)


def test_citation_matrix_of_some_papers_has_only_their_citations(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "corpus", 5, [(0, 1), (0, 2), (3, 4)])
    citing, cited = citation_matrix(corpus.cites, np.array([1, 3])).nonzero()
    assert (citing.tolist(), cited.tolist()) == ([3], [4])
