from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from trainer.encoders.baselines import Bm25, Random, TfIdf
from trainer.evaluations.base import EvaluationTask, TaskResult, TextInput
from trainer.evaluations.metrics.matrices import l2_normalize

PAPERS = [
    TextInput("a", "Graph networks", "Networks that pass messages along edges of a graph."),
    TextInput("b", "Protein folding", "Folding of proteins by deep networks."),
    TextInput("c", "Galaxies", "Dark matter halos of dwarf galaxies."),
    TextInput("none", "", ""),
    TextInput("stop", "the of and", ""),
]
QUERIES = [TextInput("q", "dark matter galaxies"), TextInput("strange", "xylophone")]


def task(queries=()):
    return EvaluationTask("t", "ranking", "all", "0", PAPERS, lambda *_: TaskResult(()), queries)


def test_tf_idf_title_retrieves_its_paper():
    made = TfIdf().encode(PAPERS, [TextInput("1", "protein folding"), TextInput("2", "messages")])
    similar = (made.queries.matrix @ made.papers.matrix.T).toarray()
    assert [made.papers.ids[best] for best in similar.argmax(1)] == ["b", "a"]
    assert np.allclose(np.linalg.norm(made.papers.matrix.toarray(), axis=1), 1, atol=1e-6)


def test_text_without_known_words_has_no_vector():
    for encoder in (TfIdf(), Bm25()):
        made = encoder.encode(PAPERS, QUERIES)
        assert list(made.papers.ids) == ["a", "b", "c"]
        assert made.papers.empty == {"none", "stop"}
        assert list(made.queries.ids) == ["q"]
        assert made.queries.empty == {"strange"}
    assert Random().encode(PAPERS).papers.empty == {"none"}


def test_tf_idf_without_words_returns_no_vectors():
    made = TfIdf().encode(PAPERS[3:], QUERIES)
    assert (len(made.papers.ids), made.papers.empty) == (0, {"none", "stop"})


def test_bm25_equals_its_formula():
    papers = [
        TextInput("1", "quark quark gluon"),
        TextInput("2", "gluon"),
        TextInput("3", "photon lepton boson tau"),
    ]
    made = Bm25().encode(papers, [TextInput("q", "quark gluon")])
    (found,) = (made.queries.matrix @ made.papers.matrix.T).toarray()

    def weight(often: int, having: int, length: int) -> float:
        rarity = math.log(1 + (3 - having + 0.5) / (having + 0.5))
        return rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * length / (8 / 3)))

    expected = [weight(2, 1, 3) + weight(1, 2, 3), weight(1, 2, 1), 0]
    assert found == pytest.approx(expected, abs=1e-6)
    assert made.papers.by == made.queries.by == "dot"


def test_bm25_without_queries_is_unsupported():
    assert "typed queries" in Bm25().unsupported_reason(task())
    assert Bm25().unsupported_reason(task(QUERIES)) == ""
    assert TfIdf().unsupported_reason(task()) == ""


def test_random_vector_depends_only_on_its_text():
    one, other = Random().encode(PAPERS[:3]).papers, Random().encode(PAPERS[2::-1]).papers
    assert np.array_equal(one.matrix, other.matrix[::-1])
    unit = l2_normalize(one.matrix)
    assert np.allclose(unit @ unit.T, np.eye(3), atol=0.25)
    title = Random().encode([PAPERS[0]._replace(abstract="")]).papers.matrix
    assert abs(unit[0] @ l2_normalize(title)[0]) < 0.25


def test_l2_normalize_gives_unit_vectors_and_keeps_zeros():
    dense = np.array([[3.0, 4.0], [0.0, 0.0]])
    for matrix in (dense, csr_array(dense)):
        assert np.allclose(l2_normalize(matrix) @ np.eye(2), [[0.6, 0.8], [0, 0]])
