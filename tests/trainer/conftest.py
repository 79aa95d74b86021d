"""Shared fixtures of the training tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.support.models.small_runs import small_base, small_corpus, small_recipe
from trainer.contract.run import Recipe


@pytest.fixture(scope="session")
def corpus_for_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a corpus with the data of every method."""
    return small_corpus(tmp_path_factory.mktemp("corpus") / "corpus")


@pytest.fixture(scope="session")
def tiny_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a base model."""
    return small_base(tmp_path_factory.mktemp("base") / "tiny")


@pytest.fixture(scope="session")
def recipe_of(corpus_for_all: Path, tiny_base: Path) -> Callable[..., Recipe]:
    """Return a function that makes recipes for that corpus and base model."""

    def make(method: str, **changes: Any) -> Recipe:
        return small_recipe(method, corpus_for_all, tiny_base, **changes)

    return make


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use no models or vectors of the user."""
    monkeypatch.setenv("SCIREAD_HOME", str(tmp_path / "home"))


@pytest.fixture
def one_thread() -> Iterator[None]:
    """More threads would only wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
