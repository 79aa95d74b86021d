"""Base models without a pooler: training starts from a random one, with a note."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.models.small_loop import setup
from trainer.data.corpus.corpus import Corpus
from trainer.methods.registry import METHODS
from trainer.model.text_model import Backbone, TextModel

FEW = {"min_papers": 2, "recent_year": 0}


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize(
    ("method", "trains_it", "changes"),
    [
        ("specter", True, {"pooling": "pooler"}),
        ("specter", False, {"pooling": "cls"}),
        ("miread", True, {"head": "pooler", **FEW}),
        ("miread", False, {"head": "raw_cls", **FEW}),
    ],
)
def test_untrained_pooler_is_noted(
    corpus_for_all: Path,
    tiny_base: Path,
    tmp_path: Path,
    there: bool,
    method: str,
    trains_it: bool,
    changes: dict[str, Any],
) -> None:
    base = tiny_base
    if there:
        base = tmp_path / "with"
        TextModel(Backbone.load(tiny_base), "cls").save(base, tiny_base)
    heard: list[str] = []
    settled = setup(Corpus.open(corpus_for_all), base, method, **changes)
    METHODS[method](replace(settled, note=heard.append))
    notes = [messages for messages in heard if "has no pooler" in messages]
    assert len(notes) == (trains_it and not there)
