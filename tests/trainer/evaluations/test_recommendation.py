"""Evaluation of recommendations by propensity-weighted clicks, with a learned ranker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from tests.support.generate.vectors import vectors_of
from trainer.contract.errors import TrainerError
from trainer.evaluations.base import Vectors
from trainer.evaluations.recommendation import (
    UNLIKELY,
    UNSHOWN,
    Click,
    ClickPairs,
    Features,
    PaperMetadata,
    RecommendationTask,
    learn_to_rank,
    score_clicks,
)

PROPENSITY = [0.5, 0.25, 0.15, 0.1]


@pytest.fixture
def case(shared: Path) -> dict[str, Any]:
    path = shared / "golden" / "scidocs_recomm_propensity.json"
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_click_scores_match_reference_values(case: dict[str, Any]) -> None:
    clicks, expected, slack = case["inputs"]["clicks"], case["expected"], case["tolerance_abs"]
    found = score_clicks(
        [click["scores"] for click in clicks],
        [click["clicked_index"] for click in clicks],
        case["inputs"]["propensity"],
    )
    assert found.weights == pytest.approx(expected["weights"], abs=slack)
    assert found.above == pytest.approx(expected["ranked_above"], abs=slack)
    for name in ("ndcg", "p_at_1", "mrr"):
        values = getattr(found, name)
        assert values == pytest.approx(expected[name], abs=slack)
        adjusted = np.average(values, weights=found.weights)
        assert adjusted == pytest.approx(expected[f"adj_{name}"], abs=slack)
    assert found.ndcg.mean() == pytest.approx(expected["raw_ndcg"], abs=slack)
    assert found.p_at_1.mean() == pytest.approx(expected["raw_p_at_1"], abs=slack)


def some_clicks(count: int, seed: int) -> tuple[list[Click], dict[str, list[float]]]:
    """Of four papers shown, the one nearest to the query is clicked."""
    rng = np.random.default_rng(seed)
    clicks, vectors = [], {}
    for number in range(count):
        query, shown = f"{seed}q{number}", [f"{seed}p{number}_{place}" for place in range(4)]
        vectors |= {paper: rng.normal(size=8).tolist() for paper in (query, *shown)}
        near = shown[number % 4]
        vectors[near] = (np.array(vectors[query]) * 3 + rng.normal(size=8) / 4).tolist()
        clicks.append(Click(query, near, shown))
    return clicks, vectors


def task(**changes: Any) -> tuple[RecommendationTask, dict[str, list[float]]]:
    (train, a), (validation, b), (test, c) = (some_clicks(n, n) for n in (150, 20, 40))
    plain = {"train": train, "validation": validation, "test": test, "propensity": PROPENSITY}
    return RecommendationTask(**({**plain, "papers": {}, "runs": 2} | changes)), a | b | c


def test_recommendation_informative_vectors_rank_clicks_first() -> None:
    recommendation, vectors = task()
    knowing = recommendation(vectors_of(vectors), None, 0)
    assert knowing.value("adj_p@1") > 0.9
    assert knowing.value("adj_ndcg") > 0.95
    rng = np.random.default_rng(0)
    guessed = {paper: rng.normal(size=8) for paper in vectors}
    guessing = recommendation(vectors_of(guessed), None, 0)
    assert guessing.value("adj_p@1") < 0.6
    assert [score.seeds for score in guessing.scores] == [2, 2]
    assert guessing.items["adj_p@1"].weights is not None


def test_run_is_deterministic_and_leaves_the_global_seed_alone() -> None:
    recommendation, vectors = task(runs=1)
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    first, again = (recommendation(vectors_of(vectors), None, 3) for _ in range(2))
    assert torch.rand(1) == expected
    assert first.scores == again.scores


def test_unusable_clicks_are_counted() -> None:
    plain, vectors = task()
    odd = [Click("q", "x", ["y", "z"]), Click("q", "x", ["x"]), Click("q", "x", [*"abcdx"])]
    recommendation, _ = task(test=[*plain.test, *odd], runs=1)
    outcome = recommendation(vectors_of(vectors), None, 0)
    missing = "papers without a vector, treated as dissimilar to all papers"
    assert outcome.excluded == {UNSHOWN: 1, UNLIKELY: 1, missing: 8}
    assert outcome.scores[0].n == len(plain.test) + 1
    with pytest.raises(TrainerError, match="0 training clicks"):
        task(train=odd)[0](vectors_of(vectors), None, 0)


def test_click_on_the_only_paper_counts_but_trains_nothing() -> None:
    plain, vectors = task()
    alone = Click("q", "x", ["x"])
    before, _ = task(runs=1)
    after, _ = task(train=[*plain.train, alone], test=[*plain.test, alone], runs=1)
    first, then = (each(vectors_of(vectors), None, 0).items["adj_ndcg"] for each in (before, after))
    assert list(then.values) == pytest.approx([*first.values, 1.0])


PAPERS = {
    "q": PaperMetadata("Deep nets, deep trouble", ["ann", "bob"], 2010, ["c", "x"], ["y"]),
    "c": PaperMetadata("Deep trouble", ["bob", "cy"], 1980, ["x"], ["y", "z", "y"]),
    "d": PaperMetadata("", [], 2030, ["q"], []),
}


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_ranker_has_eleven_features(kind: type) -> None:
    vectors = Vectors(["q", "c", "d"], kind(np.array([[3.0, 4.0], [3.0, 0.0], [0.0, 0.0]])))
    near, far, lost = Features(vectors, PAPERS).of_click(Click("q", "c", ["c", "d", "lost"]))
    shared_words = 2 / 5  # shared words: 2 of 5 (Deep trouble; Deep nets , deep trouble)
    expected = [1 / 3, 0, shared_words, 0.6, 1 / 2, 1 / 2, 0, 1, 1, 1, np.log(3) / 10]
    assert near == pytest.approx(expected)
    assert far == pytest.approx([0, 0, 0, 0, 0, 0, 1, 0, -0.5, -1, 0])
    assert lost == pytest.approx(np.zeros(11))


def test_missing_titles_count_as_equal() -> None:
    vectors = Vectors(["q"], np.ones((1, 2)))
    (numbers,) = Features(vectors, {"p": PaperMetadata(year=2000)}).of_click(Click("q", "p", ["p"]))
    assert numbers[2] == 1


def test_propensity_of_position_is_fixed_only_on_request() -> None:
    clicks, vectors = some_clicks(8, 0)
    features = Features(vectors_of(vectors), {})
    released = ClickPairs.of(features, clicks, PROPENSITY, fix_position=False)
    assert released.propensity.tolist() == pytest.approx([0.4] * 24)
    assert not released.clicked[:, 1].any()
    mended = ClickPairs.of(features, clicks, PROPENSITY, fix_position=True)
    assert mended.propensity[:12].tolist() == pytest.approx(
        [2] * 3 + [1] * 3 + [0.6] * 3 + [0.4] * 3
    )
    assert mended.clicked[:6, 1].tolist() == pytest.approx([0.1] * 3 + [0.2] * 3)
    assert mended.other[:3, 1].tolist() == pytest.approx([0.2, 0.3, 0.4])


def test_ranker_keeps_the_epoch_of_lowest_validation_loss() -> None:
    (train, one), (validation, other) = some_clicks(100, 1), some_clicks(30, 2)
    # The validation clicks contradict the training clicks.
    upside_down = [click._replace(clicked=click.shown[click.place - 1]) for click in validation]
    features = Features(vectors_of(one | other), {})
    good, early = (
        learn_to_rank(features, train, held_out, PROPENSITY, seed=0)
        for held_out in (validation, upside_down)
    )
    near, *_, far = np.sort(features.of_click(validation[0])[:, 3])[::-1]
    row = np.zeros((2, 11), np.float32)
    row[:, 3] = near, far

    def gap(ranker: Any) -> float:
        high, low = ranker.scores(row)
        return float(high - low)

    assert gap(good) > gap(early)
