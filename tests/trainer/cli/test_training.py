"""The `sciread-trainer train` command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.support.models.small_runs import small_corpus
from trainer.cli import app
from trainer.contract.errors import TrainerError
from trainer.contract.run import Event, Recipe, Run, RunState
from trainer.data.corpus.split import SplitRule

pytestmark = pytest.mark.usefixtures("forked_python", "one_thread", "own_home")

ROOT = Path(__file__).resolve().parents[3]


def arguments(folder: Path, corpus: Path, base: Path, **changes: object) -> list[str]:
    """The arguments of a new MIReAD run of test size."""
    settings = {"max_tokens": 40, "batch_size": 8, "min_papers": 2, "recent_year": 0, **changes}
    named = ["train", str(folder), "--recipe", "miread", "--corpus", str(corpus)]
    named += ["--base", str(base), "--device", "cpu"]
    return [*named, *(part for k, v in settings.items() for part in ("--set", f"{k}={v}"))]


def cli(*named: str) -> str:
    """Run the command and return its output. Raise its error."""
    done = CliRunner().invoke(app, named, catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_train_creates_a_run_and_resumes_it_by_folder(
    tmp_path: Path, corpus_for_all: Path, tiny_base: Path
) -> None:
    folder = tmp_path / "run"
    output = cli(*arguments(folder, corpus_for_all, tiny_base, epochs=2), "--seed", "3")
    assert "miread-paper from" in output
    assert f"Model: {folder / 'package'}" in output.replace("\n", "")
    recipe = Run(folder).recipe
    assert (recipe.seed, recipe.settings["epochs"], recipe.corpus) == (3, 2.0, corpus_for_all)
    assert Run(folder).report["metrics"]
    assert "Model: " in cli("train", str(folder))


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ([], "requires a recipe and a corpus"),
        (["--recipe", "specter"], "requires a recipe and a corpus"),
        (["--recipe", "spectre", "--corpus", "c"], "The recipe 'spectre' does not exist."),
        (
            ["--recipe", "specter", "--corpus", "c", "--set", "epoch=1"],
            "setting 'epoch' does not exist",
        ),
        (["--recipe", "specter", "--corpus", "c", "--set", "epochs"], "has no value"),
        (["--recipe", "specter", "--corpus", "c", "--set", "epochs=[1"], "is not a valid list"),
        (["--recipe", "specter", "--corpus", "nowhere"], "nowhere is not a corpus"),
    ],
)
def test_train_wrong_options_are_reported(tmp_path: Path, named: list[str], expected: str) -> None:
    with pytest.raises(TrainerError, match=expected):
        cli("train", str(tmp_path / "run"), *named)


def test_dry_run_prints_time_and_writes_nothing(
    tmp_path: Path, corpus_for_all: Path, tiny_base: Path
) -> None:
    output = cli(*arguments(tmp_path / "run", corpus_for_all, tiny_base), "--dry-run")
    assert "in total, including" in output
    assert "journals" in output
    assert not (tmp_path / "run").exists()


def test_dry_run_prints_json(tmp_path: Path, corpus_for_all: Path, tiny_base: Path) -> None:
    named = arguments(tmp_path / "run", corpus_for_all, tiny_base, max_steps=3)
    done = CliRunner().invoke(app, [*named, "--dry-run", "--json", "--progress"])
    answer = json.loads(done.stdout)
    assert (answer["steps"], [one["stage"] for one in answer["stages"]]) == (3, ["journals"])
    assert answer["seconds"] > 0 and answer["memory"] > 0 and answer["device"] == "cpu"
    assert {"note": "Timing steps of the stage journals"} in [
        json.loads(line) for line in done.stderr.splitlines()
    ]
    failed = CliRunner().invoke(
        app, [*arguments(tmp_path, tmp_path, tiny_base), "--dry-run", "--json"]
    )
    assert failed.exit_code == 1 and "is not a corpus" in json.loads(failed.stdout)["error"]


def test_grid_keeps_the_best_of_its_runs(
    tmp_path: Path, corpus_for_all: Path, tiny_base: Path
) -> None:
    folder = tmp_path / "run"
    named = arguments(
        folder, corpus_for_all, tiny_base, learning_rate="[1e-5,1e-2]", batch_size="[4,8]"
    )
    output = cli(*named)
    run = Run(folder)
    assert run.state is RunState.finished
    reports = {part.name: Run(part).report for part in (folder / "grid").iterdir()}
    assert len(reports) == 4
    name = min(reports, key=lambda name: reports[name]["validation_loss"])
    assert f"Best of 4 combinations: {name}" in output.replace("\n", " ")
    best = Run(folder / "grid" / name)
    weights = "model.safetensors"
    assert (run.package / weights).read_bytes() == (best.package / weights).read_bytes()
    assert run.report["package"] == best.report["package"]
    assert set(run.report["grid"]) == set(reports)
    # Only the best is evaluated.
    assert run.report["metrics"] and not any("metrics" in report for report in reports.values())
    assert [event.kind for event in run.events()][-1] == "end"
    # A second call repeats nothing.
    before = len(best.events())
    (folder / "report.json").unlink()
    cli("train", str(folder))
    assert len(best.events()) == before


def test_several_seeds_give_mean_and_deviation(
    tmp_path: Path, corpus_for_all: Path, tiny_base: Path
) -> None:
    folder = tmp_path / "run"
    named = arguments(folder, corpus_for_all, tiny_base, learning_rate=1e-2)
    output = cli(*named, "--seeds", "3,4,5")
    run = Run(folder)
    parts = {seed: Run(folder / "grid" / f"seed={seed}").report for seed in (3, 4, 5)}
    losses = {seed: report["validation_loss"] for seed, report in parts.items()}
    assert len(set(losses.values())) == 3
    found = run.report["seeds"]
    assert found["seeds"] == [3, 4, 5]
    assert found["validation_loss"] == pytest.approx(
        {"mean": np.mean(list(losses.values())), "sd": np.std(list(losses.values()), ddof=1)}
    )
    assert found["metrics"]
    for row in found["metrics"]:
        values = [
            known["value"]
            for report in parts.values()
            for known in report["metrics"]
            if (known["task"], known["metric"]) == (row["task"], row["metric"])
        ]
        assert row["values"] == values and len(values) == 3
        assert (row["mean"], row["sd"]) == pytest.approx((np.mean(values), np.std(values, ddof=1)))
    assert "Over 3 seeds: validation loss" in output.replace("\n", " ")
    # The best of them is kept, with its evaluation.
    best = min(losses, key=lambda seed: losses[seed])
    assert run.report["seed"] == best and run.report["metrics"] == parts[best]["metrics"]
    metrics = (run.package / "metrics.json").read_bytes()
    assert metrics == (folder / "grid" / f"seed={best}" / "package" / "metrics.json").read_bytes()
    assert (folder / "evaluation" / "model" / "report.json").exists()
    assert "Model: " in cli(*named, "--seeds", "3,4,5")


def test_stop_during_evaluation_of_seeds_can_be_resumed(
    tmp_path: Path, corpus_for_all: Path, tiny_base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path / "run")
    named = arguments(run.folder, corpus_for_all, tiny_base, learning_rate=1e-2)
    append = Run.append

    def stopping(self: Run, event: Event) -> None:
        append(self, event)
        if event.values.get("text") == "Evaluating seed=4":
            run.stop()

    monkeypatch.setattr(Run, "append", stopping)
    cli(*named, "--seeds", "3,4")
    assert run.report is None and run.state is RunState.stopped
    monkeypatch.setattr(Run, "append", append)
    cli(*named, "--seeds", "3,4")
    assert run.state is RunState.finished
    assert run.report is not None and run.report["seeds"]["metrics"]


def test_settings_are_compared_by_mean_over_seeds(
    tmp_path: Path, corpus_for_all: Path, tiny_base: Path
) -> None:
    folder = tmp_path / "run"
    named = arguments(folder, corpus_for_all, tiny_base, learning_rate="[1e-6,1e-2]")
    cli(*named, "--seeds", "3,4", "--no-measure")
    report = Run(folder).report
    tried = {name: one["validation_loss"] for name, one in report["grid"].items()}
    means = {
        rate: np.mean([loss for name, loss in tried.items() if name.startswith(f"{rate},")])
        for rate in ("learning_rate=1e-06", "learning_rate=0.01")
    }
    assert report["best"].startswith(min(means, key=lambda rate: means[rate]))
    assert report["seeds"]["validation_loss"]["mean"] == pytest.approx(min(means.values()))
    assert not report["seeds"]["metrics"]


@pytest.mark.parametrize(
    ("named", "expected"),
    [(["--seeds", "1;2"], "not a list of seeds"), (["--seeds", "1,2", "--seed", "3"], "not both")],
)
def test_invalid_seeds_are_refused(tmp_path: Path, named: list[str], expected: str) -> None:
    with pytest.raises(TrainerError, match=expected):
        cli("train", str(tmp_path / "run"), "--recipe", "specter", "--corpus", "c", *named)


def test_grid_without_validation_papers_is_refused(tmp_path: Path, tiny_base: Path) -> None:
    corpus = small_corpus(tmp_path / "corpus", split=SplitRule.of("all"))
    named = arguments(tmp_path / "run", corpus, tiny_base, learning_rate="[1e-5,1e-2]")
    with pytest.raises(TrainerError, match="no validation papers"):
        cli(*named)
    cli(*arguments(tmp_path / "seeds", corpus, tiny_base), "--seeds", "1,2")
    assert Run(tmp_path / "seeds").report["seeds"]["validation_loss"] is None


def test_grid_stops_and_resumes(
    tmp_path: Path, recipe_of: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = replace(recipe_of("miread"), grid={"learning_rate": (1e-5, 1e-2)})
    run = Run.create(tmp_path / "run", recipe)
    append = Run.append

    def stopping(self: Run, event: Event) -> None:
        append(self, event)
        if event.kind == "step" and "0.01" in self.folder.name and event.step == 3:
            run.stop()

    monkeypatch.setattr(Run, "append", stopping)
    output = cli("train", str(run.folder), "--device", "cpu")
    assert "Stopped after step 5 " in output
    assert run.state is RunState.stopped
    monkeypatch.setattr(Run, "append", append)
    output = cli("train", str(run.folder), "--device", "cpu", "--no-measure")
    assert "Model: " in output and "metrics" not in run.report
    parts = [Run(part) for part in (run.folder / "grid").iterdir()]
    for part in parts:
        steps = [event.step for event in part.events() if event.kind == "step"]
        assert steps == list(range(1, len(steps) + 1))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows knows no SIGTERM")
@pytest.mark.parametrize(
    ("number", "state"),
    [(signal.SIGTERM, RunState.stopped), (signal.SIGKILL, RunState.interrupted)],
)
def test_signal_stops_training_and_the_folder_resumes(
    number: signal.Signals, state: RunState, tmp_path: Path, recipe_of: Callable[..., Recipe]
) -> None:
    run = Run.create(tmp_path / "run", recipe_of("miread", epochs=500))
    process = start(run)
    wait_for_step(run, 5, process)
    seen = run.state
    process.send_signal(number)
    out, err = process.communicate(timeout=250)
    assert seen is RunState.running
    assert run.state is state
    if number == signal.SIGTERM:
        assert process.returncode == 128 + number
        assert "Stopped after step" in out
        assert (run.checkpoints / f"step-{run.events()[-1].step:08}").is_dir()
    last = max(event.step for event in run.events())

    again = start(run)
    wait_for_step(run, last + 5, again)
    run.stop()
    out, err = again.communicate(timeout=250)
    assert (again.returncode, err) == (0, "")
    assert run.state is RunState.stopped
    steps = [event.step for event in run.events() if event.kind == "step"]
    assert steps == list(range(1, len(steps) + 1))


def test_train_does_not_import_evaluation_libraries(fresh_python: None) -> None:
    program = "import sys, trainer.train\nprint({'sklearn', 'transformers'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("set()\n", "")


def start(run: Run) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "trainer", "train", str(run.folder), "--device", "cpu"],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def wait_for_step(run: Run, step: int, process: subprocess.Popen[str]) -> None:
    while not any(e.kind == "step" and e.step >= step for e in run.events()):
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
