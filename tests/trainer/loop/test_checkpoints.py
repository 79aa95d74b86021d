"""Checkpoints on disk: atomic, and only the last two and the best are kept."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from trainer.contract.errors import TrainerError
from trainer.loop.checkpoints import (
    Checkpoints,
    load_model,
    load_optimizer,
    model_tensors,
    optimizer_tensors,
)
from trainer.loop.optimizer import adamw, optimizer_step
from trainer.methods.base import OptimizationPlan


class Tied(nn.Module):
    """A head tied to the embedding, as in masked language modelling, and a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(5, 3)
        self.head = nn.Linear(3, 5)
        self.head.weight = self.words.weight
        self.register_buffer("seen", torch.zeros(2))


def trained(steps: int) -> tuple[nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(1)
    model = Tied()
    optimizer = adamw(model, OptimizationPlan(learning_rate=0.1))
    train_steps(model, optimizer, steps)
    return model, optimizer


def train_steps(model: nn.Module, optimizer: torch.optim.Optimizer, steps: int) -> None:
    for _ in range(steps):
        model.head(model.words(torch.arange(5))).square().sum().backward()
        model.seen += 1
        optimizer_step(optimizer, 0.1, 5, clip=1.0)


def save(checkpoints: Checkpoints, step: int, best: int = 0) -> None:
    model, optimizer = trained(step)
    tensors = model_tensors(model), optimizer_tensors(model, optimizer)
    checkpoints.save(step, {"number": step}, *tensors, best)


def same(model: nn.Module, other: nn.Module) -> bool:
    pairs = zip(model.state_dict().values(), other.state_dict().values(), strict=True)
    return all(torch.equal(*pair) for pair in pairs)


def test_loaded_checkpoint_continues_like_the_saved_model(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path / "checkpoint")
    save(checkpoints, 3)
    found = checkpoints.last(pytest.fail)
    assert found and (found.step, found.state) == (3, {"number": 3})
    model, optimizer = trained(0)
    load_model(model, found.model())
    load_optimizer(model, optimizer, found.optimizer())
    assert same(model, trained(3)[0])
    assert model.head.weight is model.words.weight
    train_steps(model, optimizer, 2)
    assert same(model, trained(5)[0])


def test_last_two_and_best_checkpoints_are_kept(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    for step in range(1, 6):
        save(checkpoints, step, best=2)
    assert sorted(path.name[-1] for path in tmp_path.iterdir()) == ["2", "4", "5"]


def test_last_without_checkpoints_is_none(tmp_path: Path) -> None:
    assert Checkpoints(tmp_path / "nowhere").last(pytest.fail) is None


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.safetensors", "state.json"])
@pytest.mark.parametrize("how", ["cut", "changed", "gone"])
def test_any_damage_is_detected(tmp_path: Path, name: str, how: str) -> None:
    checkpoints = Checkpoints(tmp_path)
    save(checkpoints, 1)
    save(checkpoints, 2)
    path = tmp_path / "step-00000002" / name
    text = path.read_bytes()
    if how == "gone":
        path.unlink()
    else:
        other = text[:-9] + bytes([text[-9] ^ 1]) + text[-8:]
        path.write_bytes(text[:-9] if how == "cut" else other)
    messages: list[str] = []
    found = checkpoints.last(messages.append)
    assert found and found.step == 1
    assert "step 2 is damaged" in messages[0]
    (kept,) = tmp_path.glob("*.damaged")
    assert kept.name in messages[0]
    if name != "state.json":
        assert (kept / "state.json").exists()


def test_intact_weights_survive_damaged_state_files(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    for _ in range(2):
        save(checkpoints, 1)
        save(checkpoints, 2)
        for state in tmp_path.glob("step-*/state.json"):
            if not state.parent.name.endswith(".damaged"):
                state.write_text("{")
        messages: list[str] = []
        with pytest.raises(TrainerError, match="All checkpoints"):
            checkpoints.last(messages.append)
        assert len(messages) == 2
        assert checkpoints.last(pytest.fail) is None
    for step in (1, 2):
        kept = sorted(tmp_path.glob(f"step-{step:08}*.damaged"))
        assert len(kept) == 2
        for folder in kept:
            model = trained(0)[0]
            load_model(model, load_file(folder / "model.safetensors"))
            assert same(model, trained(step)[0])


def test_checkpoint_of_another_version_is_left_alone(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    save(checkpoints, 1)
    state = tmp_path / "step-00000001" / "state.json"
    state.write_text(state.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(TrainerError, match="another version"):
        checkpoints.last(pytest.fail)
    assert state.exists()


def test_checkpoint_of_another_model_is_refused(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    save(checkpoints, 1)
    found = checkpoints.read(1)
    with pytest.raises(TrainerError, match=r"another model: weight does not match"):
        load_model(nn.Linear(3, 5), found.model())


def test_leftovers_of_a_full_disk_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints = Checkpoints(tmp_path)
    save(checkpoints, 1)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("trainer.loop.checkpoints.write_atomically", full)
    with pytest.raises(TrainerError, match="step 2 could not be written: the disk is full"):
        save(checkpoints, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000001"]
