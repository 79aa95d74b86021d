"""A minimal training loop for tests of methods."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch

from trainer.contract.catalog import recipe_of
from trainer.data.corpus.corpus import Corpus
from trainer.methods.base import Method, Setup, TrainingStage
from trainer.methods.registry import METHODS


def setup(corpus: Corpus, base: Path, recipe: str, **changes: Any) -> Setup:
    """Settings of a recipe, sized for tests/support/models/tiny_model.py."""
    spec, recipe = recipe_of(recipe)
    settings = spec.resolve(recipe, {"max_tokens": 40, "read_tokens": 0, "dropout": 0.0} | changes)
    torch.manual_seed(1)
    return Setup(corpus, base, base.parent, settings, seed=1)


def make(corpus: Corpus, base: Path, recipe: str, **changes: Any) -> Method:
    """The method of this recipe, ready to train."""
    spec, _ = recipe_of(recipe)
    return METHODS[spec.key](setup(corpus, base, recipe, **changes))


def learn(stage: TrainingStage, steps: int = 400, *, enough: float = 0.1) -> list[float]:
    """Train on all examples in every step, until a share `enough` of the first loss is left; return
    the losses."""
    weights = [weight for weight in stage.model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, 3e-3, weight_decay=0.0)
    numbers = np.arange(len(stage.train))
    found: list[float] = []
    with _one_thread():
        while len(found) < steps and (not found or found[-1] > enough * found[0]):
            batch = stage.train.batch(numbers, numbers, key=1)
            total, count = stage.loss(stage.model(batch.texts), batch)
            optimizer.zero_grad()
            (total / count).backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            found.append(total.item() / count)
    return found


@contextmanager
def _one_thread() -> Iterator[None]:
    # So little work is faster on one thread.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
