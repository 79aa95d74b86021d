"""Having the trainer measure models: which there are, on what, and going on where it was."""

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
from tests.support.make import paper
from tests.support.make_judged import judged_folder
from tests.support.tiny_model import tiny_package


@pytest.fixture
def home(tmp_path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def evaluating(home, tmp_path) -> EvaluationService:
    home.folder.mkdir()
    library = Library(home.library)
    models = ModelRegistry(home, library, lambda: "starter")
    yield EvaluationService(home, models, Corpora(home, library), Scores(home.reports))
    library.close()


def test_models_trainings_and_what_all_should_beat_can_be_measured(evaluating, home):
    tiny_package(home.models / "ours", title="Ours")
    tiny_package(home.runs / "first" / "package", title="First", max_tokens=8)
    tiny_package(home.runs / "added" / "package", title="The same as Ours")
    broken = tiny_package(home.models / "broken", title="Broken")
    (broken.folder / "package.json").write_text("{}")
    found = [(one.key, one.kind) for one in evaluating.candidates()]
    assert found == [
        ("starter", "model"), ("ours", "model"), ("first", "run"),
        *((key, "baseline") for key in BASELINES),
    ]  # fmt: skip


def test_what_cannot_be_measured_is_refused_with_what_to_do(evaluating, home, tmp_path):
    with pytest.raises(LibraryError, match="no model nobody"):
        evaluating.evaluate(["nobody"], "judged", tmp_path, Task())
    with pytest.raises(LibraryError, match="no folder") as refused:
        evaluating.evaluate(["tf-idf"], "judged", tmp_path / "nowhere", Task())
    assert "NAME.papers.jsonl" in refused.value.hint
    with pytest.raises(LibraryError, match="published data"):
        evaluating.evaluate(["tf-idf"], "judged", LIBRARY, Task())
    with pytest.raises(LibraryError, match="no papers in the library"):
        evaluating.evaluate(["tf-idf"], "local", LIBRARY, Task())
    assert not home.reports.exists()


def test_a_task_that_failed_alike_for_several_models_is_told_once():
    reports = {"a": Path("a"), "b": Path("b")}
    tasks = [FailedTask(model, "Journals", "There is one.") for model in ("A", "B")]
    (remark,) = EvaluationOutcome(Path(), reports, {}, {}, tasks).remarks()
    assert all(part in remark for part in ("A", "B", "Journals", "There is one."))
    more = EvaluationOutcome(Path(), reports, {"c": "It is gone."}, {}, tasks[:1]).remarks()
    assert len(more) == 2 and "It is gone." in more[0]


# With the trainer itself.


@pytest.mark.slow
def test_it_measures_on_published_data_tells_how_far_it_is_and_goes_on(evaluating, home, tmp_path):
    folder = judged_folder(tmp_path / "judged")
    stopped = Task()
    stopped.cancel()
    with pytest.raises(Cancelled):
        evaluating.evaluate(["tf-idf"], "judged", folder, stopped)
    told: list[str] = []
    task = Task(lambda done, total, note: told.append(note))
    done = evaluating.evaluate(["tf-idf", "random"], "judged", folder, task)
    assert done.reports.keys() == {"tf-idf", "random"} and not done.failed
    assert any("Random vectors" in note for note in told)
    (board,) = Scores(home.reports).boards()
    assert (board.folder, board.suite, board.data) == (done.board, "judged", "judged")
    (row, *_) = rows(board)
    assert list(names(board.reports).values()) == ["Random vectors", "TF-IDF"]
    assert row.n == 3 and len(row.cells) == 2

    told.clear()
    again = evaluating.evaluate(["tf-idf"], "judged", folder, task)
    assert again.reports == {"tf-idf": done.reports["tf-idf"]}
    assert any("known already" in note for note in told)


@pytest.mark.slow
def test_what_could_be_measured_is_kept_where_a_model_or_a_task_fails(evaluating, home, tmp_path):
    """The trainer ends with status 1, and its answer says what failed."""
    library = Library(home.library)
    library.put([
        paper(f"Deep graph {n}", abstract="We study the paper.", arxiv=f"2101.{n:05}",
              fields=("math.AG", "cs.LG")[n % 2 :][:1], venue="Nature" if n == 3 else "")
        for n in range(60)
    ])  # fmt: skip
    library.close()
    (tmp_path / "broken").mkdir()  # which holds no model
    done = evaluating.evaluate(["tf-idf", str(tmp_path / "broken")], "local", LIBRARY, Task())
    assert list(done.reports) == ["tf-idf"] and list(done.failed) == [str(tmp_path / "broken")]
    (board,) = Scores(home.reports).boards()
    assert {row.result.task for row in rows(board)} >= {"same-field", "health"}


@pytest.mark.slow
def test_a_model_is_measured_on_the_library_it_is_for(evaluating, home):
    library = Library(home.library)
    library.put([
        paper(f"Deep graph {n}", abstract="We study the paper.", arxiv=f"2101.{n:05}",
              fields=("math.AG", "cs.LG")[n % 2 :][:1])
        for n in range(60)
    ])  # fmt: skip
    library.close()
    tiny_package(home.models / "ours", id="ours-1", title="Ours")
    done = evaluating.evaluate(["ours"], "local", LIBRARY, Task())
    assert list(done.reports) == ["ours-1"]
    assert "Citations" in done.absent  # there are none, and it is told
    (board,) = Scores(home.reports).boards()
    assert board.corpus.startswith("corpora/library-")
    assert {row.result.task for row in rows(board)} >= {"same-field", "health"}
    described = json.loads((done.board / "board.json").read_text())
    assert described["suite"] == "local"
    assert Path(home.folder, described["corpus"]).is_dir()
