"""What a training would take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from rich.console import Console

from trainer.contract.run import Recipe
from trainer.distributed import Ranks
from trainer.loop.begin import Options
from trainer.loop.dry_run import dry_run
from trainer.machine import forget_memory

pytestmark = pytest.mark.usefixtures("one_thread")


def test_each_stage_counts_its_own_memory(
    recipe_of: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[Any] = []
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", forgotten.append)
    monkeypatch.setattr(
        "trainer.loop.dry_run.forget_memory", lambda _: forget_memory(torch.device("cuda"))
    )
    recipe = recipe_of("physbert", mlm_long=0, max_steps=1)
    found = dry_run(recipe, Ranks.alone("cpu"), Options(), Console(quiet=True))
    assert len(forgotten) == len(found) == 2
