"""The dashboard on a real home folder: reports, maps, trainings and exports."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from sciread_app import workspace as workspaces
from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.domain.training import LIBRARY, TrainingData, TrainingDataKind
from sciread_app.paths import Home
from sciread_app.services.evaluation.csv_export import write_csv
from sciread_app.tasks import Task
from sciread_app.ui.compare.gateway import CompareGateway
from sciread_app.ui.evaluation.gateway import EvaluationGateway
from sciread_app.workspace import Workspace
from tests.support.generate.papers import paper
from tests.support.generate.report import pictures_of, subject
from tests.support.models.fake_models import FakeModel
from tests.support.models.tiny_model import tiny_package
from tests.support.shell import Shell
from tests.support.ui.fakes.evaluation import START, WORDS, measured
from trainer.contract.plots import write_pictures
from trainer.contract.run import Event, Recipe, Run

TOPICS = ("bees", "stars", "graphs")


@pytest.fixture
def workspace(monkeypatch, tmp_path) -> Workspace:
    def encoder(package):
        model = FakeModel(package.id, lambda text: None)
        model.title = package.title
        return model

    monkeypatch.setattr(workspaces, "EncoderProcess", encoder)
    workspace = Workspace(Home(tmp_path))
    workspace.library.put(
        [paper(f"On {TOPICS[n % 3]}, part {n}", abstract=f"We study {n}.") for n in range(30)]
    )
    yield workspace
    workspace.close()


@pytest.fixture
def dashboard(workspace) -> EvaluationGateway:
    return EvaluationGateway(workspace)


@pytest.fixture
def ours(tmp_path):
    return tiny_package(tmp_path / "models" / "ours", id="ours", title="Ours")


def put(home: Path, of, value: float, board: str = "local-mine") -> None:
    folder = home / "reports" / board / of.id
    measured(of, value).write(folder)
    write_pictures(folder, pictures_of(1, value))


def test_reports_are_found_under_the_current_model_names(dashboard, workspace, ours,
                                                                 tmp_path):  # fmt: skip
    put(tmp_path, subject(id="ours", title="As it was called", space=ours.space), 0.8)
    put(tmp_path, START, 0.7)
    workspace.models.rename("ours", "My field")
    found = dashboard.look()
    assert list(found.names.values()) == ["My field", "Starter"]
    kept = found.boards[0].reports[0]
    assert set(dashboard.pictures(kept)) == {"cite", "mag"}


def test_leaderboard_data_and_offered_corpora_have_descriptive_names(
    dashboard, workspace, tmp_path
):
    corpus = workspace.corpora.make(LIBRARY, Task())
    board = workspace.scores.place("local", corpus)
    put(tmp_path, START, 0.7, board.name)
    (name,) = dashboard.look().called.values()
    assert name.startswith("Library of ") and name.endswith(", 30 papers")
    workspace.library.collections.add([1, 2], "thesis")
    offered = {corpus.name: corpus.data for corpus in dashboard.corpora()}
    assert offered["Library, 30 papers"] == LIBRARY
    assert offered["Collection thesis"] == TrainingData(TrainingDataKind.collection, "thesis")
    assert offered[f"Saved dataset: {name}"] == TrainingData(TrainingDataKind.corpus, corpus.name)


def test_known_papers_are_those_rated_or_read_or_else_the_latest(dashboard, workspace):
    assert dashboard.known_papers()[0] == 30 and len(dashboard.known_papers()) == 30
    workspace.library.reading_state.mark_read([4])
    assert dashboard.known_papers() == [4]
    workspace.library.reading_state.rate([7], 5)
    assert dashboard.known_papers() == [7, 4]
    assert set(dashboard.find("bees", Task())) == {n + 1 for n in range(0, 30, 3)}


def test_known_papers_in_several_groups_are_counted_once(dashboard, workspace, monkeypatch):
    monkeypatch.setattr("sciread_app.ui.evaluation.gateway.KNOWN", 4)
    state = workspace.library.reading_state
    for id in (1, 2):
        workspace.library.notes.add(id, "Known")
        state.rate([id], 5)
    state.mark_read([3])
    assert sorted(dashboard.known_papers()) == [1, 2, 3]


def test_each_model_has_its_own_map_and_neighbours(dashboard, workspace, ours):
    comparisons = CompareGateway(workspace)
    for name in ("starter", "ours"):
        assert dashboard.drawing(name) is None
        comparisons.encode(name, Task())
        assert len(dashboard.draw(name, Task()).ids) == 30
    maps = [dashboard.drawing(name) for name in ("starter", "ours")]
    assert not np.allclose(maps[0].places, maps[1].places)
    with workspace.active_model.use() as now:  # the map page shows the same map
        assert np.array_equal(workspace.map(now).read().places, maps[0].places)
    near = [
        comparisons.ask(name, parse("like:1"), SearchMode.meaning, Task()).listing.ids
        for name in ("starter", "ours")
    ]
    assert list(near[0]) != list(near[1])


def test_training_curve_grows_with_new_events(dashboard, tmp_path):
    recipe = Recipe.named("specter-small", tmp_path / "corpus")
    run = Run.create(tmp_path / "runs" / "first", recipe)
    for step in (1, 2, 3):
        run.append(Event("step", float(step), step, {"stage": "triples", "loss": 1 / step}))
    (training,) = dashboard.runs.all()
    assert (training.name, training.method) == ("first", "SPECTER")
    assert len(dashboard.progress_of("first", Task()).curves["loss"]) == 3
    run.append(Event("step", 4.0, 4, {"stage": "triples", "loss": 0.2}))
    assert dashboard.progress_of("first", Task()).curves["loss"].mean[-1] == 0.2
    assert not dashboard.runs.scores("first")


def test_command_line_prints_the_same_scores(dashboard, tmp_path):
    put(tmp_path, START, 0.7)
    put(tmp_path, WORDS, 0.6)
    found = dashboard.look()
    shown = {
        (row.result.task, row.metric.name, model.split("\n")[0]): cell.score.value
        for row in found.rows
        for model, cell in row.cells.items()
    }
    shell = Shell(tmp_path)
    (board,) = shell.json("model", "scores")
    printed = {(s["task"], s["metric"], s["model"]): s["value"] for s in board["scores"]}
    assert shown == printed and len(printed) == 8
    output = shell.run("model", "scores").stdout
    for row in found.rows:
        assert all(row.metric.shown(cell.score.value) in output for cell in row.cells.values())


def test_scores_are_written_as_html_and_csv(dashboard, tmp_path):
    put(tmp_path, START, 0.7)
    put(tmp_path, WORDS, 0.6)
    boards = dashboard.look().boards
    page = tmp_path / "out" / "page.html"
    page.parent.mkdir()
    dashboard.evaluation.write_page(boards, page, Task())
    text = page.read_text("utf-8")
    assert "Starter" in text and "TF-IDF" in text and "<script" not in text
    assert [path.name for path in page.parent.iterdir()] == ["page.html"]
    stream = io.StringIO()
    lines = write_csv(boards, stream)
    stream.seek(0)
    assert len(list(csv.DictReader(stream))) == lines == 8
