"""Estimates of time and memory by a dry run."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from rich.console import Console

from trainer.contract.errors import TrainerError
from trainer.contract.run import Recipe
from trainer.distributed import Ranks
from trainer.loop.dry_run import DryRunEstimate, dry_run, table
from trainer.loop.setup import Options
from trainer.machine import reset_peak_memory
from trainer.methods.registry import METHODS

pytestmark = pytest.mark.usefixtures("one_thread")


def test_each_stage_counts_its_own_memory(
    recipe_of: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[Any] = []
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", forgotten.append)
    monkeypatch.setattr(
        "trainer.loop.dry_run.reset_peak_memory", lambda _: reset_peak_memory(torch.device("cuda"))
    )
    recipe = recipe_of("physbert", mlm_long=0, max_steps=1)
    found = dry_run(recipe, Ranks.single_process("cpu"), Options())
    assert len(forgotten) == len(found) == 2


def test_missing_examples_are_explained_without_naming_a_file(
    recipe_of: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = SimpleNamespace(name="triples", train=[], model=torch.nn.Linear(1, 1))
    learns_nothing = SimpleNamespace(records={"triples": 0}, stages=[empty])
    monkeypatch.setitem(METHODS, "specter", lambda setup: learns_nothing)
    with pytest.raises(TrainerError, match="has no training examples") as failed:
        dry_run(recipe_of("specter"), Ranks.single_process("cpu"), Options())
    assert failed.value.hint == "Relax the settings that select examples."


def test_estimate_table_fits_eighty_columns() -> None:
    found = [
        DryRunEstimate(
            stage=stage,
            examples=12_345_678,
            steps=1_234_567,
            tokens=123_456_789_012,
            tokens_per_second=1_234_567.8,
            examples_per_second=12_345.6,
            timed=40,
            seconds=360_000,
            measuring=0,
            saving=0,
            memory=80_000_000_000,
            budget=0,
        )
        for stage in ("mlm_short", "mlm_long", "contrast")
    ]
    shown = StringIO()
    Console(file=shown, width=80).print(table(found))
    lines = [line.split() for line in shown.getvalue().splitlines()]
    assert ["tokens", *["123,456,789,012"] * 3] in lines
    assert ["examples/s", *["12,345.6"] * 3] in lines
    assert ["time", *["4", "d", "4", "h"] * 3] in lines
