"""Trainings as processes that outlive whoever began them."""

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
from tests.support import fake_trainer
from trainer.contract.package import read_package
from trainer.contract.run import Recipe, Run

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
    until(lambda: not any(training.standing.goes_on for training in runs.all()))


def recipe(home: Home, seed: int = 1, **changes: object) -> Recipe:
    return Recipe.named("specter-small", home.corpora / "papers", seed=seed, changes=changes)


def until(done: Callable[[], object]) -> None:
    late = time.monotonic() + SOON
    while not done():
        assert time.monotonic() < late
        time.sleep(0.01)


def stands(runs: Runs, name: str, *standings: RunStatus) -> TrainingRun:
    until(lambda: runs.find(name).standing in standings)
    return runs.find(name)


def test_a_training_runs_by_itself_is_stopped_and_goes_on(home: Home) -> None:
    runs = Runs(home)
    started = runs.start(recipe(home), "First: try?")
    assert started.name == "First try" and started.standing is RunStatus.starting
    until(lambda: runs.find("First try").step >= 3)
    now = runs.find("First try")
    assert (now.standing, now.method, now.papers) == (RunStatus.running, "SPECTER", 10)
    assert (now.steps, now.left > 0, len(now.losses) > 2) == (fake_trainer.STEPS, True, True)
    assert runs.stop("First try").standing in (RunStatus.stopping, RunStatus.stopped)
    stopped = stands(runs, "First try", RunStatus.stopped)
    runs.go_on("First try")
    until(lambda: runs.find("First try").step > stopped.step)
    assert len(Run(stopped.folder).events()) > stopped.step


def test_it_is_found_again_by_its_folder_when_the_program_was_closed(home: Home) -> None:
    """A program begins a training and ends; another one finds it at work."""
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from sciread_app.paths import Home\n"
        "from sciread_app.services.subprocess import trainer as trainer_process\n"
        "from sciread_app.services.training.runs import Runs\n"
        "from trainer.contract.run import Recipe\n"
        "from tests.support import fake_trainer as fake_trainer\n"
        "trainer_process.trainer_command = fake_trainer.command\n"
        "home = Home(Path(sys.argv[1]))\n"
        "recipe = Recipe.named('specter-small', home.corpora / 'papers')\n"
        "Runs(home).start(recipe, 'mine')\n"
    )
    subprocess.run([sys.executable, "-c", program, str(home.folder)], check=True)
    runs = Runs(home)
    assert stands(runs, "mine", RunStatus.running).name == runs.all()[0].name
    step = runs.find("mine").step
    until(lambda: runs.find("mine").step > step)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no process groups")
def test_it_is_no_part_of_the_program_that_began_it(home: Home) -> None:
    """So that Ctrl-C in its terminal, or a terminal that closes, does not end the training."""
    import os

    runs = Runs(home)
    runs.start(recipe(home), "mine")
    child = runs._begun["mine"]
    assert os.getpgid(child.pid) == child.pid != os.getpgrp()
    assert os.getsid(child.pid) == child.pid


def test_one_that_was_killed_is_interrupted_and_goes_on(home: Home) -> None:
    runs = Runs(home)
    runs.start(recipe(home), "mine")
    until(lambda: runs.find("mine").step >= 2)
    runs._begun["mine"].send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    killed = stands(runs, "mine", RunStatus.interrupted)
    runs.go_on("mine")
    until(lambda: runs.find("mine").step > killed.step)


def test_one_that_is_done_says_what_came_of_it(home: Home) -> None:
    runs = Runs(home)
    runs.start(recipe(home, seed=2), "")
    done = stands(runs, "specter-small", RunStatus.finished)
    assert (done.step, done.left) == (fake_trainer.STEPS, 0.0)
    assert done.space == read_package(done.folder / "package").space
    (score,) = runs.scores("specter-small")
    assert (score.metric, score.before, score.value) == ("MAP", "80.00", "90.00")
    assert runs.go_on("specter-small").standing is RunStatus.finished  # there is nothing to do


def test_why_one_failed_is_said(home: Home) -> None:
    runs = Runs(home)
    runs.start(recipe(home, seed=3), "full")
    failed = stands(runs, "full", RunStatus.failed)
    assert (failed.problem, failed.hint, failed.step) == ("The disk is full.", "Make room.", 5)
    runs.start(recipe(home, seed=4), "none")
    failed = stands(runs, "none", RunStatus.failed)
    assert failed.problem == "The training could not begin."
    assert failed.hint == "There is no torch.\nInstall it."
    assert "There is no torch." in runs.log("none")


def test_one_that_has_not_begun_yet_is_stopped_at_once(home: Home) -> None:
    runs = Runs(home)
    runs.start(recipe(home, seed=5), "waits")
    assert runs.find("waits").standing is RunStatus.starting
    assert not runs.stop("waits").standing.goes_on


def test_a_wish_to_stop_is_kept_until_a_process_of_others_has_begun(home: Home) -> None:
    other = Runs(home)
    other.start(recipe(home, seed=5), "waits")
    runs = Runs(home)
    assert runs.find("waits").standing is RunStatus.starting
    runs.stop("waits")
    (home.runs / "waits" / "go").touch()
    # It takes the wish for one of a time before, when it begins.
    until(lambda: runs.find("waits").step > 0 or not runs.find("waits").standing.goes_on)
    stands(runs, "waits", RunStatus.stopped)


def test_no_two_trainings_have_one_name(home: Home) -> None:
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
        stands(runs, name, RunStatus.finished)


def test_one_that_goes_on_is_not_removed(home: Home) -> None:
    runs = Runs(home)
    runs.start(recipe(home), "mine")
    with pytest.raises(LibraryError, match="mine goes on"):
        runs.remove("mine")
    runs.stop("mine")
    stands(runs, "mine", RunStatus.stopped, RunStatus.failed)
    runs.remove("mine")
    assert runs.all() == [] and list(home.runs.iterdir()) == []
    for unknown in ("mine", "../runs/mine", ""):
        with pytest.raises(LibraryError, match="There is no training"):
            runs.find(unknown)


def test_it_does_not_go_on_without_its_papers(home: Home) -> None:
    runs = Runs(home)
    runs.start(recipe(home), "mine")
    runs.stop("mine")
    stands(runs, "mine", RunStatus.stopped, RunStatus.failed)
    (home.corpora / "papers").rmdir()
    with pytest.raises(LibraryError, match="papers that mine learned from are not here"):
        runs.go_on("mine")


def test_a_home_may_be_moved_with_its_trainings(home: Home, tmp_path: Path) -> None:
    runs = Runs(home)
    runs.start(recipe(home, seed=2), "mine")
    stands(runs, "mine", RunStatus.finished)
    there = tmp_path / "there"
    there.mkdir()
    for folder in (home.runs, home.corpora):
        folder.rename(there / folder.name)
    assert Runs(Home(there)).find("mine").corpus == there / "corpora" / "papers"


def test_what_is_no_training_is_told_apart(home: Home) -> None:
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
    assert "does not read as a training" in found["hostile"].problem


def test_a_grid_counts_the_steps_of_all_that_it_tries(home: Home) -> None:
    tried = Recipe.named("specter-small", home.corpora / "papers", grid={"clip": [0, 1]})
    run = Run.create(home.runs / "grid", tried)
    part = Run.create(run.folder / "grid" / "clip=1", recipe(home, clip=1))
    fake_trainer._steps(part, seed=2)
    found = Runs(home).find("grid")
    assert (found.step, found.steps) == (2 * fake_trainer.STEPS, 2 * fake_trainer.STEPS)


def test_who_never_began_is_not_taken_for_one_that_failed(home: Home) -> None:
    Run.create(home.runs / "new", recipe(home))
    assert Runs(home).find("new").standing is RunStatus.stopped


def test_a_process_that_never_said_a_word_has_failed_in_the_end(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.create(home.runs / "mute", recipe(home))
    (run.folder / CONSOLE).touch()
    assert Runs(home).find("mute").standing is RunStatus.starting
    monkeypatch.setattr(services, "_START_TIMEOUT", 0.0)
    failed = Runs(home).find("mute")
    assert failed.standing is RunStatus.failed and "without a word" in failed.hint
