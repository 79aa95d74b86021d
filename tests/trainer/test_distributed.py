from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import torch
import torch.distributed as dist

from tests.support.distributed import rank_work
from tests.support.distributed.ranks import ended, start_ranks
from trainer.contract.errors import TrainerError
from trainer.distributed import Ranks, agree_on_run_id

pytestmark = pytest.mark.usefixtures("forked_python")

ALONE = Ranks.single_process("cpu")
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
def results_of_two() -> dict[str, list[Any]]:
    """The results of each of two ranks, by name of the function."""
    ranks = ended(start_ranks(2, "tests.support.distributed.rank_work", *IN_STEP))
    assert [rank.code for rank in ranks] == [0, 0], ranks
    found = [[json.loads(line) for line in rank.out.splitlines()] for rank in ranks]
    return {name: [rank[at] for rank in found] for at, name in enumerate(IN_STEP)}


def close(found: Any, expected: Any, tolerance: float = 1e-12) -> None:
    for one, other in zip(found, expected, strict=True):
        if other is None:  # no gradient, or only zeros
            assert not one or not torch.tensor(one).any()
        else:
            torch.testing.assert_close(
                torch.tensor(one, dtype=torch.float64),
                torch.tensor(other, dtype=torch.float64),
                rtol=0,
                atol=tolerance,
            )


def test_gradients_through_gathered_negatives_equal_full_batch(results_of_two):
    model = rank_work.small_model()
    found = model(rank_work.examples())
    (rank_work.contrast(found[:, 0], found[:, 1]) / rank_work.EXAMPLES).backward()
    for rank in results_of_two["shared_contrast"]:
        close(rank, rank_work.gradients(model))


@pytest.mark.parametrize("name", ["uneven_sums", "sharded_sums"])
def test_gradients_of_unequal_micro_batches_equal_full_batch(results_of_two, name):
    model = rank_work.small_model()
    model(rank_work.examples()).square().sum().backward()
    for rank in results_of_two[name]:
        close(rank, rank_work.gradients(model))


def test_single_precision_gradients_equal_full_batch(results_of_two):
    model = rank_work.small_model()
    model(rank_work.examples()).square().sum().backward()
    for rank in results_of_two["single_sums"]:
        close(rank, rank_work.gradients(model), 1e-5)


def test_sharded_training_equals_unsharded(results_of_two):
    norm, parameters = rank_work.sharded_steps(ALONE, fsdp=False)
    for found_norm, found in results_of_two["sharded_steps"]:
        assert found_norm == pytest.approx(norm, abs=1e-9)
        close(found, parameters)


def test_sharded_model_continues_in_the_next_stage(results_of_two):
    expected = rank_work.second_stage(ALONE, fsdp=False)
    for found in results_of_two["second_stage"]:
        close(found, expected)


def test_sharded_model_gathers_one_layer_at_a_time(results_of_two):
    assert results_of_two["layer_by_layer"] == [[1, 1, 0]] * 2


def test_ranks_exchange_values(results_of_two):
    expected = [{"step": 7, "words": "größer"}, [3.0, 1.0], True, False, [[True, True]], [0, 1]]
    assert results_of_two["words"] == [expected, expected]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["death", "silence"])
def test_lost_rank_is_reported_in_one_sentence(name):
    first, other = start_ranks(2, "tests.support.distributed.rank_work", name)
    (left,) = ended([first])
    other.kill()
    ended([other])
    assert left.code == 1
    assert "Rank 0 of 2 waits for a rank that has crashed or hangs." in left.err
    assert "Traceback" not in left.err


def test_rank_waits_for_the_others_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setenv("LATE", str(tmp_path / "late"))
    first, other = start_ranks(2, "tests.support.distributed.rank_work", "lateness")
    (left,) = ended([first])
    assert (left.code, (tmp_path / "late").exists()) == (0, True), left.err
    assert [rank.code for rank in ended([other])] == [0]


def test_single_rank_needs_no_communication():
    assert ALONE.main
    rows = torch.ones(2, 3, requires_grad=True)
    assert ALONE.gather(rows) is rows
    assert ALONE.total([1, 2.5]) == [1.0, 2.5]
    assert ALONE.agreed(True)
    assert ALONE.broadcast([1]) == [1]
    model = rank_work.small_model()
    assert ALONE.wrap(model) is model


def test_invalid_environment_is_refused(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "first")
    with pytest.raises(TrainerError, match="RANK is 'first', not a number"):
        Ranks.from_environment("cpu")
    monkeypatch.setenv("RANK", "2")
    with pytest.raises(TrainerError, match="RANK is 2, but WORLD_SIZE is 2"):
        Ranks.from_environment("cpu")


def test_restarted_ranks_agree_on_a_new_run_id():
    store, gone = dist.HashStore(), set()
    for _ in range(3):  # each time with the leftovers of the previous run in the store
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
    ("name", "there", "expected"),
    [
        ("cuda", 0, "GPU 0 does not exist: this machine has 0. Omit --device"),
        ("cuda:2", 2, "GPU 2 does not exist: this machine has 2. Start at most 2 processes"),
        ("tpu", 2, "The device 'tpu' does not exist. Use a PyTorch device name"),
    ],
)
def test_missing_device_is_reported(name, there, expected, monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: there)
    with pytest.raises(TrainerError) as raised:
        Ranks.single_process(name)
    assert expected in f"{raised.value.message} {raised.value.hint}"
