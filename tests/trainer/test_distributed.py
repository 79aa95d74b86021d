from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import torch
import torch.distributed as dist

from tests.support import rank_work
from tests.support.ranks import ended, start_ranks
from trainer.contract.errors import TrainerError
from trainer.distributed import Ranks
from trainer.rendezvous import agree_on_run_id

ALONE = Ranks.alone("cpu")
IN_STEP = (
    "shared_contrast",
    "uneven_sums",
    "sharded_sums",
    "single_sums",
    "sharded_steps",
    "second_stage",
    "layer_by_layer",
    "words",
)


@pytest.fixture(scope="module")
def of_two() -> dict[str, list[Any]]:
    """What each of two ranks found, by the name of the work."""
    ranks = ended(start_ranks(2, "tests.support.rank_work", *IN_STEP))
    assert [rank.code for rank in ranks] == [0, 0], ranks
    found = [[json.loads(line) for line in rank.out.splitlines()] for rank in ranks]
    return {name: [rank[at] for rank in found] for at, name in enumerate(IN_STEP)}


def close(found: Any, expected: Any, tolerance: float = 1e-12) -> None:
    for one, other in zip(found, expected, strict=True):
        if other is None:  # no gradient, or none but zeros
            assert not one or not torch.tensor(one).any()
        else:
            torch.testing.assert_close(
                torch.tensor(one, dtype=torch.float64),
                torch.tensor(other, dtype=torch.float64),
                rtol=0,
                atol=tolerance,
            )


def test_gradients_through_gathered_negatives_equal_those_of_the_whole_batch(of_two):
    model = rank_work.small_model()
    found = model(rank_work.examples())
    (rank_work.contrast(found[:, 0], found[:, 1]) / rank_work.EXAMPLES).backward()
    for rank in of_two["shared_contrast"]:
        close(rank, rank_work.gradients(model))


@pytest.mark.parametrize("name", ["uneven_sums", "sharded_sums"])
def test_unequal_shares_in_unequal_micro_batches_sum_to_the_whole(of_two, name):
    model = rank_work.small_model()
    model(rank_work.examples()).square().sum().backward()
    for rank in of_two[name]:
        close(rank, rank_work.gradients(model))


def test_single_precision_is_summed_alike(of_two):
    model = rank_work.small_model()
    model(rank_work.examples()).square().sum().backward()
    for rank in of_two["single_sums"]:
        close(rank, rank_work.gradients(model), 1e-5)


def test_a_model_spread_over_ranks_learns_what_a_whole_one_learns(of_two):
    norm, parameters = rank_work.sharded_steps(ALONE, fsdp=False)
    for found_norm, found in of_two["sharded_steps"]:
        assert found_norm == pytest.approx(norm, abs=1e-9)
        close(found, parameters)


def test_what_was_spread_in_one_stage_goes_on_in_the_next(of_two):
    expected = rank_work.second_stage(ALONE, fsdp=False)
    for found in of_two["second_stage"]:
        close(found, expected)


def test_of_a_spread_model_no_more_than_a_layer_is_whole_at_once(of_two):
    assert of_two["layer_by_layer"] == [[1, 1, 0]] * 2


def test_ranks_tell_each_other_what_they_have(of_two):
    expected = [{"step": 7, "words": "größer"}, [3.0, 1.0], True, False, [[True, True]], [0, 1]]
    assert of_two["words"] == [expected, expected]


@pytest.mark.parametrize("name", ["death", "silence"])
def test_the_loss_of_a_rank_is_told_in_a_sentence(name):
    first, other = start_ranks(2, "tests.support.rank_work", name)
    (left,) = ended([first])
    other.kill()
    other.communicate()
    assert left.code == 1
    assert "Rank 0 of 2 waits for a rank that died or hangs." in left.err
    assert "Traceback" not in left.err


def test_no_rank_leaves_before_the_others_are_done(tmp_path, monkeypatch):
    monkeypatch.setenv("LATE", str(tmp_path / "late"))
    first, other = start_ranks(2, "tests.support.rank_work", "lateness")
    (left,) = ended([first])
    assert (left.code, (tmp_path / "late").exists()) == (0, True), left.err
    assert [rank.code for rank in ended([other])] == [0]


def test_one_rank_needs_no_others():
    assert ALONE.main
    rows = torch.ones(2, 3, requires_grad=True)
    assert ALONE.gather(rows) is rows
    assert ALONE.total([1, 2.5]) == [1.0, 2.5]
    assert ALONE.agreed(True)
    assert ALONE.broadcast([1]) == [1]
    model = rank_work.small_model()
    assert ALONE.wrap(model) is model


def test_a_wrong_environment_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "first")
    with pytest.raises(TrainerError, match="RANK is 'first', not a number"):
        Ranks.from_environment("cpu")
    monkeypatch.setenv("RANK", "2")
    with pytest.raises(TrainerError, match="RANK is 2, where WORLD_SIZE is 2"):
        Ranks.from_environment("cpu")


def test_ranks_that_are_started_again_do_not_look_for_the_dead():
    store, gone = dist.HashStore(), set()
    for _ in range(3):  # each time with what the time before has left in the store
        with ThreadPoolExecutor(3) as threads:
            names = list(
                threads.map(
                    lambda rank: agree_on_run_id(store, rank, 3, timedelta(seconds=30)), (2, 1, 0)
                )
            )
        assert len(set(names)) == 1
        assert names[0] not in gone
        gone.add(names[0])


@pytest.mark.parametrize(
    ("name", "there", "said"),
    [
        ("cuda", 0, "no GPU of number 0: this machine shows 0. Without --device"),
        ("cuda:2", 2, "no GPU of number 2: this machine shows 2. Start at most 2 processes"),
        ("tpu", 2, "no device 'tpu'. Name one as torch does"),
    ],
)
def test_a_device_that_is_not_there_is_told(name, there, said, monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: there)
    with pytest.raises(TrainerError) as raised:
        Ranks.alone(name)
    assert said in f"{raised.value.message} {raised.value.hint}"
