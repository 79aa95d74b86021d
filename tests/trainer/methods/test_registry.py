"""The registered methods match the catalogue, and every recipe can be built."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.models.small_loop import make
from tests.support.models.small_runs import small_base, small_corpus
from trainer.contract.catalog import METHODS as SPECS
from trainer.data.corpus.corpus import Corpus
from trainer.methods.registry import METHODS

RECIPES = [name for spec in SPECS for name in spec.recipes]
# Settings that a corpus of sixty papers and a model of 64 positions need.
SMALL = {
    "library": {"examples": 60},
    "miread": {"min_papers": 2, "recent_year": 0},
    "physbert": {"min_papers": 2, "category_pairs": 20, "vocabulary": 100},
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus.open(small_corpus(tmp_path_factory.mktemp("known") / "corpus"))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_base(tmp_path_factory.mktemp("base") / "tiny")


def test_catalogue_and_registry_have_the_same_methods() -> None:
    assert [spec.key for spec in SPECS] == list(METHODS)


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipe_can_be_built(corpus: Corpus, base: Path, recipe: str) -> None:
    key = recipe.split("-")[0]
    blocks = {"mlm_short": 16, "mlm_long": 32} if recipe == "physbert-paper" else {}
    method = make(corpus, base, recipe, **SMALL.get(key, {}), **blocks)
    assert method.stages
    for stage in method.stages:
        assert len(stage.train)
    assert method.reading.template.startswith("{title}")
