from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from trainer.evaluations.base import Outcome, Paper, Task
from trainer.evaluations.matrices import unit_length
from trainer.subjects.baselines import Bm25, Random, TfIdf

PAPERS = [
    Paper("a", "Graph networks", "Networks that pass messages along edges of a graph."),
    Paper("b", "Protein folding", "Folding of proteins by deep networks."),
    Paper("c", "Galaxies", "Dark matter halos of dwarf galaxies."),
    Paper("none", "", ""),
    Paper("stop", "the of and", ""),
]
QUERIES = [Paper("q", "dark matter galaxies"), Paper("strange", "xylophone")]


def task(queries=()):
    return Task("t", "ranking", "all", "0", PAPERS, lambda *_: Outcome(()), queries)


def test_a_title_finds_its_own_paper_by_words():
    made = TfIdf().vectors(PAPERS, [Paper("1", "protein folding"), Paper("2", "messages")])
    similar = (made.queries.matrix @ made.papers.matrix.T).toarray()
    assert [made.papers.ids[best] for best in similar.argmax(1)] == ["b", "a"]
    assert np.allclose(np.linalg.norm(made.papers.matrix.toarray(), axis=1), 1, atol=1e-6)


def test_a_paper_without_words_that_count_has_no_vector():
    for maker in (TfIdf(), Bm25()):
        made = maker.vectors(PAPERS, QUERIES)
        assert list(made.papers.ids) == ["a", "b", "c"]
        assert made.papers.empty == {"none", "stop"}
        assert list(made.queries.ids) == ["q"]
        assert made.queries.empty == {"strange"}
    assert Random().vectors(PAPERS).papers.empty == {"none"}


def test_where_no_paper_has_a_word_nothing_is_made():
    made = TfIdf().vectors(PAPERS[3:], QUERIES)
    assert (len(made.papers.ids), made.papers.empty) == (0, {"none", "stop"})


def test_bm25_is_what_its_formula_says():
    papers = [
        Paper("1", "quark quark gluon"),
        Paper("2", "gluon"),
        Paper("3", "photon lepton boson tau"),
    ]
    made = Bm25().vectors(papers, [Paper("q", "quark gluon")])
    (found,) = (made.queries.matrix @ made.papers.matrix.T).toarray()

    def weight(often: int, having: int, length: int) -> float:
        rarity = math.log(1 + (3 - having + 0.5) / (having + 0.5))
        return rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * length / (8 / 3)))

    expected = [weight(2, 1, 3) + weight(1, 2, 3), weight(1, 2, 1), 0]
    assert found == pytest.approx(expected, abs=1e-6)
    assert made.papers.by == made.queries.by == "dot"


def test_bm25_says_where_it_does_not_apply():
    assert "typed queries" in Bm25().why_not(task())
    assert Bm25().why_not(task(QUERIES)) == ""
    assert TfIdf().why_not(task()) == ""


def test_a_random_vector_belongs_to_its_paper_and_to_nothing_else():
    one, other = Random().vectors(PAPERS[:3]).papers, Random().vectors(PAPERS[2::-1]).papers
    assert np.array_equal(one.matrix, other.matrix[::-1])
    unit = unit_length(one.matrix)
    assert np.allclose(unit @ unit.T, np.eye(3), atol=0.25)
    title = Random().vectors([PAPERS[0]._replace(abstract="")]).papers.matrix
    assert abs(unit[0] @ unit_length(title)[0]) < 0.25


def test_scaling_makes_vectors_one_long_and_leaves_zeros_alone():
    dense = np.array([[3.0, 4.0], [0.0, 0.0]])
    for matrix in (dense, csr_array(dense)):
        assert np.allclose(unit_length(matrix) @ np.eye(2), [[0.6, 0.8], [0, 0]])
