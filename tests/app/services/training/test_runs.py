"""Training runs are processes that outlive the program which started them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sciread_app.errors import LibraryError
from sciread_app.paths import Home
from sciread_app.services.subprocess import trainer
from sciread_app.services.training import runs as services
from sciread_app.services.training.runs import CONSOLE, Runs, RunStatus, TrainingRun
from tests.support.models import fake_trainer
from trainer.contract.package import read_package
from trainer.contract.run import Event, Recipe, Run

SOON = 60.0  # seconds that a busy machine may take


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setattr(trainer, "trainer_command", fake_trainer.command)
    home = Home(tmp_path)
    (home.corpora / "papers").mkdir(parents=True)
    yield home
    runs = Runs(home)
    for training in runs.all():
        runs.stop(training.name)
    until(lambda: not any(training.status.is_active for training in runs.all()))


def recipe(home: Home, seed: int = 1, **changes: object) -> Recipe:
    return Recipe.named("specter-small", home.corpora / "papers", seed=seed, changes=changes)


def until(done: Callable[[], object]) -> None:
    late = time.monotonic() + SOON
    while not done():
        assert time.monotonic() < late
        time.sleep(0.01)


def wait_for_status(runs: Runs, name: str, *statuses: RunStatus) -> TrainingRun:
    until(lambda: runs.find(name).status in statuses)
    return runs.find(name)


def test_run_can_be_started_stopped_and_resumed(home: Home) -> None:
    runs = Runs(home)
    started = runs.start(recipe(home), "First: try?")
    assert started.name == "First try" and started.status is RunStatus.starting
    until(lambda: runs.find("First try").step >= 3)
    now = runs.find("First try")
    assert (now.status, now.method, now.papers) == (RunStatus.running, "SPECTER", 10)
    assert (now.steps, now.left > 0, len(now.losses) > 2) == (fake_trainer.STEPS, True, True)
    assert runs.stop("First try").status in (RunStatus.stopping, RunStatus.stopped)
    stopped = wait_for_status(runs, "First try", RunStatus.stopped)
    runs.resume("First try")
    until(lambda: runs.find("First try").step > stopped.step)
    assert len(Run(stopped.folder).events()) > stopped.step


def test_run_is_found_after_program_restart(home: Home) -> None:
    """A program starts a run and exits; another one finds it running."""
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from sciread_app.paths import Home\n"
        "from sciread_app.services.subprocess import trainer as trainer_process\n"
        "from sciread_app.services.training.runs import Runs\n"
        "from trainer.contract.run import Recipe\n"
        "from tests.support.models import fake_trainer\n"
        "trainer_process.trainer_command = fake_trainer.command\n"
        "home = Home(Path(sys.argv[1]))\n"
        "recipe = Recipe.named('specter-small', home.corpora / 'papers')\n"
        "Runs(home).start(recipe, 'mine')\n"
    )
    subprocess.run([sys.executable, "-c", program, str(home.folder)], check=True)
    runs = Runs(home)
    assert wait_for_status(runs, "mine", RunStatus.running).name == runs.all()[0].name
    step = runs.find("mine").step
    until(lambda: runs.find("mine").step > step)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no process groups")
def test_run_has_separate_process_group_and_session(home: Home) -> None:
    """Ctrl-C in the terminal, or closing it, must not end the training."""
    import os

    runs = Runs(home)
    runs.start(recipe(home), "mine")
    child = runs._processes["mine"]
    assert os.getpgid(child.pid) == child.pid != os.getpgrp()
    assert os.getsid(child.pid) == child.pid


def test_killed_run_is_interrupted_and_can_resume(home: Home) -> None:
    runs = Runs(home)
    runs.start(recipe(home), "mine")
    until(lambda: runs.find("mine").step >= 2)
    runs._processes["mine"].send_signal(
        signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
    )
    killed = wait_for_status(runs, "mine", RunStatus.interrupted)
    runs.resume("mine")
    until(lambda: runs.find("mine").step > killed.step)


def test_finished_run_reports_scores(home: Home) -> None:
    runs = Runs(home)
    runs.start(recipe(home, seed=2), "")
    done = wait_for_status(runs, "specter-small", RunStatus.finished)
    assert (done.step, done.left) == (fake_trainer.STEPS, 0.0)
    assert done.space == read_package(done.folder / "package").space
    (score,) = runs.scores("specter-small")
    assert (score.metric, score.before, score.value) == ("MAP", "80.00", "90.00")
    assert runs.resume("specter-small").status is RunStatus.finished  # there is nothing to do


def test_failed_run_reports_reason(home: Home) -> None:
    runs = Runs(home)
    runs.start(recipe(home, seed=3), "full")
    failed = wait_for_status(runs, "full", RunStatus.failed)
    assert (failed.problem, failed.hint, failed.step) == ("The disk is full.", "Make room.", 5)
    runs.start(recipe(home, seed=4), "none")
    failed = wait_for_status(runs, "none", RunStatus.failed)
    assert failed.problem == "Could not start the training run."
    assert failed.hint == "There is no torch.\nInstall it."
    assert "There is no torch." in runs.log("none")


def test_run_not_yet_begun_is_stopped_at_once(home: Home) -> None:
    runs = Runs(home)
    runs.start(recipe(home, seed=5), "waits")
    assert runs.find("waits").status is RunStatus.starting
    assert not runs.stop("waits").status.is_active


def test_stop_request_applies_to_run_of_another_process(home: Home) -> None:
    other = Runs(home)
    other.start(recipe(home, seed=5), "waits")
    runs = Runs(home)
    assert runs.find("waits").status is RunStatus.starting
    runs.stop("waits")
    (home.runs / "waits" / "go").touch()
    # The run ignores a stop request that is older than its start.
    until(lambda: runs.find("waits").step > 0 or not runs.find("waits").status.is_active)
    wait_for_status(runs, "waits", RunStatus.stopped)


def test_run_names_are_unique_and_valid(home: Home) -> None:
    runs = Runs(home)
    names = [runs.start(recipe(home, seed=2), "mine").name for _ in range(3)]
    assert names == ["mine", "mine-2", "mine-3"]
    for odd, name in (
        ("../../x", "x"),
        ("..", "training"),
        ("con", "training con"),
        ("a" * 99, "a" * 80),
    ):
        assert runs.free_name(odd) == name
    for name in names:
        wait_for_status(runs, name, RunStatus.finished)


def test_active_run_cannot_be_removed(home: Home) -> None:
    runs = Runs(home)
    runs.start(recipe(home), "mine")
    with pytest.raises(LibraryError, match="mine is still running"):
        runs.remove("mine")
    runs.stop("mine")
    wait_for_status(runs, "mine", RunStatus.stopped, RunStatus.failed)
    runs.remove("mine")
    assert runs.all() == [] and list(home.runs.iterdir()) == []
    for unknown in ("mine", "../runs/mine", ""):
        with pytest.raises(LibraryError, match="does not exist"):
            runs.find(unknown)


def test_run_without_corpus_cannot_resume(home: Home) -> None:
    runs = Runs(home)
    runs.start(recipe(home), "mine")
    runs.stop("mine")
    wait_for_status(runs, "mine", RunStatus.stopped, RunStatus.failed)
    (home.corpora / "papers").rmdir()
    with pytest.raises(LibraryError, match="training data of mine is missing"):
        runs.resume("mine")


def test_runs_survive_moving_the_home(home: Home, tmp_path: Path) -> None:
    runs = Runs(home)
    runs.start(recipe(home, seed=2), "mine")
    wait_for_status(runs, "mine", RunStatus.finished)
    there = tmp_path / "there"
    there.mkdir()
    for folder in (home.runs, home.corpora):
        folder.rename(there / folder.name)
    assert Runs(Home(there)).find("mine").corpus == there / "corpora" / "papers"


def test_folder_without_run_is_ignored_and_odd_recipe_listed(home: Home) -> None:
    (home.runs / "empty").mkdir(parents=True)
    (home.runs / "odd").mkdir()
    (home.runs / "odd" / "recipe.toml").write_text("format = 9")
    hostile = Run.create(home.runs / "hostile", recipe(home))
    (hostile.folder / "events.jsonl").write_text(
        '{"event": "start", "at": 1, "step": 0, "steps": [1], "corpus": 3}\n'
    )
    found = {training.name: training for training in Runs(home).all()}
    assert set(found) == {"odd", "hostile"}
    assert "has format 9" in found["odd"].problem
    assert "not a valid training run" in found["hostile"].problem


def test_grid_run_counts_steps_of_all_combinations(home: Home) -> None:
    tried = Recipe.named("specter-small", home.corpora / "papers", grid={"clip": [0, 1]})
    run = Run.create(home.runs / "grid", tried)
    part = Run.create(run.folder / "grid" / "clip=1", recipe(home, clip=1))
    fake_trainer._steps(part, seed=2)
    found = Runs(home).find("grid")
    assert (found.step, found.steps) == (2 * fake_trainer.STEPS, 2 * fake_trainer.STEPS)


@pytest.mark.parametrize(("minutes", "left"), [(0.0, 20 + 2 * 30), (1.0, 20 + 30), (0.1, 20)])
def test_time_left_of_a_grid_has_the_combinations_that_are_still_tried(
    home: Home, minutes: float, left: float
) -> None:
    tried = Recipe.named(
        "specter-small", home.corpora / "papers", grid={"clip": [0, 1, 2]},
        changes={"grid_minutes": minutes},
    )  # fmt: skip
    run = Run.create(home.runs / "grid", tried)
    name = next(name for name, _ in tried.combinations())
    part = Run.create(run.folder / "grid" / name, recipe(home, clip=0))
    part.append(Event("start", 1_000.0, 0, {"steps": 90}))
    part.append(Event("start", 41_000.0, 0, {"steps": 90}))  # after a pause of hours
    part.append(Event("step", 41_010.0, 30, {"loss": 1.0, "eta": 20.0}))
    run.append(Event("note", 1_000.0, 0, {"text": "1 of 3"}))
    with run.hold():
        assert Runs(home).find("grid").left == left


def test_run_without_its_base_model_cannot_be_resumed_until_it_is_copied(home: Home) -> None:
    runs = Runs(home)
    Run.create(home.runs / "job", recipe(home, base="folder-model"))
    with pytest.raises(LibraryError, match="folder-model") as refused:
        runs.resume("job")
    copied = home.models / "folder-model"
    assert str(copied) in refused.value.hint
    copied.mkdir(parents=True)
    assert runs.resume("job").status.is_active
    runs.stop("job")


def test_run_never_started_is_stopped_not_failed(home: Home) -> None:
    Run.create(home.runs / "new", recipe(home))
    assert Runs(home).find("new").status is RunStatus.stopped


def test_silent_process_fails_after_timeout(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.create(home.runs / "mute", recipe(home))
    (run.folder / CONSOLE).touch()
    assert Runs(home).find("mute").status is RunStatus.starting
    monkeypatch.setattr(services, "_START_TIMEOUT", 0.0)
    failed = Runs(home).find("mute")
    assert failed.status is RunStatus.failed and "without an error message" in failed.hint
