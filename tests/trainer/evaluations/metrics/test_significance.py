"""Confidence intervals, paired differences, and the file of the items behind them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from tests.support.generate.report import items
from trainer.contract.errors import TrainerError
from trainer.evaluations.metrics.significance import (
    ITEMS,
    Items,
    bootstrap_ci,
    paired_difference,
    read_items,
    weighted_mean,
    write_items,
)


@pytest.mark.parametrize("count", [300, 2_000, 2_001, 20_000])
def test_bootstrap_ci_width_matches_standard_error(count):
    values = np.random.default_rng(1).normal(0.5, 0.1, count)
    low, high = bootstrap_ci(items(values), seed=1)
    error = values.std() / np.sqrt(count)
    assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.2 * error)
    assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.2 * error)


def test_confidence_interval_has_nominal_coverage():
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(200):
        low, high = bootstrap_ci(items(rng.random(60)), seed=3, draws=400)
        held += low <= 0.5 <= high
    assert 0.88 <= held / 200 <= 0.99


def test_interval_is_deterministic_for_a_seed():
    found = items(np.random.default_rng(1).random(50))
    assert bootstrap_ci(found, 4) == bootstrap_ci(found, 4) != bootstrap_ci(found, 5)


@pytest.mark.parametrize("count", [100, 5_000])
def test_weights_affect_mean_and_interval(count):
    rng = np.random.default_rng(1)
    values, weights = rng.random(count), rng.integers(0, 2, count)
    weighed = Items(items(values).ids, values, weights)
    only = items(values[weights == 1])
    assert weighted_mean(weighed) == pytest.approx(weighted_mean(only))
    assert bootstrap_ci(weighed, 1) == pytest.approx(bootstrap_ci(only, 1), abs=0.01)


def test_single_item_has_no_interval_and_none_no_mean():
    assert bootstrap_ci(items([0.3]), 1) == (None, None)
    with pytest.raises(ValueError, match="requires items"):
        weighted_mean(items([]))


def random_predictions(seed, count=900, labels=5, right=0.7):
    rng = np.random.default_rng(seed)
    y_true = rng.choice(labels, count, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    return y_true, np.where(rng.random(count) < right, y_true, rng.integers(0, labels, count))


def test_macro_f1_items_average_to_macro_f1():
    y_true, predicted = random_predictions(1)
    found = Items.of_macro_f1(items(y_true).ids, y_true, predicted)
    assert weighted_mean(found) == pytest.approx(f1_score(y_true, predicted, average="macro"))


def test_macro_f1_interval_equals_resampling_of_papers():
    y_true, predicted = random_predictions(2)
    rng = np.random.default_rng(3)
    drawn = []
    for _ in range(300):
        rows = rng.integers(0, len(y_true), len(y_true))
        drawn.append(f1_score(y_true[rows], predicted[rows], average="macro"))
    low, high = np.percentile(drawn, (2.5, 97.5))
    found = bootstrap_ci(Items.of_macro_f1(items(y_true).ids, y_true, predicted), 1)
    assert found[1] - found[0] == pytest.approx(high - low, rel=0.12)
    assert found == pytest.approx((low, high), abs=0.01)


def test_paired_test_detects_difference_hidden_by_intervals():
    rng = np.random.default_rng(1)
    easy = rng.random(400)
    first, second = items(easy), items(easy + 0.01 + 0.02 * rng.normal(size=400))
    assert bootstrap_ci(first, 1)[1] > bootstrap_ci(second, 1)[0]
    found = paired_difference(first, second, 1)
    assert found.low > 0 and found.p_value < 0.001
    assert found.value == pytest.approx(weighted_mean(second) - weighted_mean(first))


def test_equal_items_have_no_difference():
    found = paired_difference(items([0.1, 0.5] * 20), items([0.1, 0.5] * 20), 1)
    assert (found.value, found.low, found.high, found.p_value) == (0, 0, 0, 1)


def test_paired_test_has_nominal_false_positive_rate():
    rng = np.random.default_rng(5)
    alarms = sum(
        paired_difference(items(rng.random(80)), items(rng.random(80)), 1, draws=400).p_value < 0.05
        for _ in range(200)
    )
    assert alarms <= 22


@pytest.mark.parametrize("count", [6, 10, 14])
def test_paired_test_of_few_items_has_nominal_false_positive_rate(count):
    rng = np.random.default_rng(6)
    found = [
        paired_difference(items(np.zeros(count)), items(rng.normal(size=count)), 1, draws=800)
        for _ in range(400)
    ]
    assert sum(each.p_value < 0.05 for each in found) <= 32
    assert sum(each.p_value < 0.01 for each in found) <= 10
    assert sum(each.low <= 0 <= each.high for each in found) >= 0.92 * 400


def test_p_value_of_few_items_is_that_of_the_permutation_test():
    sure = paired_difference(items(np.zeros(10)), items(np.linspace(0.1, 0.2, 10)), 1)
    assert sure.p_value == 2 / 2**10
    assert paired_difference(items(np.zeros(6)), items([1.0, 1, 1, 1, 1, -1]), 1).p_value == 14 / 64


def test_paired_difference_of_five_items_is_not_significant():
    found = paired_difference(items([0.0] * 5), items([1.0] * 5), 1)
    assert (found.value, found.low, found.high, found.p_value) == (1, None, None, 1)


def test_items_of_different_papers_or_weights_cannot_be_paired():
    values = np.ones(9)
    with pytest.raises(ValueError, match="items differ"):
        paired_difference(items(values), items(values, "other"), 1)
    with pytest.raises(ValueError, match="weights"):
        paired_difference(items(values), Items(items(values).ids, values, 2 * values), 1)


@pytest.mark.parametrize("values", [[1.0, float("nan")], [[1.0, 2.0]], [1.0, 2.0, 3.0]])
def test_items_must_be_finite_and_match_the_ids(values):
    with pytest.raises(ValueError, match="item"):
        Items(["a", "b"], np.array(values))


names = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0/"), min_size=1)


@given(
    task=st.one_of(names, st.just("a/b")),
    metric=names.filter(lambda name: name not in (".", "..")),
    kept=st.dictionaries(names, st.floats(-1e9, 1e9), max_size=6),
    weighed=st.booleans(),
)
def test_items_round_trip_is_lossless(tmp_path_factory, task, metric, kept, weighed):
    folder = tmp_path_factory.mktemp("items")
    values = np.array(list(kept.values()), float)
    written = Items(list(kept), values, np.abs(values) if weighed else None)
    write_items(folder, {task: {metric: written}})
    found = read_items(folder)[task][metric]
    assert list(found.ids) == list(kept)
    assert np.array_equal(found.values, values)
    assert np.array_equal(found.weights, written.weights) if weighed else found.weights is None


def test_report_without_items_file_has_none(tmp_path):
    assert read_items(tmp_path) == {}


def test_truncated_items_file_is_refused_by_name(tmp_path):
    write_items(tmp_path, {"cite": {"map": items(np.arange(2_000.0))}})
    whole = (tmp_path / ITEMS).read_bytes()
    for cut in (0, 3, 100, len(whole) // 2, len(whole) - 5):
        (tmp_path / ITEMS).write_bytes(whole[:cut])
        with pytest.raises(TrainerError, match=r"items\.npz is damaged"):
            read_items(tmp_path)


@pytest.mark.parametrize(
    "columns",
    [
        {"cite/map/ids": np.array(["a"]), "cite/map/values": np.array([object()])},
        {"cite/map/ids": np.array(["a"]), "cite/map/values": np.array([1.0, 2.0])},
        {"cite/map/ids": np.array([1.0]), "cite/map/values": np.array([1.0])},
        {"cite/map/ids": np.array(["a"]), "cite/map/values": np.array([np.nan])},
        {"cite/map/values": np.array([1.0])},
        {"values": np.array([1.0])},
    ],
)
def test_read_items_of_damaged_file_raises_error(tmp_path, columns):
    np.savez(tmp_path / ITEMS, **columns)
    with pytest.raises(TrainerError, match="damaged"):
        read_items(tmp_path)
