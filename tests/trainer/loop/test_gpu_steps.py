"""Steps on a GPU, for which torch's meta device stands: its tensors have no values to wait for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from trainer.contract.run import Recipe
from trainer.distributed import Ranks
from trainer.loop.setup import Options, prepare_run
from trainer.loop.steps import Steps
from trainer.machine import budget_for


class CopiesToDevice(TorchDispatchMode):
    """Records of each copy from the CPU whether it is asynchronous."""

    def __init__(self) -> None:
        super().__init__()
        self.asynchronous: list[bool] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.ops.aten._to_copy.default:
            to = kwargs.get("device")
            if args[0].device.type == "cpu" and to is not None and torch.device(to).type == "meta":
                self.asynchronous.append(bool(kwargs.get("non_blocking")))
        return func(*args, **kwargs)


@pytest.mark.parametrize("budget", [40, 100_000], ids=["in parts", "whole"])
@pytest.mark.parametrize(
    ("method", "changes"),
    [
        ("specter", {}),
        ("specter", {"negatives": "batch", "pooling": "mean"}),
        ("specter", {"pooling": "scalar_mix"}),
        ("multi2spe", {}),
        ("multi2spe", {"negatives": "batch"}),
        ("miread", {}),
        ("physbert", {}),
        ("physbert", {"pooling": "mean_no_special", "mask_same_label": True}),
    ],
)
def test_step_on_a_device_reads_none_of_its_values(
    method: str,
    changes: dict[str, Any],
    budget: int,
    tmp_path: Path,
    recipe_of: Callable[..., Recipe],
) -> None:
    recipe = recipe_of(method, **changes)
    prepared = prepare_run(
        recipe, tmp_path, Ranks.single_process("cpu"), Options("cpu"), lambda _: None
    )
    ranks = Ranks(0, 1, torch.device("meta"))
    for stage in prepared.method.stages:
        model = stage.model.to("meta", torch.bfloat16)
        steps = Steps(stage, model, ranks, seed=1, precision=torch.float32, budget=budget)
        work = steps.work(stage.train, np.arange(min(8, len(stage.train))), 1)
        with CopiesToDevice() as copies:
            loss = steps.gradients(work, 0)
        assert loss.total.device.type == "meta"
        assert any(parameter.grad is not None for parameter in model.parameters())
        assert copies.asynchronous
        assert all(copies.asynchronous)


def test_group_of_pairs_of_bert_base_fits_one_pass_on_a_large_gpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gpu = SimpleNamespace(total_memory=80 * 10**9)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: gpu)
    base = SimpleNamespace(layers=12, hidden=768)
    assert budget_for(torch.device("cuda"), base) >= 2 * 256 * 200
