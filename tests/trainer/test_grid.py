"""The time of a grid search: what is tried first, and what is no longer begun."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.generate.corpus import make_corpus
from tests.support.models.small_runs import small_recipe
from trainer.contract.catalog import recipe_of as known_recipe
from trainer.contract.run import SEED, Recipe, Run
from trainer.data.corpus.split import SplitRule
from trainer.data.library_tasks import SHARES
from trainer.distributed import Ranks
from trainer.grid import train_grid
from trainer.loop.setup import Options
from trainer.train import TrainingOutcome, train

pytestmark = pytest.mark.usefixtures("one_thread", "own_home")

RecipeOf = Callable[..., Recipe]
CPU = Ranks.single_process("cpu")
GRID = {"margin": (1.0, 2.0), "weight_decay": (0.0, 0.1)}


def searched(folder: Path, recipe: Recipe) -> tuple[Run, list[str]]:
    """Return the run, and the combinations in the order in which they were begun."""
    run = Run.create(folder / "run", recipe)
    assert train_grid(run, CPU, Options()).finished
    parts = [path for path in (run.folder / "grid").iterdir() if path.is_dir()]
    begun = sorted(parts, key=lambda part: Run(part).events()[0].at)
    return run, [part.name for part in begun]


def test_grid_with_enough_time_tries_single_changes_first(
    tmp_path: Path, recipe_of: RecipeOf
) -> None:
    grid = {"clip": (1.0, 2.0), **GRID}
    recipe = replace(recipe_of("specter", max_steps=1, grid_minutes=60), grid=grid)
    run, begun = searched(tmp_path, recipe)
    names = list(dict(recipe.combinations()))
    changes = [sum(f"{name}={values[1]}" in one for name, values in grid.items()) for one in begun]
    assert changes == [0, 1, 1, 1, 2, 2, 2, 3]
    assert begun == names == list(run.report["grid"])


def test_grid_without_time_left_keeps_the_best_so_far(tmp_path: Path, recipe_of: RecipeOf) -> None:
    recipe = replace(recipe_of("specter", max_steps=1, grid_minutes=1e-6), grid=GRID)
    run, begun = searched(tmp_path, recipe)
    assert begun == list(run.report["grid"]) == list(dict(recipe.combinations()))[:1]
    assert run.report["best"] == begun[0] and run.package.exists()
    assert train_grid(run, CPU, Options()).finished  # nothing is tried later


def test_grid_without_time_left_tries_begun_settings_with_all_seeds(
    tmp_path: Path, recipe_of: RecipeOf
) -> None:
    grid = {"margin": (1.0, 2.0), SEED: (1, 2)}
    recipe = replace(recipe_of("specter", max_steps=1, grid_minutes=1e-6), grid=grid)
    run, begun = searched(tmp_path, recipe)
    assert len(begun) == 2 and run.report["seeds"]["seeds"] == [1, 2]


def test_grid_with_seeds_first_tries_begun_settings_with_all_of_them(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train_a_minute(part: Run, *arguments: Any, **options: Any) -> TrainingOutcome:
        outcome = train(part, *arguments, **options)
        part.write_report({**(part.report or {}), "seconds": 60.0})
        return outcome

    monkeypatch.setattr("trainer.grid.train", train_a_minute)
    grid = {SEED: (1, 2), "margin": (1.0, 2.0, 3.0)}
    recipe = replace(recipe_of("specter", max_steps=1, grid_minutes=3), grid=grid)
    _, begun = searched(tmp_path, recipe)
    assert begun == [f"seed={seed},margin={margin}" for margin in (1.0, 2.0) for seed in (1, 2)]


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ([{"map": 0.1}, {"map": 0.2}, {"map": 0.3}], 2),
        ([{"map": 0.1}, {}, {"map": 0.3}], 1),
        ([{"map": 0.1}, {"ndcg": 0.2}, {"map": 0.3}], 1),
        ([{}, {}, {}], 1),
    ],
)
def test_grid_compares_scores_only_if_all_runs_have_them(
    tmp_path: Path,
    recipe_of: RecipeOf,
    monkeypatch: pytest.MonkeyPatch,
    scores: list[dict[str, float]],
    best: int,
) -> None:
    found = zip(scores, (0.5, 0.4, 0.6), strict=True)

    def train_with_scores(part: Run, *arguments: Any, **options: Any) -> TrainingOutcome:
        outcome = train(part, *arguments, **options)
        values, loss = next(found)
        part.write_report({**(part.report or {}), "scores": values, "validation_loss": loss})
        return outcome

    monkeypatch.setattr("trainer.grid.train", train_with_scores)
    grid = {"margin": (1.0, 2.0, 3.0)}
    run, begun = searched(tmp_path, replace(recipe_of("specter", max_steps=1), grid=grid))
    assert run.report["best"] == begun[best]


def test_shares_of_missing_tasks_are_not_tried(tmp_path: Path, tiny_base: Path) -> None:
    papers = [{"title": f"deep study {n}"} for n in range(40)]
    corpus = make_corpus(tmp_path / "corpus", papers, split=SplitRule((0.7, 0.3, 0))).folder
    grid = {"question_share": (1.0, 3.0), "group_share": (1.0, 0.0), "title_share": (1.0, 3.0)}
    recipe = small_recipe("library", corpus, tiny_base, max_steps=1, examples=16)
    run, begun = searched(tmp_path, replace(recipe, grid=grid))
    assert [name[-15:] for name in begun] == ["title_share=1.0", "title_share=3.0"]
    assert list(run.report["grid"]) == begun


@pytest.mark.parametrize("name", ["library-tuned", "library-small-tuned"])
def test_tuned_recipe_begins_with_the_weights_of_the_plain_one(name: str) -> None:
    spec, _ = known_recipe(name)
    tuned, plain = (spec.resolve(recipe) for recipe in (name, name.removesuffix("-tuned")))
    assert tuned["grid_minutes"] > 0
    grid = spec.recipes[name].grid
    assert {"anchor", *SHARES.values()} == grid.keys()
    assert {key: values[0] for key, values in grid.items()} == {key: plain[key] for key in grid}
    assert {k: v for k, v in tuned.items() if k != "grid_minutes"} == {
        k: v for k, v in plain.items() if k != "grid_minutes"
    }
