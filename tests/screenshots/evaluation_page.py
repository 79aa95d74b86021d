"""Screenshots of the dashboard: scores, a comparison, classes, learning curves, two maps."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np

from sciread_app.services.evaluation.leaderboard import BOARD
from sciread_app.ui.evaluation.evaluate_dialog import EvaluateDialog
from sciread_app.ui.evaluation.page import (
    CLASSES,
    COMPARE,
    LEARNING,
    MAPS,
    NEIGHBOURS,
    SCORES,
    EvaluationPage,
)
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.style.theme import restyled
from tests.screenshots.scene import EVERYWHERE, Scene, let_pass, wait
from tests.support.generate.report import pictures_of, report, result
from tests.support.models.tiny_model import tiny_package
from trainer.contract.plots import write_pictures
from trainer.contract.report import EvaluatedModel, Report, Result, Score
from trainer.contract.run import Event, Recipe, Run
from trainer.evaluations.metrics.significance import Items, bootstrap_ci, weighted_mean, write_items

STARTER = EvaluatedModel(
    id="starter", title="all-MiniLM-L6-v2", kind="package", space="aa", dim=384
)
OURS = EvaluatedModel(
    id="specter-starter-5f3a", title="SPECTER on 20,000 papers", kind="package", space="bb",
    method="specter", base="starter", dim=384,
)  # fmt: skip
WORDS = EvaluatedModel(id="tf-idf", title="TF-IDF", kind="baseline")
CHANCE = EvaluatedModel(id="random", title="Random", kind="baseline")
SKILLS = ((STARTER, 0.62), (OURS, 0.74), (WORDS, 0.55), (CHANCE, 0.1))
TASKS = (
    ("citations", "Citations", "ranking", {"map": 0.12, "ndcg": 0.2}, 412),
    ("fields", "Fields", "probe", {"macro_f1": -0.08, "accuracy": 0.0}, 497),
    ("cited-pairs", "Citation pairs", "cosine_accuracy", {"cosine_accuracy": 0.15}, 824),
    (
        "cited-neighbours",
        "Nearest neighbors cited by the paper",
        "neighbours",
        {"precision@10": -0.45},
        412,
    ),
    (
        "same-journal",
        "Nearest neighbors in the same journal",
        "neighbours",
        {"precision@10": -0.2},
        1980,
    ),
)
# The tasks of SciDocs, and the metrics that its papers report.
SCIDOCS = (("mag", "MAG", "svm", "macro_f1", 3_750), ("cite", "Cite", "ranking", "map", 1_000))


def _page(window: MainWindow) -> EvaluationPage:
    page = window.other_page("dashboard")
    assert isinstance(page, EvaluationPage)
    return page


def _items(of: EvaluatedModel, task: str, skill: float, n: int) -> Items:
    """Return scores of items: each has a difficulty for all models and noise per model."""
    hard = np.random.default_rng(crc32(task.encode())).normal(0, 0.22, n)
    luck = np.random.default_rng(len(of.title) + len(task)).normal(0, 0.08, n)
    found = np.clip(skill + hard + luck, 0, 1)
    return Items([f"q{number:05}" for number in range(n)], found)


def _local(of: EvaluatedModel, skill: float) -> tuple[Report, dict[str, dict[str, Items]]]:
    results: list[Result] = []
    items: dict[str, dict[str, Items]] = {}
    for task, title, evaluation, metrics, n in TASKS:
        found = {
            # The training improves citations more than anything else.
            name: _items(of, task, skill + easy - 0.04 * (of is OURS and easy < 0), n)
            for name, easy in metrics.items()
        }
        scores = tuple(
            Score(name, weighted_mean(each), n, *bootstrap_ci(each, 1))
            for name, each in found.items()
        )
        results.append(result(task, title=title, evaluation=evaluation, scores=scores, seed=0))
        items[task] = found
    return report(*results, subject=of), items


def measured(window: MainWindow) -> None:
    """Write reports of four models on the library, of two on SciDocs, and three trainings."""
    reports = window._home / "reports"
    for of, skill in SKILLS:
        _write_local(reports, of, skill)
    for of, skill in ((OURS, 0.79), (STARTER, 0.75)):
        results = [
            result(task, title=title, evaluation=evaluation, seed=0,
                   scores=(Score(metric, skill, n, skill - 0.01, skill + 0.01),))
            for task, title, evaluation, metric, n in SCIDOCS
        ]  # fmt: skip
        if of is STARTER:
            results[1] = replace(results[1], sha256="77" * 32)
        report(*results, subject=of, suite="scidocs").write(reports / "scidocs-data" / of.id)
    for board, suite in (("local-library", "local"), ("scidocs-data", "scidocs")):
        board_file = {"suite": suite, "corpus": f"/data/{board.partition('-')[2]}"}
        (reports / board / BOARD).write_text(json.dumps(board_file))
    _trained(window, "hep, first try", "specter-small", {}, 0.30)
    _trained(window, "hep, harder", "specter-small", {"margin": 0.5}, 0.24)
    _trained(window, "journals", "miread-small", {}, 0.5)


def _write_local(reports: Path, of: EvaluatedModel, skill: float) -> None:
    folder = reports / "local-library" / of.id
    made, items = _local(of, skill)
    made.write(folder)
    write_items(folder, items)
    drawn = pictures_of(3, skill)
    write_pictures(folder, {"fields": drawn["mag"], "cited-pairs": drawn["cite"]})


def _trained(
    window: MainWindow, name: str, recipe: str, changes: dict[str, float], ends: float
) -> None:
    home = window._home
    spec = Recipe.named(recipe, home / "corpora" / "library", changes=changes)
    run = Run.create(home / "runs" / name, spec)
    noise = np.random.default_rng(len(name)).normal(0, 0.02, 300)
    start = {"recipe": recipe, "method": spec.method, "steps": 300, "corpus": {"papers": 20_000}}
    run.append(Event("start", 1_000.0, 0, start))
    for step in range(1, 301):
        loss = float(ends + 0.5 * np.exp(-step / 60) + noise[step - 1])
        run.append(Event("step", 1_000.0 + step, step, {"stage": "all", "loss": loss}))
        if step % 100 == 0:
            values = {"stage": "all", "loss": loss + 0.03, "scores": {}}
            run.append(Event("validation", 1_000.0 + step, step, values))


def _alone(window: MainWindow) -> None:
    """Show one model, with nothing to compare it with."""
    _write_local(window._home / "reports", *SKILLS[0])
    window.go_to("dashboard")
    wait(lambda: _page(window).results.boards)


def _scores(window: MainWindow) -> None:
    measured(window)
    window.go_to("dashboard")
    _page(window).refresh()
    wait(lambda: len(_page(window).results.boards) > 1)


def _beside_papers(window: MainWindow) -> None:
    view = _page(window).scores
    view.suites.setCurrentIndex(view.suites.findData("scidocs"))
    view.suites.activated.emit(view.suites.currentIndex())
    view.table.selectRow(1)


def _compare(window: MainWindow) -> None:
    page = _page(window)
    page.show_view(COMPARE)
    wait(lambda: page.compare.verdict is not None)


def _classes(window: MainWindow) -> None:
    page = _page(window)
    page.show_view(CLASSES)
    wait(lambda: page.classes.tasks.count())
    _choose_task(page, "Fields")
    page.classes.classes.selectRow(1)


def _choose_task(page: EvaluationPage, title: str) -> None:
    page.classes.tasks.setCurrentText(title)
    page.classes.tasks.activated.emit(page.classes.tasks.currentIndex())


def _curves(window: MainWindow) -> None:
    _choose_task(_page(window), "Citation pairs")


def _learning(window: MainWindow) -> None:
    page = _page(window)
    page.show_view(LEARNING)
    wait(lambda: len(page.learning.charts) == 2)


def _neighbours(window: MainWindow) -> None:
    folder = window._home / "models" / "specter-starter-5f3a"
    tiny_package(folder, id=OURS.id, title=OURS.title, method="specter", base="starter")
    page = _page(window)
    page.show_view(NEIGHBOURS)
    side = page.neighbours.sides[1]
    wait(side.read_button.isVisible)
    side.read_button.click()
    wait(lambda: side.model.rowCount() > 0)


def _maps(window: MainWindow) -> None:
    page = _page(window)
    page.show_view(MAPS)
    side = page.maps.sides[1]
    wait(lambda: side.empty.isVisible() and side.empty.buttons())
    side.empty.buttons()[0].click()
    wait(side.view.isVisible)


def _group(window: MainWindow) -> None:
    _page(window).maps.sides[0].view.group_requested.emit(0, 0)


def _ask(window: MainWindow) -> None:
    page = _page(window)
    page.show_view(SCORES)
    page.ask_what_to_measure()
    wait(lambda: page.findChild(EvaluateDialog))


def _measuring(window: MainWindow) -> None:
    """Show the page as during an evaluation; none is started."""
    page = _page(window)
    let_pass(50)
    for widget in (page._note, page.stop):
        widget.show()
    restyled(page._note, "quiet")
    page._note.setText("38 %  SPECTER on 20,000 papers: Citations, 3,072 of 12,041 texts read")
    page.evaluate.setEnabled(False)
    window.show_busy("dashboard", True)


SCENES = (
    Scene("dashboard-one-model", _alone),
    Scene("dashboard-scores", _scores, EVERYWHERE),
    Scene("dashboard-beside-papers", _beside_papers),
    Scene("dashboard-compare", _compare, EVERYWHERE),
    Scene("dashboard-classes", _classes, EVERYWHERE),
    Scene("dashboard-curves", _curves),
    Scene("dashboard-learning", _learning, EVERYWHERE),
    Scene("dashboard-neighbours", _neighbours, EVERYWHERE),
    Scene("dashboard-maps", _maps, (100, 200)),
    Scene("dashboard-maps-group", _group),
    Scene("dashboard-what-to-measure", _ask, EVERYWHERE),
    Scene("dashboard-measuring", _measuring),
)
