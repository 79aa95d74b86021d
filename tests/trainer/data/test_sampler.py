import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trainer.data.rng import random_permutation
from trainer.data.sampler import homogeneous, micro_batches, of_step, share, step_count

LENGTHS = st.lists(st.integers(3, 512), max_size=80).map(lambda found: np.array(found, np.int64))


@given(st.integers(0, 200), st.integers(1, 40), st.integers(1, 5), LENGTHS)
def test_every_example_comes_once_per_epoch_for_any_world_size(count, batch_size, world, lengths):
    order = random_permutation(count, "examples", 1, 2)
    tokens = np.resize(lengths, count) if len(lengths) else np.full(count, 5)
    seen = []
    for step in range(step_count(count, batch_size)):
        numbers = of_step(order, batch_size, step)
        shares = [share(tokens[numbers], rank, world) for rank in range(world)]
        # Together the ranks have the same step as a single one.
        assert sorted(np.concatenate(shares).tolist()) == list(range(len(numbers)))
        assert max(map(len, shares)) - min(map(len, shares)) <= 1
        seen += numbers.tolist()
    assert sorted(seen) == list(range(count))


def test_last_smaller_batch_is_kept():
    order = np.arange(10)
    assert step_count(10, 4) == 3
    assert [of_step(order, 4, step).tolist() for step in range(3)] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9],
    ]


def test_ranks_have_about_the_same_work():
    tokens = 3 + random_permutation(512, "lengths")
    work = [tokens[share(tokens, rank, 8)].sum() for rank in range(8)]
    assert max(work) < 1.01 * min(work)


@given(LENGTHS, st.integers(1, 2_000))
def test_micro_batches_respect_the_budget_and_lose_nothing(lengths, budget):
    batches = micro_batches(lengths, budget)
    assert sorted(np.concatenate([[], *batches]).tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert lengths[batch].sum() <= budget or len(batch) == 1


@given(LENGTHS)
def test_micro_batches_are_sorted_by_length_longest_first(lengths):
    order = [place for batch in micro_batches(lengths, 600) for place in batch]
    assert lengths[order].tolist() == sorted(lengths.tolist(), reverse=True)


def test_micro_batches_are_merged_if_they_fit():
    lengths = np.array([100, 300, 50, 50])
    assert [lengths[batch].sum() for batch in micro_batches(lengths, 400)] == [400, 100]


@given(st.lists(st.integers(0, 3), max_size=120), st.integers(1, 9), st.integers(0, 5))
def test_homogeneous_batches_have_one_source_and_lose_nothing(sources, batch_size, epoch):
    sources = np.array(sources, np.uint8)
    order = homogeneous(sources, batch_size, 1, epoch)
    assert sorted(order.tolist()) == list(range(len(sources)))
    whole = sum(count // batch_size for count in np.bincount(sources))
    for step in range(whole):
        assert len(set(sources[of_step(order, batch_size, step)].tolist())) == 1


def test_homogeneous_batches_are_shuffled():
    sources = np.repeat([0, 1], 400)
    first = sources[homogeneous(sources, 4, 3, 0)[::4]]
    assert 0 < first[:100].sum() < 100
