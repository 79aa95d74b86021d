"""Screenshots of the training page: the form, and running, finished and failed trainings."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from sciread_app.domain.training import TrainingData, TrainingDataKind
from sciread_app.services.training.corpora import AvailableData
from sciread_app.services.training.training_service import (
    StageEstimate,
    TrainingCheck,
    TrainingEstimate,
)
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.training.page import TrainingPage
from sciread_app.ui.training.text import estimate_text
from tests.screenshots.scene import EVERYWHERE, Scene, wait
from tests.support.models.tiny_model import tiny_package
from tests.support.ui.fakes.training import ENOUGH, HELD
from trainer.contract.run import Event, Recipe, Run

RUNNING, DONE, FAILED, LONG = (
    "hep, second try",
    "hep",
    "miread-small",
    "A language model of physics",
)
STEPS = 330
SCORES = (
    ("ranking", "map", 0.8884, 0.8461, 412),
    ("ranking", "ndcg", 0.9512, 0.9288, 412),
    ("neighbours", "precision@10", 0.2311, 0.1717, 412),
)
_held = ExitStack()  # the locks of the trainings that appear to run


def _page(window: MainWindow) -> TrainingPage:
    page = window.other_page("training")
    assert isinstance(page, TrainingPage)
    return page


def _form(window: MainWindow) -> None:
    window.go_to("training")
    page = _page(window)
    page.begin()
    wait(lambda: bool(page.form.check.lines))
    page.form.name.setFocus()


def _settings(window: MainWindow) -> None:
    page = _page(window)
    page.form.settings.write({"epochs": 2.0, "learning_rate": (2e-5, 5e-5)})
    page.form.settings.rows["batch_size"].field.setText("many")
    wait(lambda: page.form.settings.rows["batch_size"].wrong.isVisible())
    area = page.form.area
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())


def _estimated(window: MainWindow) -> None:
    page = _page(window)
    page.form.settings.rows["batch_size"].field.setText("64")
    wait(lambda: not page.form.settings.rows["batch_size"].wrong.isVisible())
    page.form.area.verticalScrollBar().setValue(0)
    page.form.data.choose(TrainingData(TrainingDataKind.files, "/data/arxiv-hep"))
    page.planning._recheck.stop()  # the sample library is too small to train on
    page.form.show_check(TrainingCheck(AvailableData(HELD, estimated=False), (ENOUGH,)))
    stage = StageEstimate("triples", 16_208, STEPS, 2_912.0, 742.0, 2_100_000_000)
    estimate = TrainingEstimate("cpu", STEPS, 742.0, 2_100_000_000, (stage,))
    page.form.show_estimate(estimate_text(estimate))


def _running(window: MainWindow) -> None:
    runs = window._home / "runs"
    begun = time.time()
    _write_run(runs, DONE, "specter-small", STEPS, begun - 90_000, done=True)
    _write_run(runs, FAILED, "miread-small", 60, begun - 60_000, failed=True)
    _write_run(runs, LONG, "physbert-paper", 3_400, begun - 400_000, stages=True)
    run = _write_run(runs, RUNNING, "specter-small", 214, begun - 480)
    _held.enter_context(run.hold())
    page = _page(window)
    page._close_form()
    _show(window, RUNNING)


def _show(window: MainWindow, name: str) -> None:
    page = _page(window)
    page.load(name)
    wait(lambda: page.view.details is not None and page.view.details.training.name == name)


def _done(window: MainWindow) -> None:
    _show(window, DONE)


def _scores(window: MainWindow) -> None:
    _show(window, DONE)
    page = _page(window)
    page.view._happened.button.setChecked(True)
    bar = page.view._scroll.verticalScrollBar()
    bar.setValue(bar.maximum())


def _failed(window: MainWindow) -> None:
    _show(window, FAILED)


def _stages(window: MainWindow) -> None:
    _show(window, LONG)


def _log(window: MainWindow) -> None:
    (window._home / "runs" / FAILED / "trainer.log").write_text(LOG)
    _show(window, FAILED)
    _page(window).do("log")


LOG = """2026-11-22 14:01:12,418 INFO Tokenizing 9,412 titles
2026-11-22 14:01:14,902 INFO Tokenizing 9,412 abstracts
2026-11-22 14:01:31,077 INFO miread-small from starter on 9,412 papers: 330 steps on cpu.
2026-11-22 14:01:31,078 INFO Stage 1: journals.
2026-11-22 14:01:44,310 INFO journals: step 12 · loss 4.9981 · 2,911 tokens/s · 6 min left
2026-11-22 14:03:02,841 ERROR The disk is full: No space left on device.
Free up disk space and start the training again: it resumes from the last checkpoint.
"""


def _write_run(
    runs: Path,
    name: str,
    recipe: str,
    steps: int,
    began: float,
    *,
    done: bool = False,
    failed: bool = False,
    stages: bool = False,
) -> Run:
    """Write the folder that a training leaves, with made-up contents of the usual shape."""
    run = Run.create(runs / name, Recipe.named(recipe, runs.parent / "corpora" / "hep-5f3a9c1e"))
    known = [("triples", STEPS, 0.1)]
    if stages:
        known = [("mlm_short", 1_800, 9.0), ("mlm_long", 1_200, 5.2), ("contrast", 1_000, 3.9)]
    total = sum(count for _, count, _ in known)
    about = {
        "recipe": recipe, "device": "cpu", "precision": "bfloat16", "steps": total,
        "corpus": {"papers": 19_842, "sha256": "5f3a9c1e" * 8}, "versions": {"torch": "2.13.0"},
        "stages": [{"name": n, "examples": 16_208, "steps": c} for n, c, _ in known],
    }  # fmt: skip
    _add(run, "note", began, 0, text="Tokenizing 19,842 titles")
    _add(run, "start", began + 20, 0, **about)
    _train(run, known, steps, began + 20)
    if failed:
        _add(run, "error", began + 200, steps, message="The disk is full: No space left on device.",
             hint="Free up disk space and start the training again: it resumes from the last "
             "checkpoint.")  # fmt: skip
    if stages:
        _add(run, "stop", began + 9_000, steps, why="requested by the file `stop`")
    if done:
        _finish(run, began + 760)
    return run


def _train(run: Run, known: list[tuple[str, int, float]], steps: int, began: float) -> None:
    rng, step, seconds = np.random.default_rng(3), 0, 2.2
    total = sum(count for _, count, _ in known)
    for name, count, loss in known:
        for at in range(1, min(count, steps - step) + 1):
            step += 1
            fallen = 0.32 + 0.68 * np.exp(-3.2 * at / count)
            rate = 5e-5 * min(at / (0.1 * count), (count - at) / (0.9 * count))
            _add(run, "step", began + seconds * step, step, stage=name, epoch=at / count,
                 loss=loss * fallen * float(rng.normal(1, 0.09)), learning_rate=rate,
                 tokens_per_second=float(2_900 + rng.normal(0, 60)), memory=2_100_000_000,
                 eta=seconds * (total - step))  # fmt: skip
            if at % (count // 3) == 0:
                _add(run, "validation", began + seconds * step, step, stage=name,
                     loss=loss * fallen * 1.06, scores={}, best=True)  # fmt: skip


def _finish(run: Run, at: float) -> None:
    package = tiny_package(run.package, id="specter-starter-5f3a", title="SPECTER on 19,842 papers")
    rows = [
        {
            "evaluation": e,
            "metric": m,
            "value": v,
            "before": b,
            "n": n,
            "split": "test",
            "real": True,
        }
        for e, m, v, b, n in SCORES
    ]
    (run.package / "metrics.json").write_text(json.dumps(rows))
    run.write_report({"package": {"id": package.id, "space": package.space}})
    _add(run, "note", at, STEPS, text="Measuring SPECTER on 19,842 papers by 3 tasks.")
    _add(run, "end", at + 22, STEPS, seconds=742.0, scores={})


def _add(run: Run, kind: str, at: float, step: int, **values: Any) -> None:
    run.append(Event(kind, at, step, values))


SCENES = (
    Scene("training-form", _form, EVERYWHERE),
    Scene("training-settings", _settings, (100, 200)),
    Scene("training-estimated", _estimated),
    Scene("training-running", _running, EVERYWHERE),
    Scene("training-finished", _done, (100, 200)),
    Scene("training-scores", _scores),
    Scene("training-stages", _stages),
    Scene("training-failed", _failed),
    Scene("training-log", _log),
)
