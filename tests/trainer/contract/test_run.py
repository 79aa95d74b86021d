"""The folder of a run: recipe, events and state."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from trainer.contract.catalog import METHODS, recipe_of
from trainer.contract.errors import TrainerError
from trainer.contract.run import Event, Recipe, Run, RunState

NAMES = [name for spec in METHODS for name in spec.recipes]


def recipe(folder: Path, **changes: object) -> Recipe:
    return Recipe.named("specter", folder / "corpus", changes=changes)


@pytest.mark.parametrize("name", NAMES)
def test_recipe_round_trip_is_lossless(tmp_path: Path, name: str) -> None:
    written = Recipe.named(name, tmp_path / "corpus", seed=7)
    written.write(tmp_path / "recipe.toml")
    assert Recipe.read(tmp_path / "recipe.toml") == written


def test_title_of_the_model_is_part_of_its_recipe(tmp_path: Path) -> None:
    recipe = Recipe.named("specter-small", tmp_path / "papers", title="Of my thesis")
    recipe.write(tmp_path / "recipe.toml")
    assert Recipe.read(tmp_path / "recipe.toml") == recipe


def test_handwritten_recipe_lists_only_changes(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text('format = 1\nrecipe = "specter"\ncorpus = "papers"\nsettings.epochs = 3\n')
    found = Recipe.read(path)
    assert found == Recipe.named("specter-paper", tmp_path / "papers", changes={"epochs": 3.0})
    assert found.base == found.settings["base"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("format = 2", "has format 2, not 1"),
        ("epochs", "is not a valid recipe"),
        ('format = 1\nrecipe = "specter"', "does not specify 'corpus'"),
        ('format = 1\nrecipe = "spectre"\ncorpus = "c"', "recipe 'spectre' does not exist"),
        ('format = 1\nrecipe = "specter"\ncorpus = 3', "is not a valid recipe"),
        ("format = " + "[" * 100_000, "is not a valid recipe"),
        ('format = 1\nrecipe = "specter"\ncorpus = "c"\nsettings = 3', "is not a valid recipe"),
        ('format = 1\nrecipe = "specter"\ncorpus = "c"\ngrid.clip = 3', "3 is not a valid grid"),
        (
            'format = 1\nrecipe = "specter"\ncorpus = "c"\nsettings.epochs = "often"',
            "epochs cannot be 'often'",
        ),
    ],
)
def test_invalid_recipe_is_explained(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(text)
    with pytest.raises(TrainerError, match=expected):
        Recipe.read(path)


def test_run_and_corpus_can_be_moved_together(tmp_path: Path) -> None:
    home = tmp_path / "home"
    Run.create(home / "runs" / "a", recipe(home), relative=True)
    home.rename(tmp_path / "there")
    found = Run(tmp_path / "there" / "runs" / "a").recipe
    assert found.corpus == tmp_path / "there" / "corpus"


def test_grid_gives_a_recipe_per_combination(tmp_path: Path) -> None:
    grid = {"learning_rate": [1e-4, 2e-4], "batch_size": [16, 32]}
    found = dict(Recipe.named("specter", tmp_path, grid=grid).combinations())
    assert list(found) == [
        "learning_rate=0.0001,batch_size=16",
        "learning_rate=0.0001,batch_size=32",
        "learning_rate=0.0002,batch_size=16",
        "learning_rate=0.0002,batch_size=32",
    ]
    assert not any(recipe.grid for recipe in found.values())
    assert found["learning_rate=0.0002,batch_size=16"].settings["batch_size"] == 16


def test_combinations_in_limited_time_begin_with_single_changes(tmp_path: Path) -> None:
    grid = {"seed": [1, 2], "clip": [0.0, 1.0], "weight_decay": [0.0, 0.1]}
    limited = Recipe.named("specter", tmp_path, changes={"grid_minutes": 9}, grid=grid)
    others = [name for name, _ in replace(limited, grid={**limited.grid}).combinations()]
    assert others[:2] == [f"seed={seed},clip=0.0,weight_decay=0.0" for seed in (1, 2)]
    assert others[-2:] == [f"seed={seed},clip=1.0,weight_decay=0.1" for seed in (1, 2)]
    unlimited = Recipe.named("specter", tmp_path, grid=grid)
    assert sorted(others) == sorted(name for name, _ in unlimited.combinations())


def test_seeds_are_combined_with_the_grid_of_a_recipe(tmp_path: Path) -> None:
    recipe = Recipe.named("physbert-subdomain", tmp_path, changes={"batch_size": 16})
    recipe = recipe.of_seeds([3, 9])
    recipe.write(tmp_path / "recipe.toml")
    assert Recipe.read(tmp_path / "recipe.toml") == recipe
    found = {name: (one.seed, one.settings["learning_rate"]) for name, one in recipe.combinations()}
    assert found == {
        "learning_rate=0.0001,seed=3": (3, 1e-4),
        "learning_rate=0.0001,seed=9": (9, 1e-4),
        "learning_rate=0.0002,seed=3": (3, 2e-4),
        "learning_rate=0.0002,seed=9": (9, 2e-4),
    }
    assert not any(one.grid for _, one in recipe.combinations())


@pytest.mark.parametrize("seeds", [[], [1, 1], [1.5], [True], ["a"]])
def test_seeds_must_be_distinct_integers(tmp_path: Path, seeds: list[object]) -> None:
    with pytest.raises(TrainerError):
        Recipe.named("specter", tmp_path, grid={"seed": seeds})


def test_fixed_setting_is_removed_from_the_grid(tmp_path: Path) -> None:
    found = Recipe.named("physbert-subdomain", tmp_path, changes={"learning_rate": 3e-5})
    assert list(found.grid) == ["batch_size"]


def test_run_keeps_its_recipe(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", recipe(tmp_path))
    Run.create(tmp_path / "run", recipe(tmp_path))
    with pytest.raises(TrainerError, match=r"epochs was 2\.0 and is now 3\.0"):
        Run.create(tmp_path / "run", recipe(tmp_path, epochs=3))
    with pytest.raises(TrainerError, match=r"grid was .* and is now .*clip"):
        Run.create(tmp_path / "run", replace(recipe(tmp_path), grid={"clip": (0.0, 1.0)}))
    assert run.recipe == recipe(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_run_of_an_earlier_version_resumes_with_its_defaults(tmp_path: Path, name: str) -> None:
    spec, _ = recipe_of(name)
    added = {s.name: s.formerly for s in spec.settings if s.formerly is not None}
    assert added
    now = Recipe.named(name, tmp_path / "corpus", changes=added)
    # Such a run does not have the settings added since.
    settings = {key: value for key, value in now.settings.items() if key not in added}
    earlier = replace(now, settings=settings)
    run = Run.create(tmp_path / "run", earlier)
    assert run.recipe.settings == now.settings
    assert not run.recipe.differences(earlier.essence)
    changed = replace(now, settings={**now.settings, "beta2": 0.5})
    assert len(changed.differences(earlier.essence)) == 1


def test_run_that_failed_before_start_accepts_another_recipe(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", recipe(tmp_path))
    run.append(Event("error", 1.0, 0, {"message": "There is no corpus.", "hint": ""}))
    assert Run.create(tmp_path / "run", recipe(tmp_path, epochs=3)).recipe.settings["epochs"] == 3
    run.append(Event("start", 2.0, 0, {}))
    with pytest.raises(TrainerError, match="contains a run with another recipe"):
        Run.create(tmp_path / "run", recipe(tmp_path, epochs=4))


def test_impossible_run_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainerError, match=r"The run folder .*file"):
        Run.create(tmp_path / "file" / "run", recipe(tmp_path))


def test_follow_never_returns_a_partial_line(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", recipe(tmp_path))
    whole = Event("note", 1.5, 3, {"text": "größer"}).line().encode()
    path = run.folder / "events.jsonl"
    offset, seen = 0, []
    for byte in whole + whole:
        with path.open("ab") as file:
            file.write(bytes([byte]))
        events, offset = run.follow(offset)
        seen += events
    assert seen == [Event("note", 1.5, 3, {"text": "größer"})] * 2


@given(
    st.lists(st.builds(Event, st.text(min_size=1), st.just(0.5), st.integers(0, 9)), max_size=5),
    st.integers(0, 200),
)
def test_events_are_readable_after_any_kill_of_the_writer(
    tmp_path_factory: pytest.TempPathFactory, events: list[Event], cut: int
) -> None:
    run = Run(tmp_path_factory.mktemp("run"))
    path = run.folder / "events.jsonl"
    for event in events:
        run.append(event)
    if events:
        path.write_bytes(path.read_bytes()[: -1 - cut])
    run.drop_partial_line()
    run.append(Event("end", 1.0))
    found, offset = run.follow()
    assert found == [*events[: len(found) - 1], Event("end", 1.0)]
    assert run.follow(offset) == ([], offset)


def test_steps_repeated_after_resume_count_once(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", recipe(tmp_path))
    for step in (1, 2, 3):
        run.append(Event("step", step, step, {"loss": 1.0}))
    run.append(Event("resume", 4, 1, {"why": "killed"}))
    for step in (2, 3, 4):
        run.append(Event("step", step + 4, step, {"loss": 0.5}))
    losses = [(e.step, e.values["loss"]) for e in run.events() if e.kind == "step"]
    assert losses == [(1, 1.0), (2, 0.5), (3, 0.5), (4, 0.5)]


def test_follow_thins_out_many_steps(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", recipe(tmp_path))
    for step in range(1, 101):
        run.append(Event("step", step, step, {"loss": 1.0}))
        if step == 50:
            run.append(Event("validation", step, step, {"loss": 1.0}))
    found, offset = run.follow(thin=30)
    assert [(event.kind, event.step) for event in found] == [
        ("step", 1), ("step", 31), ("validation", 50), ("step", 61), ("step", 91), ("step", 100),
    ]  # fmt: skip
    assert offset == run.size and run.follow(offset, thin=30) == ([], offset)


def test_sampled_events_cover_the_whole_run(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", recipe(tmp_path))
    assert run.sampled(5) == run.tail() == []
    for step in range(1, 6):
        run.append(Event("step", step, step, {"loss": 1.0}))
    assert [event.step for event in run.sampled(5)] == [1, 2, 3, 4, 5]
    for step in range(6, 1_001):
        run.append(Event("step", step, step, {"loss": 1.0, "words": "x" * 150}))
    steps = [event.step for event in run.sampled(10)]
    assert len(steps) == 10 and steps == sorted(steps) and steps[0] < 5 and steps[-1] > 850
    assert run.tail()[-1].step == 1_000


def test_state_follows_the_events(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", recipe(tmp_path))
    seen = [run.state]
    with run.hold():
        run.append(Event("start", 1.0))
        seen.append(run.state)
    seen.append(run.state)
    for kind in ("stop", "resume", "error"):
        run.append(Event(kind, 2.0))
        seen.append(run.state)
    run.write_report({"format": 1})
    seen.append(run.state)
    assert seen == [
        RunState.new,
        RunState.running,
        RunState.interrupted,
        RunState.stopped,
        RunState.interrupted,
        RunState.failed,
        RunState.finished,
    ]


def test_state_is_not_running_while_another_process_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.create(tmp_path / "run", recipe(tmp_path))
    other = FileLock(run.folder / "lock")
    other.acquire()  # as the other process does to find out
    monkeypatch.setattr(time, "sleep", lambda _: other.release())
    assert run.state is RunState.new


def test_malformed_run_files_are_tolerated(tmp_path: Path) -> None:
    run, deep = Run(tmp_path), "[" * 100_000
    (tmp_path / "report.json").write_text(deep)
    (tmp_path / "events.jsonl").write_text(deep + "\n" + Event("end", 2.0).line())
    assert run.report is None
    assert [event.kind for event in run.events()] == ["end"]


def test_only_one_process_trains_a_run(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", recipe(tmp_path))
    with (
        run.hold(),
        pytest.raises(TrainerError, match="Another process is training"),
        Run(run.folder).hold(),
    ):
        pass


def test_run_is_imported_without_torch() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import json, sys, trainer.contract.run; print(json.dumps(list(sys.modules)))",
        ],
        capture_output=True,
        check=True,
    )
    assert not {"torch", "transformers", "numpy"} & set(json.loads(done.stdout))
