import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainer.data.rng import (
    random_integers,
    random_permutation,
    random_sample,
    random_uniform,
    stateless_bits,
)

KEYS = st.lists(st.integers(0, 2**63) | st.text(max_size=5), min_size=1, max_size=4)


@given(KEYS)
def test_value_of_a_key_is_independent_of_other_keys(key):
    every = stateless_bits(*key, np.arange(100))
    assert [int(stateless_bits(*key, number)) for number in (3, 50, 99)] == every[
        [3, 50, 99]
    ].tolist()


def test_keys_differ_by_type_and_order():
    keys = [(), (0,), (0, 0), (1, 0), (0, 1), ("a",), ("a", 0), (0, "a"), ("0",), (2**64 - 1,)]
    assert len({int(stateless_bits(*key)) for key in keys}) == len(keys)


def test_bits_of_neighbouring_keys_are_uncorrelated():
    grid = stateless_bits("grid", np.arange(300)[:, None], np.arange(300))
    ones = np.unpackbits(grid.view(np.uint8)).mean()
    flipped = np.unpackbits((grid[:, 1:] ^ grid[:, :-1]).view(np.uint8)).mean()
    assert ones == pytest.approx(0.5, abs=0.002)
    assert flipped == pytest.approx(0.5, abs=0.002)
    assert len(np.unique(grid)) == grid.size


def test_uniform_numbers_fill_the_interval_evenly():
    counts, _ = np.histogram(random_uniform("u", 7, np.arange(200_000)), bins=20, range=(0, 1))
    assert counts.sum() == 200_000
    assert np.abs(counts / 10_000 - 1).max() < 0.05


@given(st.integers(1, 2**32 - 1), st.integers(0, 2**63))
def test_random_integers_are_below_the_limit(limit, key):
    drawn = random_integers(limit, key, np.arange(50))
    assert drawn.min() >= 0
    assert drawn.max() < limit


def test_random_integers_are_uniform():
    counts = np.bincount(random_integers(7, "sevens", np.arange(70_000)), minlength=7)
    assert np.abs(counts / 10_000 - 1).max() < 0.05


@given(st.integers(0, 300), KEYS)
def test_permutation_keeps_every_number(count, key):
    assert sorted(random_permutation(count, *key).tolist()) == list(range(count))


def test_permutation_depends_only_on_the_key():
    assert random_permutation(100, 1, 2).tolist() != random_permutation(100, 1, 3).tolist()
    assert random_permutation(100, 1, 2).tolist() == random_permutation(100, 1, 2).tolist()


@given(st.integers(0, 60), st.integers(0, 60), KEYS)
def test_sample_is_distinct_sorted_and_limited(count, limit, key):
    found = random_sample(count, limit, *key)
    assert len(found) == min(count, limit)
    assert sorted(set(found.tolist())) == found.tolist()
    assert all(0 <= number < limit for number in found)


def test_sample_includes_every_number_equally_often():
    counts = sum(
        np.bincount(random_sample(20, 100, "choice", lap), minlength=100) for lap in range(2_000)
    )
    assert np.abs(counts / 400 - 1).max() < 0.2
