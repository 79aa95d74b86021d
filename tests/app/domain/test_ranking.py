import numpy as np
import pytest

from sciread_app.domain.query.parser import Term
from sciread_app.domain.ranking import fuse, selective_expression


def order(*, bm25, similarity, average=0.0):
    scores = fuse(np.array(bm25, float), np.array(similarity, float), average)
    return np.argsort(-scores).tolist()


def test_fused_score_is_one_for_best_and_zero_for_random_paper():
    scores = fuse(np.array([12.0, 0.0]), np.array([0.7, 0.1]), average=0.1)
    assert scores == pytest.approx([1, 0])


def test_good_in_both_rankings_beats_best_in_one():
    assert order(bm25=[10, 9, 0], similarity=[0.1, 0.55, 0.6])[0] == 1


def test_fusion_is_invariant_to_scale_of_scores():
    bm25, similarity = np.array([9.0, 4.0, 0.0]), np.array([0.2, 0.4, 0.5])
    scores = fuse(bm25, similarity, 0.1)
    # A model whose similarities all lie between 0.8 and 1 gives the same order.
    assert fuse(100 * bm25, 0.8 + similarity / 5, 0.8 + 0.1 / 5) == pytest.approx(scores)


def test_paper_without_vector_is_ranked_by_words():
    assert order(bm25=[10, 10, 4], similarity=[0.2, np.nan, 0.6]) == [1, 2, 0]


def test_words_alone_rank_when_no_vectors_exist():
    assert order(bm25=[1, 3, 2], similarity=[np.nan] * 3) == [1, 2, 0]


def test_empty_results_give_empty_ranking():
    assert len(fuse(np.zeros(0), np.zeros(0), 0.0)) == 0


def words(*texts):
    return [Term(text) for text in texts]


def test_rare_words_select_and_common_words_only_rank():
    held_by = {"lasso": 10, "model": 900, "data": 950}
    expression = selective_expression(words("model", "lasso", "data"), held_by, 1000, at_most=100)
    finding, _, ranking = expression.partition(" AND ")
    assert finding == '("lasso")'
    assert ranking.count('"model"') == ranking.count('"data"') == 2


def test_all_words_select_while_they_are_rare():
    held_by = {"model": 40, "lasso": 10}
    assert selective_expression(words("model", "lasso"), held_by, 1000, 100) == '"lasso" OR "model"'


def test_rarest_word_selects_however_common():
    assert selective_expression(
        words("model", "data"), {"model": 900, "data": 950}, 1000, 5
    ).startswith('("model") AND')


def test_phrase_is_as_rare_as_its_rarest_word_and_prefix_selects():
    terms = [Term("data model"), Term("mod", prefix=True), Term("data")]
    expression = selective_expression(terms, {"data": 950, "model": 3}, 1000, 100)
    assert expression.startswith('("mod" * OR "data model") AND')


def test_long_text_keeps_informative_words_weighted_by_frequency():
    terms = words(*(f"w{n}" for n in range(100)), *["graph"] * 9)
    held_by = {f"w{n}": n + 1 for n in range(100)} | {"graph": 50}
    expression = selective_expression(terms, held_by, 1000, 1e9)
    assert expression.count('"graph"') == 4
    assert '"w0"' in expression and '"w99"' not in expression
