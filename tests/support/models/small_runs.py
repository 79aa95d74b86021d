"""Runs of all methods, sized for tests/support/models/tiny_model.py, that end in seconds."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from tests.support.generate.corpus import full_text, make_corpus
from tests.support.models.tiny_model import SPECIAL, WORDS, tiny_package
from trainer.contract.run import Recipe

PAPERS = 100
_COMMON: dict[str, Any] = {"max_tokens": 40, "batch_size": 8, "epochs": 1, "learning_rate": 1e-3}
_SETTINGS: dict[str, dict[str, Any]] = {
    "library": {"examples": 40, "scored": 20, "read_tokens": 0},
    "specter": {"batch_size": 32},
    "multi2spe": {"batch_size": 32},
    "miread": {"min_papers": 2, "recent_year": 0, "epochs": 2, "warmup": 0.1},
    "physbert": {
        "vocabulary": 100,
        "mlm_short": 16,
        "mlm_short_epochs": 1,
        "mlm_long": 32,
        "mlm_long_epochs": 1,
        "mlm_batch_size": 8,
        "merge": False,
        "min_papers": 2,
        "category_pairs": 16,
        "citation_pairs": 16,
        "question_pairs": 16,
        "together": 8,
        "scored": 100,
    },
}
METHODS = tuple(_SETTINGS)


def small_corpus(
    folder: Path, papers: int = PAPERS, *, full_texts: bool = False, **settings: Any
) -> Path:
    """Make a corpus with the data of every method, and with full texts if requested; `settings` as
    in `make_corpus`."""
    chance = random.Random(1)
    given = [
        {
            "venue": f"Journal {number % 3}",
            "fields": (f"field{number % 3}",),
            "questions": (f"deep graph {number} study",),
        }
        | ({"title": f"deep study {number}", "full_text": full_text(number)} if full_texts else {})
        for number in range(papers)
    ]
    citations = [
        (citing, cited)
        for citing in range(papers)
        for cited in chance.sample(range(papers), 4)
        if cited != citing
    ]
    return make_corpus(folder, given, citations, **settings).folder


def small_base(folder: Path) -> Path:
    """Make a base model, with unused tokens for several [CLS]."""
    unused = [f"[unused{number}]" for number in range(1, 5)]
    return tiny_package(folder, vocabulary=[*SPECIAL, *unused, *WORDS]).folder


def small_recipe(method: str, corpus: Path, base: Path, **changes: Any) -> Recipe:
    settings = _COMMON | _SETTINGS[method] | {"base": str(base)} | changes
    return Recipe.named(method, corpus, changes=settings)
