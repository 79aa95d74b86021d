"""Evaluating models with the trainer: candidates, data, and resuming after a stop."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sciread_app.domain.training import LIBRARY
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.paths import Home
from sciread_app.services.evaluation.evaluation_service import (
    BASELINES,
    EvaluationOutcome,
    EvaluationService,
    FailedTask,
)
from sciread_app.services.evaluation.leaderboard import Scores, names, rows
from sciread_app.services.models.registry import ModelRegistry
from sciread_app.services.training.corpora import Corpora
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.judged import judged_folder
from tests.support.generate.papers import paper
from tests.support.models.tiny_model import tiny_package


@pytest.fixture
def home(tmp_path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def evaluator(home, tmp_path) -> EvaluationService:
    home.folder.mkdir()
    library = Library(home.library)
    models = ModelRegistry(home, library, lambda: "starter")
    yield EvaluationService(home, models, Corpora(home, library), Scores(home.reports))
    library.close()


def test_candidates_are_models_runs_and_baselines(evaluator, home):
    tiny_package(home.models / "ours", title="Ours")
    tiny_package(home.runs / "first" / "package", title="First", max_tokens=8)
    tiny_package(home.runs / "added" / "package", title="The same as Ours")
    broken = tiny_package(home.models / "broken", title="Broken")
    (broken.folder / "package.json").write_text("{}")
    found = [(one.key, one.kind) for one in evaluator.candidates()]
    assert found == [
        ("starter", "model"), ("ours", "model"), ("first", "run"),
        *((key, "baseline") for key in BASELINES),
    ]  # fmt: skip


def test_impossible_evaluation_is_refused_with_hint(evaluator, home, tmp_path):
    with pytest.raises(LibraryError, match="model nobody is not installed"):
        evaluator.evaluate(["nobody"], "judged", tmp_path, Task())
    with pytest.raises(LibraryError, match="nowhere") as refused:
        evaluator.evaluate(["tf-idf"], "judged", tmp_path / "nowhere", Task())
    assert "NAME.papers.jsonl" in refused.value.hint
    with pytest.raises(LibraryError, match="published data"):
        evaluator.evaluate(["tf-idf"], "judged", LIBRARY, Task())
    with pytest.raises(LibraryError, match="library contains no papers"):
        evaluator.evaluate(["tf-idf"], "local", LIBRARY, Task())
    assert not home.reports.exists()


def test_same_failure_of_several_models_is_one_remark():
    reports = {"a": Path("a"), "b": Path("b")}
    tasks = [FailedTask(model, "Journals", "There is one.") for model in ("A", "B")]
    (remark,) = EvaluationOutcome(Path(), reports, {}, {}, tasks).remarks()
    assert all(part in remark for part in ("A", "B", "Journals", "There is one."))
    more = EvaluationOutcome(Path(), reports, {"c": "It is gone."}, {}, tasks[:1]).remarks()
    assert len(more) == 2 and "It is gone." in more[0]


# These tests use the trainer itself.


@pytest.mark.slow
def test_evaluation_on_judged_data_reports_progress_and_resumes(evaluator, home, tmp_path):
    folder = judged_folder(tmp_path / "judged")
    stopped = Task()
    stopped.cancel()
    with pytest.raises(Cancelled):
        evaluator.evaluate(["tf-idf"], "judged", folder, stopped)
    messages: list[str] = []
    task = Task(lambda done, total, note: messages.append(note))
    done = evaluator.evaluate(["tf-idf", "random"], "judged", folder, task)
    assert done.reports.keys() == {"tf-idf", "random"} and not done.failed
    assert any("Random" in note for note in messages)
    (board,) = Scores(home.reports).boards()
    assert (board.folder, board.suite, board.data) == (done.board, "judged", "judged")
    (row, *_) = rows(board)
    assert list(names(board.reports).values()) == ["Random", "TF-IDF"]
    assert row.n == 3 and len(row.cells) == 2

    messages.clear()
    again = evaluator.evaluate(["tf-idf"], "judged", folder, task)
    assert again.reports == {"tf-idf": done.reports["tf-idf"]}
    assert any("already evaluated" in note for note in messages)


@pytest.mark.slow
def test_evaluation_keeps_scores_when_a_model_or_task_fails(evaluator, home, tmp_path):
    """The trainer exits with status 1, and its answer lists the failures."""
    library = Library(home.library)
    library.put([
        paper(f"Deep graph {n}", abstract="We study the paper.", arxiv=f"2101.{n:05}",
              fields=("math.AG", "cs.LG")[n % 2 :][:1], venue="Nature" if n == 3 else "")
        for n in range(60)
    ])  # fmt: skip
    library.close()
    (tmp_path / "broken").mkdir()  # contains no model
    done = evaluator.evaluate(["tf-idf", str(tmp_path / "broken")], "local", LIBRARY, Task())
    assert list(done.reports) == ["tf-idf"] and list(done.failed) == [str(tmp_path / "broken")]
    (board,) = Scores(home.reports).boards()
    assert {row.result.task for row in rows(board)} >= {"same-field", "health"}


@pytest.mark.slow
def test_model_is_evaluated_on_its_library(evaluator, home):
    library = Library(home.library)
    library.put([
        paper(f"Deep graph {n}", abstract="We study the paper.", arxiv=f"2101.{n:05}",
              fields=("math.AG", "cs.LG")[n % 2 :][:1])
        for n in range(60)
    ])  # fmt: skip
    library.close()
    tiny_package(home.models / "ours", id="ours-1", title="Ours")
    done = evaluator.evaluate(["ours"], "local", LIBRARY, Task())
    assert list(done.reports) == ["ours-1"]
    assert "Citations" in done.absent  # there are no citations, which is reported
    (board,) = Scores(home.reports).boards()
    assert board.corpus.startswith("corpora/library-")
    assert {row.result.task for row in rows(board)} >= {"same-field", "health"}
    described = json.loads((done.board / "board.json").read_text())
    assert described["suite"] == "local"
    assert Path(home.folder, described["corpus"]).is_dir()
